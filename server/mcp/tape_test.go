package mcp_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"prax/auth"
)

// tape is a ResponseWriter that a test reads while it is written to. Its deadline works as that of a
// connection: while it is stuck, a write waits for it and fails.
type tape struct {
	mu       sync.Mutex
	header   http.Header
	status   int
	text     strings.Builder
	stuck    bool
	deadline time.Time
	flushed  int
}

func newTape() *tape { return &tape{header: http.Header{}} }

func (w *tape) Header() http.Header { return w.header }

func (w *tape) WriteHeader(status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.status = status
}

func (w *tape) SetWriteDeadline(at time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deadline = at
	return nil
}

func (w *tape) FlushError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.flushed = w.text.Len()
	return nil
}

func (w *tape) Write(p []byte) (int, error) {
	w.mu.Lock()
	stuck, deadline := w.stuck, w.deadline
	w.mu.Unlock()
	if stuck {
		time.Sleep(time.Until(deadline)) // within a synctest bubble: the connection's own wait
		return 0, errors.New("i/o timeout")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.text.Write(p)
}

func (w *tape) jam() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stuck = true
}

// read gives what has come since the last read, and fails the test when some of it was not flushed.
func (w *tape) read(t *testing.T) string {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	text := w.text.String()
	if w.header.Get("Content-Type") == "text/event-stream" && w.flushed != len(text) {
		t.Errorf("%d of %d bytes flushed", w.flushed, len(text))
	}
	w.text.Reset()
	w.flushed = 0
	return text
}

// visit is one exchange under way.
type visit struct {
	*tape
	hangUp context.CancelFunc
	done   chan struct{}
}

// begin serves a request in a goroutine of its own.
func (h *house) begin(t *testing.T, r *http.Request) *visit {
	ctx, cancel := context.WithCancel(t.Context())
	v := &visit{tape: newTape(), hangUp: cancel, done: make(chan struct{})}
	go func() {
		defer close(v.done)
		h.ServeHTTP(v.tape, r.WithContext(ctx))
	}()
	return v
}

// ended tells whether the exchange is over.
func (v *visit) ended() bool {
	select {
	case <-v.done:
		return true
	default:
		return false
	}
}

// listen opens a subscription as a client.
func (h *house) listen(t *testing.T, as, notifications string) *visit {
	return h.begin(t, newPost(as, `{"jsonrpc":"2.0","id":"s1","method":"subscriptions/listen","params":{"notifications":`+notifications+`,`+modernMeta+`}}`,
		modern("subscriptions/listen")...))
}

func until(p auth.Principal, at time.Time) auth.Principal {
	p.Expires = at
	return p
}
