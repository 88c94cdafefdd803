//go:build !race

package sqlite_test

const effort = 1
