package main

import (
	"context"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"prax/auth"
	"prax/server/control"
	"prax/tools"
)

// TestDrainsTogether: the operator's socket drains while calls over the network are still finished, not
// after them, and those are finished all the same.
func TestDrainsTogether(t *testing.T) {
	t.Parallel()
	l := newLawApp(t, false)
	entered, release := make(chan struct{}), make(chan struct{})
	if err := l.app.tools.Set("slow", []*tools.Tool{{
		Name: "law.low", Title: "slow", Description: "Waits.", Tier: auth.Low, Input: []byte(`{"type":"object"}`),
		Handler: func(context.Context, *tools.Call) (*tools.Result, error) {
			close(entered)
			<-release
			return tools.Text("finished"), nil
		},
	}}); err != nil {
		t.Fatal(err)
	}
	s := l.serve()
	answered := make(chan string, 1)
	go func() { answered <- slowCall(s.url) }()
	within(t, "the call is under way", func() bool {
		select {
		case <-entered:
			return true
		default:
			return false
		}
	})
	s.stop()
	within(t, "the socket is gone", func() bool { return !exists(s.socket) })
	if len(answered) > 0 || len(s.ended) > 0 {
		t.Error("the call was over before the socket was")
	}
	close(release)
	if got := <-answered; !strings.Contains(got, "finished") {
		t.Errorf("the call was answered %s", got)
	}
	if err := <-s.ended; err != nil {
		t.Error(err)
	}
}

// served is an app that listens as a server does: on a port, and for the operator.
type served struct {
	url    string
	socket string // its path
	stop   func() // tells it to stop, and does not wait
	ended  chan error
}

func (l *lawApp) serve() *served {
	l.t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		l.t.Fatal(err)
	}
	s := &served{url: "http://" + ln.Addr().String(), socket: filepath.Join(l.app.settings.Data, control.SocketName), ended: make(chan error, 1)}
	socket, err := control.Listen(s.socket)
	if err != nil {
		l.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(l.t.Context())
	s.stop = stop
	go func() { s.ended <- l.app.run(&signals{stop: ctx}, ln, socket) }()
	return s
}

func slowCall(base string) string {
	req, err := http.NewRequest(http.MethodPost, base+"/mcp",
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"law.low"}}`))
	if err != nil {
		return err.Error()
	}
	req.Header.Set("Authorization", "Bearer "+granted.token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	_, _, body, err := fetch(req)
	if err != nil {
		return err.Error()
	}
	return string(body)
}
