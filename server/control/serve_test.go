package control

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"prax/store"
	"prax/tools"
)

func details(from, to int) (want []string) {
	for i := from; i < to; i++ {
		want = append(want, fmt.Sprintf(`{"n":%d}`, i))
	}
	return want
}

func TestEvents(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *house, a acts) {
		const n = auditStep + 20 // more than one step
		h.note(0, n)
		for after, want := range map[int64][]string{0: details(0, n), n - 3: details(n-3, n), 10_000: nil, -10_000: details(0, n)} {
			got := collect()
			if err := a.Events(t.Context(), after, false, got.add); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, got.own()); d != "" {
				t.Errorf("after %d:\n%s", after, d)
			}
			for i, e := range got.events {
				if e.Hash == "" || i > 0 && (e.Seq != got.events[i-1].Seq+1 || e.Prev != got.events[i-1].Hash) {
					t.Fatalf("after %d: event %d does not follow", after, e.Seq)
				}
			}
		}
		got := collect()
		if err := a.Events(t.Context(), -2, false, got.add); err != nil || len(got.events) < 2 || len(got.events) > 8 {
			t.Errorf("the last two: %d events, %v", len(got.events), err)
		}
	})
}

func TestEventsOfAnEmptyChain(t *testing.T) {
	t.Parallel()
	h := start(t)
	got := collect()
	if err := NewOperator(h.cfg, 0).Events(t.Context(), -10, false, got.add); err != nil || got.own() != nil {
		t.Errorf("%+v, %v", got.own(), err)
	}
}

func TestEventsAreFollowed(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *house, a acts) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		got, ended := collect(), make(chan error, 1)
		go func() { ended <- a.Events(ctx, 0, true, got.add) }()
		for i := range 3 {
			h.note(i, i+1)
			for len(got.own()) <= i {
				await(t, got.grew, "an event")
			}
		}
		if d := cmp.Diff(details(0, 3), got.own()); d != "" {
			t.Error(d)
		}
		cancel()
		if err := await(t, ended, "the end of the stream"); err != nil {
			t.Errorf("ended with %v", err)
		}
	})
}

func TestEventsEndWithTheirReader(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *house, a acts) {
		h.note(0, 1)
		enough := errors.New("enough")
		if err := a.Events(t.Context(), 0, true, func([]store.Event) error { return enough }); !errors.Is(err, enough) {
			t.Errorf("%v", err)
		}
	})
}

func TestDrainEndsStreamsAndFinishesCalls(t *testing.T) {
	t.Parallel()
	h := start(t)
	c, ended := h.dial(), make(chan error, 1)
	got := collect()
	h.note(0, 1)
	go func() { ended <- c.Events(t.Context(), 0, true, got.add) }()
	await(t, got.grew, "the stream")
	type answer struct {
		res *tools.Result
		err error
	}
	answers := make(chan answer, 1)
	go func() {
		res, err := c.Call(t.Context(), "alice", "wait", jsontext.Value(hi))
		answers <- answer{res, err}
	}()
	await(t, h.waiting, "the call")
	h.stop()
	if err := await(t, ended, "the stream's end"); err != nil {
		t.Errorf("the stream ended with %v", err)
	}
	close(h.release)
	if err := await(t, h.left, "the tool's end"); err != nil {
		t.Errorf("the call was cut off: %v", err)
	}
	if a := await(t, answers, "the answer"); a.err != nil || a.res.Content[0].Text != "went on" {
		t.Errorf("the running call got %+v", a)
	}
	if err := h.finish(); err != nil {
		t.Errorf("Serve: %v", err)
	}
	if _, err := Dial(h.path); !errors.Is(err, ErrNoServer) {
		t.Errorf("after the end: %v", err)
	}
}

func TestHangUpCancelsTheCall(t *testing.T) {
	t.Parallel()
	h := start(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := h.dial().Call(ctx, "alice", "wait", jsontext.Value(hi))
		done <- err
	}()
	await(t, h.waiting, "the call")
	cancel()
	if err := await(t, h.left, "the tool's end"); !errors.Is(err, context.Canceled) {
		t.Errorf("the tool's context: %v", err)
	}
	if err := await(t, done, "the call's end"); err == nil {
		t.Error("a cancelled call was answered")
	}
}

func TestBadRequests(t *testing.T) {
	t.Parallel()
	h := start(t)
	c := h.dial()
	for name, tt := range map[string]struct{ method, path, body, want string }{
		"not JSON":        {"POST", "/call", `{`, "bad request"},
		"empty":           {"POST", "/call", ``, "bad request"},
		"unknown member":  {"POST", "/call", `{"as":"alice","tool":"echo","token":"x"}`, "bad request"},
		"wrong case":      {"POST", "/call", `{"As":"alice","tool":"echo"}`, "bad request"},
		"twice":           {"POST", "/call", `{"as":"bob","as":"alice","tool":"echo"}`, "bad request"},
		"wrong type":      {"POST", "/access", `{"as":5}`, "bad request"},
		"trailing":        {"POST", "/access", `{"as":"alice"} {}`, "bad request"},
		"too large":       {"POST", "/call", `{"as":"` + strings.Repeat("x", maxBody) + `"}`, "too large"},
		"after is a word": {"GET", "/audit?after=x", ``, "after is no number"},
		"no after":        {"GET", "/audit", ``, "after is no number"},
		"wrong method":    {"GET", "/call", ``, "405"},
		"unknown path":    {"POST", "/shutdown", ``, "404"},
	} {
		body, err := c.send(t.Context(), tt.method, tt.path, []byte(tt.body))
		if err == nil {
			b, _ := io.ReadAll(body)
			_ = body.Close()
			t.Errorf("%s: answered with %s", name, b)
		} else if !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
	if _, err := c.Call(t.Context(), "alice", "echo", jsontext.Value(`{"text":`)); !errors.Is(err, tools.ErrArguments) {
		t.Errorf("half an argument: %v", err)
	}
	if _, err := c.Call(t.Context(), "alice", "echo", jsontext.Value(hi)); err != nil {
		t.Errorf("the next request: %v", err)
	}
}

type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// Law 10: no token and no hash of one leaves by this door.
func TestLaw10NothingSecretLeaves(t *testing.T) {
	t.Parallel()
	h := open(t)
	log := &logged{}
	h.cfg.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	h.server = New(h.cfg)
	h.serve()
	c := h.dial()
	var out bytes.Buffer
	show := func(v any, err error) {
		b, _ := json.Marshal(v)
		fmt.Fprintf(&out, "%s %+v %v\n", b, v, err)
	}
	for _, as := range []string{"alice", "bob", "carol", "dave"} {
		res, err := c.Call(t.Context(), as, "echo", jsontext.Value(hi))
		show(res, err)
		a, err := c.Access(t.Context(), as, "echo")
		show(a, err)
	}
	r, err := c.Reload(t.Context())
	show(r, err)
	s, err := c.Status(t.Context())
	show(s, err)
	h.events(8, func(e store.Event) bool { return e.Kind == EventOperator })
	_ = c.Events(t.Context(), 0, false, func(events []store.Event) error { show(events, nil); return nil })
	log.mu.Lock()
	defer log.mu.Unlock()
	out.Write(log.b.Bytes())
	for _, secret := range []string{"canary", "prx_", "token_sha256"} {
		if strings.Contains(out.String(), secret) {
			t.Errorf("%q is in what an operator sees: %s", secret, out.String())
		}
	}
	if out.Len() < 2000 {
		t.Errorf("only %d bytes were looked at", out.Len())
	}
}
