//go:build !mutant_rate

package edge

// rateOpen is the mutant's switch: off, as it always is in a build that anybody runs.
const rateOpen = false
