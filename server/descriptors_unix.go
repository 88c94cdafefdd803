//go:build unix

package server

import (
	"math"
	"syscall"
)

// descriptors is how many the process may have open.
func descriptors() int {
	var most syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &most); err != nil {
		return math.MaxInt32
	}
	return int(min(uint64(most.Cur), math.MaxInt32))
}
