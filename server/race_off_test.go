//go:build !race

package server

const effort = 1
