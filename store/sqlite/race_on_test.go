//go:build race

package sqlite_test

// effort divides the amounts of tests that only repeat: the race detector slows SQLite, which is
// Go here, some twentyfold.
const effort = 10
