//go:build !linux

package main

import "time"

// monotonic is not asked for where systemd is not.
func monotonic() (since time.Duration, known bool) { return 0, false }
