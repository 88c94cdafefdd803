package bench

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
)

// process is what a process has used so far, as Linux tells it (proc(5)).
type process struct {
	cpu       float64 // seconds, user and system
	rss, peak float64 // MB of 2^20 bytes
}

// ticks of a second: USER_HZ, which is 100 on every Linux that Go runs on.
const ticks = 100

// processOf reads /proc. No process, 0, has used nothing.
func processOf(pid int) (p process, err error) {
	if pid == 0 {
		return p, nil
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return p, fmt.Errorf("process %d: %w", pid, err)
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]) // from the third on
	if len(fields) < 13 {
		return p, fmt.Errorf("/proc/%d/stat: %q", pid, stat)
	}
	var user, system int64
	if _, err := fmt.Sscan(string(fields[11])+" "+string(fields[12]), &user, &system); err != nil {
		return p, fmt.Errorf("/proc/%d/stat: %w", pid, err)
	}
	p.cpu = float64(user+system) / ticks
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return p, err
	}
	p.rss, p.peak = megabytes(status, "VmRSS:"), megabytes(status, "VmHWM:")
	return p, nil
}

// megabytes reads a line of status, which is in kB.
func megabytes(status []byte, name string) (kB float64) {
	_, rest, _ := bytes.Cut(status, []byte(name))
	if _, err := fmt.Sscan(string(rest), &kB); err != nil {
		return 0 // a process that is ending has no memory any more
	}
	return kB / 1024
}

// ownTime is the processor time of this process in seconds.
func ownTime() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}
