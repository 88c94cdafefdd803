//go:build !mutant_egress

package egress

// dialerOpen is the mutant's switch: off, as it always is in a build that anybody runs.
const dialerOpen = false
