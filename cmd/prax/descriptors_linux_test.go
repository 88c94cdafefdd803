package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// TestDescriptorsExhausted: a server whose descriptors are all taken lives on. Who has a connection is served until
// the clients file, which was changed, cannot be read for too long; once descriptors are free, who was added meanwhile is
// served, writes are kept, and the log has not been flooded.
func TestDescriptorsExhausted(t *testing.T) {
	t.Parallel()
	c := newCrash(t)
	var server *exec.Cmd
	c.serving(func(cmd *exec.Cmd) {
		server = cmd
		connected := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}}
		defer connected.CloseIdleConnections()
		if got := c.status(connected, 0); got != http.StatusOK {
			t.Fatalf("before: %d", got)
		}
		room := c.limitDescriptors(cmd.Process.Pid, 6)
		crowd := c.crowd(40)
		within(t, "no descriptor is left", func() bool { return openFiles(t, cmd.Process.Pid) >= room })
		if got := c.status(connected, 0); got != http.StatusOK {
			t.Errorf("on a connection that was there: %d", got)
		}
		c.admit(crashUsers+1, crashTools...)
		within(t, "nobody is served on a file that cannot be read", func() bool { return c.status(connected, 0) == http.StatusUnauthorized })
		for _, conn := range crowd {
			_ = conn.Close()
		}
		within(t, "who was added is served", func() bool { return c.status(http.DefaultClient, crashUsers) == http.StatusOK })
		if got := c.status(connected, 0); got != http.StatusOK {
			t.Errorf("afterwards: %d", got)
		}
		ctx, stop := context.WithCancel(t.Context())
		go func() { c.until(20); stop() }()
		c.write(ctx, 0)
	})
	if said := fmt.Sprint(server.Stderr); strings.Count(said, "\n") > 100 || strings.Contains(said, "panic") {
		t.Errorf("it said\n%.5000s", said)
	}
	c.inquest("the lack of descriptors")
}

// status is that of a call's answer; 0 when there is none.
func (c *crash) status(by *http.Client, user int) int {
	resp, err := c.send(c.t.Context(), by, user, "get_current_datetime", map[string]any{})
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil { // else the connection is not used again
		return 0
	}
	return resp.StatusCode
}

// limitDescriptors leaves a process so many more than it has open, and tells how many that are.
func (c *crash) limitDescriptors(pid, more int) int {
	c.t.Helper()
	n := openFiles(c.t, pid) + more
	limit := syscall.Rlimit{Cur: uint64(n), Max: uint64(n)}
	_, _, failed := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(pid), syscall.RLIMIT_NOFILE, uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
	if failed != 0 {
		c.t.Fatalf("limit descriptors: %v", failed)
	}
	return n
}

func openFiles(t *testing.T, pid int) int {
	t.Helper()
	all, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// crowd opens connections that say nothing.
func (c *crash) crowd(n int) (all []net.Conn) {
	for range n {
		conn, err := net.Dial("tcp", strings.TrimPrefix(c.url, "http://"))
		if err != nil {
			c.t.Fatal(err)
		}
		all = append(all, conn)
	}
	return all
}
