//go:build mutant_redaction

package secret

// leaking makes Cut leave everything as it is. Tests must turn red under this tag: that proves they would notice
// a secret that gets out.
const leaking = true
