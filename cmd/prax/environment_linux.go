package main

import (
	"fmt"
	"syscall"
)

// hideEnvironment keeps programs that run as the same user, as the children of executors do, from reading the server's
// environment and memory by /proc. Those of root still can.
func hideEnvironment() error {
	const setDumpable = 4 // PR_SET_DUMPABLE of prctl(2)
	if _, _, errno := syscall.Syscall(syscall.SYS_PRCTL, setDumpable, 0, 0); errno != 0 {
		return fmt.Errorf("hide the environment: %w", errno)
	}
	return nil
}
