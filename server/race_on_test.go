//go:build race

package server

// effort divides the amounts of tests that only repeat: the race detector slows them.
const effort = 5
