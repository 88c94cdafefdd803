package control

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"

	"prax/tools"
)

func TestMayOperate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		who uidOf
		own int
		ok  bool
	}{
		{uidOf{1000, true}, 1000, true},
		{uidOf{0, true}, 1000, true},
		{uidOf{0, true}, 0, true},
		{uidOf{1001, true}, 1000, false},
		{uidOf{1000, true}, 0, false},
		{uidOf{65534, true}, 1000, false},
		{uidOf{}, 0, false},
		{uidOf{1000, false}, 1000, false},
		{uidOf{-1, true}, 1000, false},
	} {
		if got := mayOperate(tt.who, tt.own); got != tt.ok {
			t.Errorf("mayOperate(%+v, %d) = %v", tt.who, tt.own, got)
		}
	}
}

var everyRoute = []struct{ method, path string }{
	{"POST", "/call"}, {"POST", "/access"}, {"POST", "/verify"}, {"POST", "/reload"}, {"GET", "/status"}, {"GET", "/audit?after=0"},
	{"POST", "/token/make"}, {"POST", "/token/revoke"},
}

func TestOthersAreRefusedEverywhere(t *testing.T) {
	t.Parallel()
	for name, peer := range map[string]func(*net.UnixConn) (int, error){
		"another user": func(*net.UnixConn) (int, error) { return os.Geteuid() + 12345, nil },
		"unknown":      func(*net.UnixConn) (int, error) { return os.Geteuid(), errors.New("no credentials") },
	} {
		h := open(t)
		h.server.peer = peer
		h.serve()
		c := h.dial()
		for _, r := range everyRoute {
			body, err := c.send(t.Context(), r.method, r.path, []byte(`{"as":"alice","tool":"echo"}`))
			if err == nil {
				_ = body.Close()
				t.Errorf("%s: %s was answered", name, r.path)
			} else if !errors.Is(err, errForbidden) {
				t.Errorf("%s: %s: %v", name, r.path, err)
			}
		}
	}
}

// The socket speaks to nobody over TCP, whatever is handed to it.
func TestNeverTCP(t *testing.T) {
	t.Parallel()
	h := start(t)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- New(h.cfg).Serve(t.Context(), ln) }()
	for _, r := range everyRoute {
		req, _ := http.NewRequest(r.method, "http://"+ln.Addr().String()+r.path, strings.NewReader(`{"as":"alice","tool":"echo"}`))
		req.Header.Set("Authorization", "Bearer "+aliceToken)
		req.Close = true
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if res.StatusCode != http.StatusForbidden {
			t.Errorf("%s over TCP: %d %s", r.path, res.StatusCode, b)
		}
	}
	_ = ln.Close()
	await(t, served, "the end of Serve")
}

// The operator was granted every name and is a person, and still reaches nothing HIGH.
func TestLaw2OperatorReachesNothingHigh(t *testing.T) {
	t.Parallel()
	h := start(t)
	p := Principal(1000)
	if p.Client != "operator:1000" || p.User != "operator:1000" || !p.Roles.Has("human") || !p.Oversees.Has("anybody") || !p.Workflows.All() {
		t.Errorf("operator %+v", p)
	}
	for name, ok := range map[string]bool{"echo": true, "other.tool": true, "fail": true, "destroy": false, "nothing": false} {
		if d := h.tools.Decide(p, name); d.OK != ok {
			t.Errorf("%s: %+v", name, d)
		}
	}
	if _, err := h.tools.Call(t.Context(), &tools.Call{Principal: p, Name: "destroy"}); !errors.Is(err, tools.ErrUnknownTool) {
		t.Errorf("destroy: %v", err)
	}
}
