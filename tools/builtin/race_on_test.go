//go:build race

package builtin_test

// perUser is how many documents each of two users has: fewer under the race detector, which makes the
// store very slow and looks for something else.
const perUser = 1500
