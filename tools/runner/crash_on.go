//go:build crashpoints

package runner

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

var (
	crashAt, crashNth, _ = strings.Cut(os.Getenv("PRAX_CRASH_AT"), ":")
	crashSeen            atomic.Int64
)

// reach ends the process as a power cut would, when it is asked for at this point.
func reach(point string) {
	if point != crashAt {
		return
	}
	nth, err := strconv.ParseInt(crashNth, 10, 64)
	if err != nil {
		nth = 1
	}
	if crashSeen.Add(1) == nth {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // the signal is on its way: nothing may happen after this point
	}
}
