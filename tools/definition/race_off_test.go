//go:build !race

package definition_test

// manyOf are the states of a large definition.
const manyOf = 5000
