//go:build mutant_rate

package edge

// rateOpen lets every client ask as fast as it likes. Tests must turn red under this tag: that proves they would notice a limit
// that was lost.
const rateOpen = true
