//go:build mutant_epoch

package jwt

// The mutant: a token of any epoch of its client is good. Tests must turn red under this tag.
const (
	narrowOff = false
	epochOff  = true
)
