//go:build !mutant_proxies && !mutant_path

package server

// believing and anywhere are the mutants' switches: off, as they always are in a build that anybody runs.
const (
	believing = false
	anywhere  = false
)
