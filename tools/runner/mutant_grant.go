//go:build mutant_grant

package runner

// The mutant: what goes on for a signed token goes on as its whole client. Tests must turn red under this tag.
const grantOff = true
