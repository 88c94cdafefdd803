package control

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"prax/store"
)

// unreadable is an audit that cannot be read, perhaps not before its reader has gone.
type unreadable struct {
	Audit
	waits bool
}

var errDisk = errors.New("disk on fire")

func (unreadable) Record(store.Event) {}

func (u unreadable) View(ctx context.Context, _ func(store.Tx) error) error {
	if u.waits {
		<-ctx.Done()
		return ctx.Err()
	}
	return errDisk
}

// deaf is a reader that has gone.
type deaf struct{ http.ResponseWriter }

func (deaf) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func (d deaf) Unwrap() http.ResponseWriter { return d.ResponseWriter }

// A reader that leaves is no error in the log, however it is noticed. An audit that cannot be read is.
func TestAuditOfAReaderThatLeaves(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		broken, gone, stopped, deaf bool
		logged                      bool
	}{
		"hung up":          {broken: true, gone: true},
		"the server stops": {broken: true, stopped: true},
		"cannot be sent":   {deaf: true},
		"cannot be read":   {broken: true, logged: true},
		"read whole":       {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t)
			h.note(0, 3)
			t.Cleanup(func() { _ = h.db.Close() })
			log := &logged{}
			cfg := h.cfg
			cfg.Log = slog.New(slog.NewTextHandler(log, nil))
			if tt.broken {
				cfg.Audit = unreadable{waits: tt.gone || tt.stopped}
			}
			s := New(cfg)
			stop, end := context.WithCancel(t.Context())
			ctx, hangUp := context.WithCancel(context.WithValue(t.Context(), uidKey{}, uidOf{os.Geteuid(), true}))
			defer end()
			defer hangUp()
			if tt.gone {
				hangUp()
			}
			if tt.stopped {
				end()
			}
			var w http.ResponseWriter = httptest.NewRecorder()
			if tt.deaf {
				w = deaf{w}
			}
			aborted := serves(s.routes(stop), w, httptest.NewRequest("GET", "/audit?after=0", nil).WithContext(ctx))
			if want := name != "read whole"; aborted != want {
				t.Errorf("aborted %v, want %v", aborted, want)
			}
			log.mu.Lock()
			defer log.mu.Unlock()
			if got := bytes.Contains(log.b.Bytes(), []byte("ERROR")); got != tt.logged {
				t.Errorf("logged: %s", log.b.String())
			}
		})
	}
}

// serves tells whether the handler broke the connection off.
func serves(h http.Handler, w http.ResponseWriter, r *http.Request) (aborted bool) {
	defer func() { aborted = recover() == http.ErrAbortHandler }()
	h.ServeHTTP(w, r)
	return false
}

// A request whose body has not come in does not hold the drain up, and is no failure of it; what came
// before is answered.
func TestDrainCutsHalfBodies(t *testing.T) {
	t.Parallel()
	h := start(t)
	half, err := net.Dial("unix", h.path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = half.Close() }()
	_ = half.SetDeadline(time.Now().Add(patience))
	if _, err := fmt.Fprint(half, "POST /call HTTP/1.1\r\nHost: prax\r\nContent-Length: 100\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	// Before its header is read, net/http would drop it without an answer.
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); h.server.running.Load() == 0; <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("waited %v for the half body's request", patience)
		}
	}
	if _, err := h.dial().Call(t.Context(), "alice", "echo", jsontext.Value(hi)); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	if err := h.finish(); err != nil {
		t.Errorf("Serve: %v", err)
	}
	if took := time.Since(begun); took > grace-2*time.Second {
		t.Errorf("the drain took %v", took)
	}
	answer, err := io.ReadAll(half)
	if err != nil || !strings.Contains(string(answer), "the server is stopping") {
		t.Errorf("%q, %v", answer, err)
	}
}

// piped is a listener with connections in memory, so that a bubble's clock governs them.
type piped struct {
	incoming chan net.Conn
	closed   chan struct{}
}

func (p piped) Accept() (net.Conn, error) {
	select {
	case c := <-p.incoming:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p piped) Close() error {
	close(p.closed)
	return nil
}

func (piped) Addr() net.Addr { return &net.UnixAddr{Name: "piped", Net: "unix"} }

// A connection that says nothing holds the drain up for no more than a moment.
func TestDrainDoesNotWaitForSilence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		p := piped{make(chan net.Conn), make(chan struct{})}
		served := make(chan error, 1)
		go func() { served <- New(Config{}).Serve(ctx, p) }()
		silent, there := net.Pipe()
		defer func() { _ = silent.Close() }()
		p.incoming <- there
		synctest.Wait()
		begun := time.Now()
		stop()
		if err := <-served; err != nil || time.Since(begun) > time.Second {
			t.Errorf("Serve: %v after %v, want a second at most", err, time.Since(begun))
		}
		if _, err := silent.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Errorf("the silent connection: %v, want its end", err)
		}
	})
}

// The whole drain fits into what a container is given to stop.
func TestGraceFitsAContainer(t *testing.T) {
	t.Parallel()
	if grace >= 10*time.Second-time.Second {
		t.Errorf("%v", grace)
	}
}

// A token where a tool or a client belongs is in no act's event.
func TestLaw10ATokenAsAName(t *testing.T) {
	t.Parallel()
	h := start(t)
	c := h.dial()
	_, _ = c.Access(t.Context(), "prx_canary-1", "prx_canary-2")
	_, _ = c.Call(t.Context(), "prx_canary-1", "prx_canary-2", nil)
	_, _ = c.Call(t.Context(), "alice", "prx_canary-2", nil)
	_, _ = c.Access(t.Context(), "eyJjYW5hcnkiOjF9.canary.x", "eyJjYW5hcnkiOjF9.canary.x")
	_, _ = c.Call(t.Context(), "alice", "eyJjYW5hcnkiOjF9.canary.x", nil)
	for _, e := range h.events(7, func(e store.Event) bool { return e.Kind == EventOperator || e.Kind == store.EventCall }) {
		if strings.Contains(fmt.Sprint(e), "canary") {
			t.Errorf("%+v", e)
		}
	}
}
