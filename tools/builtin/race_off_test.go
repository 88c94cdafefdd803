//go:build !race

package builtin_test

// perUser is how many documents each of two users has.
const perUser = 10_000
