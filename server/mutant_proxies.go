//go:build mutant_proxies

package server

// believing takes everybody's word for the address that a request comes from. Tests must turn red under this tag: that
// proves they would notice a caller who chooses what stands in the records.
const (
	believing = true
	anywhere  = false
)
