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
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(l.app.settings.Data, control.SocketName)
	socket, err := control.Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	stop, cancel := context.WithCancel(t.Context())
	defer cancel()
	ran, answered := make(chan error, 1), make(chan string, 1)
	go func() { ran <- l.app.run(&signals{stop: stop}, ln, socket) }()
	go func() { answered <- slowCall(ln.Addr().String()) }()
	within(t, "the call is under way", func() bool {
		select {
		case <-entered:
			return true
		default:
			return false
		}
	})
	cancel()
	within(t, "the socket is gone", func() bool { return !exists(path) })
	if len(answered) > 0 || len(ran) > 0 {
		t.Error("the call was over before the socket was")
	}
	close(release)
	if got := <-answered; !strings.Contains(got, "finished") {
		t.Errorf("the call was answered %s", got)
	}
	if err := <-ran; err != nil {
		t.Error(err)
	}
}

func slowCall(addr string) string {
	req, err := http.NewRequest(http.MethodPost, "http://"+addr+"/mcp",
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
