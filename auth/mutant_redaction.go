//go:build mutant_redaction

package auth

// revealing makes a credential print itself. Tests must turn red under this tag: that proves they would
// notice a secret that gets out.
const revealing = true
