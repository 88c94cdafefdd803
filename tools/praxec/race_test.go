//go:build race

package praxec_test

const underRace = true
