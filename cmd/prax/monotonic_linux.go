package main

import (
	"syscall"
	"time"
	"unsafe"
)

// monotonic is the time of CLOCK_MONOTONIC, which Go does not show.
func monotonic() (since time.Duration, known bool) {
	const clockMonotonic = 1 // clock_gettime(2)
	var at syscall.Timespec
	_, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&at)), 0)
	return time.Duration(at.Nano()), errno == 0
}
