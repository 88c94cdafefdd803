//go:build !mutant_window

package clients

// windowOff is the mutant's switch: off, as it always is in a build that anybody runs.
const windowOff = false
