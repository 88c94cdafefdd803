//go:build !mutant_narrow && !mutant_epoch

package jwt

// The mutants' switches: off, as they always are in a build that anybody runs.
const (
	narrowOff = false
	epochOff  = false
)
