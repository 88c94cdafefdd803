package main

import (
	"log/slog"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestServiceManager(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		environ  []string
		told     bool
		watchdog time.Duration
		refused  bool
	}{
		{nil, false, 0, false},
		{[]string{"NOTIFY_SOCKET="}, false, 0, false},
		{[]string{"NOTIFY_SOCKET=/run/systemd/notify"}, true, 0, false},
		{[]string{"NOTIFY_SOCKET=@abstract", "WATCHDOG_USEC=30000000"}, true, 30 * time.Second, false},
		{[]string{"NOTIFY_SOCKET=@abstract", "WATCHDOG_USEC=30000000", "WATCHDOG_PID=7"}, true, 30 * time.Second, false},
		{[]string{"NOTIFY_SOCKET=@abstract", "WATCHDOG_USEC=30000000", "WATCHDOG_PID=8"}, true, 0, false},
		{[]string{"WATCHDOG_USEC=30000000"}, false, 0, false},
		{[]string{"NOTIFY_SOCKET=relative"}, false, 0, true},
		{[]string{"NOTIFY_SOCKET=@"}, false, 0, true},
		{[]string{"NOTIFY_SOCKET=vsock:2:1"}, false, 0, true},
		{[]string{"NOTIFY_SOCKET=/x", "WATCHDOG_USEC=soon"}, false, 0, true},
		{[]string{"NOTIFY_SOCKET=/x", "WATCHDOG_USEC=-1"}, false, 0, true},
		{[]string{"NOTIFY_SOCKET=/x", "WATCHDOG_USEC=9223372036854775807"}, false, 0, true},
	} {
		m, err := supervisorOf(environment(tt.environ), 7, slog.New(slog.DiscardHandler))
		if (err != nil) != tt.refused || (m != nil) != tt.told {
			t.Errorf("%q: told %v, error %v", tt.environ, m != nil, err)
		}
		if m != nil && m.watchdog != tt.watchdog {
			t.Errorf("%q: watchdog %v, want %v", tt.environ, m.watchdog, tt.watchdog)
		}
	}
}

// A manager that is gone, or was never there, costs a line in the log and nothing else.
func TestManagerIsGone(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	m := &supervisor{
		socket: &net.UnixAddr{Name: filepath.Join(t.TempDir(), "none"), Net: "unixgram"}, log: slog.New(slog.NewTextHandler(&log, nil)),
	}
	m.ready()
	if n := strings.Count(log.String(), "could not be told"); n != 1 {
		t.Errorf("said %d times: %s", n, log.String())
	}
	var nobody *supervisor
	nobody.ready()
	nobody.reloading()
	nobody.stopping()
}

// The word of a reload carries the clock by which the manager orders what it hears.
func TestReloadingHasTheClock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "socket")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	before, known := monotonic()
	if !known {
		t.Skip("there is no such clock here")
	}
	m := &supervisor{socket: &net.UnixAddr{Name: path, Net: "unixgram"}, log: slog.New(slog.DiscardHandler)}
	m.reloading()
	after, _ := monotonic()
	text := make([]byte, 1<<10)
	_ = socket.SetReadDeadline(time.Now().Add(patience))
	n, err := socket.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	_, usec, found := strings.Cut(string(text[:n]), "\nMONOTONIC_USEC=")
	at, err := strconv.ParseInt(usec, 10, 64)
	if !found || err != nil || at < before.Microseconds() || at > after.Microseconds() {
		t.Errorf("%q, between %v and %v", text[:n], before, after)
	}
}
