package server

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

// Whoever has an IPv6 network has as many addresses as there are handshakes: they are one caller, and leave room for others.
func TestFailedHandshakesCountByNetwork(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	e := newErrorLog(slog.New(slog.NewTextHandler(&text, nil)))
	for i := range 2 * refusalsAMinute {
		fmt.Fprintf(e, "http: TLS handshake error from [2001:db8::%x]:99: EOF\n", i+1)
	}
	if n := strings.Count(text.String(), "2001:db8::"); n != refusalsARemote {
		t.Errorf("%d failures of one network are recorded one by one, want %d", n, refusalsARemote)
	}
	fmt.Fprint(e, "http: TLS handshake error from 192.0.2.1:99: EOF\n")
	if !strings.Contains(text.String(), "192.0.2.1:99") {
		t.Error("the failure of somebody else is not recorded")
	}
}
