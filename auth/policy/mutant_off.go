//go:build !mutant_decide

package policy

// decideOpen is the mutant's switch: off, as it always is in a build that anybody runs.
const decideOpen = false
