//go:build mutant_path

package server

// anywhere has the endpoint below every path. Tests must turn red under this tag: that proves they would notice a path
// that nobody opened.
const (
	believing = false
	anywhere  = true
)
