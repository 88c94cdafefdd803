//go:build race

package definition_test

// manyOf are the states of a large definition, where every step is watched and takes ten times as long.
const manyOf = 500
