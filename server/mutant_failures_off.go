//go:build !mutant_failures

package server

// failuresOpen is the mutant's switch: off, as it always is in a build that anybody runs.
const failuresOpen = false
