//go:build !unix

package server

import "math"

// descriptors is how many the process may have open: there is no limit to ask for.
func descriptors() int { return math.MaxInt32 }
