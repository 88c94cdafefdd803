//go:build mutant_failures

package server

// failuresOpen lets callers fail as fast as they like. Tests must turn red under this tag: that proves they would notice a flood that
// nothing slows down.
const failuresOpen = true
