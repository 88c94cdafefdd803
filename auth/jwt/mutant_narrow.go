//go:build mutant_narrow

package jwt

// The mutant: a token has all that its client has. Tests must turn red under this tag.
const (
	narrowOff = true
	epochOff  = false
)
