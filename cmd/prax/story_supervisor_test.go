package main

import (
	"net"
	"os"
	"regexp"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// supervisorKey is where a story keeps its service manager.
type supervisorKey struct{}

// storySupervisor is a service manager's end of sd_notify(3).
type storySupervisor struct{ socket *net.UnixConn }

func supervisorCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: supervisor PATH|@NAME")
	}
	name := args[0]
	if name[0] == '@' {
		name += "-" + strconv.Itoa(os.Getpid()) // abstract names are the machine's
	} else {
		name = ts.MkAbs(name)
	}
	m := ts.Value(supervisorKey{}).(*storySupervisor)
	if m.socket != nil {
		ts.Check(m.socket.Close())
	}
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	ts.Check(err)
	m.socket = socket
	ts.Defer(func() { _ = socket.Close() })
	ts.Setenv("NOTIFY_SOCKET", name)
}

func toldCommand(ts *testscript.TestScript, neg bool, args []string) {
	m := ts.Value(supervisorKey{}).(*storySupervisor)
	if neg || len(args) == 0 || m.socket == nil {
		ts.Fatalf("usage: told REGEXP..., with a supervisor")
	}
	ts.Check(m.socket.SetReadDeadline(time.Now().Add(patience)))
	text := make([]byte, 4<<10)
	for _, want := range args {
		n, err := m.socket.Read(text)
		ts.Check(err)
		ts.Logf("%s", text[:n])
		if !regexp.MustCompile("^(?:" + want + ")$").Match(text[:n]) {
			ts.Fatalf("told %q, want %s", text[:n], want)
		}
	}
}
