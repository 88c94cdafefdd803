//go:build !mutant_admission

package tools

// admitHigh is the mutant's switch: off, as it always is in a build that anybody runs.
const admitHigh = false
