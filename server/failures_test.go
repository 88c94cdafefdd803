package server

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"prax/server/edge"
)

// door is a server without a socket, in a bubble whose clock says what waits.
func door(change func(*Config)) *Server {
	c := Config{
		Authenticators: []edge.Authenticator{registry{
			"good": {Client: "alice", User: "u1"}, "lapsed": {Client: "carol", User: "u3", Expires: time.Now()},
		}},
		MCP: echo, Enabled: func() bool { return true },
		Ready: func(context.Context) Readiness { return Readiness{} },
	}
	if change != nil {
		change(&c)
	}
	return New(c)
}

// knock sends a request from an address and gives the answer and how long it took.
func knock(s *Server, from string, header ...string) (*httptest.ResponseRecorder, time.Duration) {
	r := httptest.NewRequest("POST", "http://127.0.0.1/mcp", strings.NewReader("{}"))
	r.RemoteAddr = from
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Add(name, value)
	}
	w, began := httptest.NewRecorder(), time.Now()
	s.Handler().ServeHTTP(w, r)
	return w, time.Since(began)
}

const (
	bad  = "Authorization: Bearer bad"
	home = "192.0.2.1:1234"
)

// tire fails as often as one network may.
func tire(t *testing.T, s *Server, from string, header ...string) {
	t.Helper()
	for i := range failuresAtOnce {
		if w, took := knock(s, from, append(header, bad)...); w.Code != 401 || took != 0 {
			t.Fatalf("failure %d from %s: %d after %v", i+1, from, w.Code, took)
		}
	}
}

// Who fails too often waits for the very same answer, whatever was wrong with the token, and a good token from the same address
// waits for nothing.
func TestFailuresWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := door(nil)
		first, _ := knock(s, home, bad)
		for range failuresAtOnce - 1 {
			knock(s, home, bad)
		}
		first.Header().Del("X-Request-Id")
		var waiting sync.WaitGroup
		for _, header := range []string{bad, "Authorization: Bearer lapsed", "Authorization: Basic good", "X-None: 1"} {
			waiting.Go(func() {
				w, took := knock(s, home, header)
				if took != failureWait || w.Code != 401 || w.Body.String() != first.Body.String() || w.Header().Get("Retry-After") != "" {
					t.Errorf("%s: %d after %v: %s", header, w.Code, took, w.Body)
				}
				w.Header().Del("X-Request-Id")
				if fmt.Sprint(w.Header()) != fmt.Sprint(first.Header()) {
					t.Errorf("%s: %v, want %v", header, w.Header(), first.Header())
				}
			})
			synctest.Wait()
		}
		for range 1000 {
			if w, took := knock(s, home, good); w.Code != 200 || took != 0 {
				t.Fatalf("a good token beside them: %d after %v", w.Code, took)
			}
		}
		for _, path := range []string{"/healthz", "/readyz"} {
			r, w, began := httptest.NewRequest("GET", path, nil), httptest.NewRecorder(), time.Now()
			r.RemoteAddr = home
			if s.Handler().ServeHTTP(w, r); w.Code != 200 || time.Since(began) != 0 {
				t.Errorf("%s: %d", path, w.Code)
			}
		}
		if w, took := knock(s, "192.0.2.2:1", bad); w.Code != 401 || took != 0 {
			t.Errorf("the first failure of another address: %d after %v", w.Code, took)
		}
		waiting.Wait()
		time.Sleep(failuresAtOnce * failuresEvery)
		tire(t, s, home)
	})
}

// A flood that waits for its answers is as slow as they are: one that sends on sixteen connections as fast as it can has sixteen
// a second.
func TestFloodIsSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := door(nil)
		var sent atomic.Int64
		var all sync.WaitGroup
		end := time.Now().Add(30 * time.Second)
		for range 16 {
			all.Go(func() {
				for time.Now().Before(end) && sent.Load() < 100_000 {
					knock(s, home, bad)
					sent.Add(1)
				}
			})
		}
		all.Wait()
		if n := sent.Load(); n > failuresAtOnce+32*17 {
			t.Errorf("%d attempts in half a minute", n)
		}
	})
}

// Whose failure it is: a /64 is one caller, a port and a claimed X-Forwarded-For are nothing, what a trusted proxy says counts.
func TestFailuresByNetwork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		proxies, err := ParseProxies([]string{"10.0.0.1"})
		if err != nil {
			t.Fatal(err)
		}
		s := door(func(c *Config) { c.TrustedProxies = proxies })
		tire(t, s, "[2001:db8:0:1::1]:1")
		tire(t, s, "198.51.100.1:1")
		tire(t, s, "10.0.0.1:1", "X-Forwarded-For: 203.0.113.1")
		var waiting sync.WaitGroup
		defer waiting.Wait()
		for _, tt := range []struct {
			from, forwarded string
			waits           bool
		}{
			{"[2001:db8:0:1:ffff::2]:9", "", true},
			{"[2001:db8:0:2::1]:1", "", false},
			{"198.51.100.1:9999", "", true},
			{"198.51.100.1:1", "203.0.113.77", true},
			{"198.51.100.2:1", "203.0.113.1", false},
			{"10.0.0.1:1", "203.0.113.1", true},
			{"10.0.0.1:1", "203.0.113.99, 203.0.113.1", true},
			{"10.0.0.1:1", "203.0.113.2", false},
			{"203.0.113.1:5", "", true},
		} {
			header := []string{bad}
			if tt.forwarded != "" {
				header = append(header, "X-Forwarded-For: "+tt.forwarded)
			}
			waiting.Go(func() {
				if _, took := knock(s, tt.from, header...); (took > 0) != tt.waits {
					t.Errorf("%s %s: after %v", tt.from, tt.forwarded, took)
				}
			})
			synctest.Wait() // the clock stands still until the last of them waits
			if w, took := knock(s, tt.from, append(header[1:], good)...); w.Code != 200 || took != 0 {
				t.Errorf("%s %s with a good token: %d after %v", tt.from, tt.forwarded, w.Code, took)
			}
		}
	})
}

// As many wait as may. Those beyond are answered at once and lose their connection, and a good token still waits for nothing.
func TestFailuresBeyondWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := door(func(c *Config) { c.MaxConns = 40 })
		tire(t, s, home)
		var waiting sync.WaitGroup
		for range 10 {
			waiting.Go(func() {
				if w, took := knock(s, home, bad); took != failureWait || w.Header().Get("Connection") != "" {
					t.Errorf("after %v: %v", took, w.Header())
				}
			})
		}
		synctest.Wait()
		if w, took := knock(s, home, bad); took != 0 || w.Code != 401 || w.Header().Get("Connection") != "close" || w.Body.String() != string(unauthorized) {
			t.Errorf("the eleventh: %d after %v: %v", w.Code, took, w.Header())
		}
		second := httptest.NewRequest("POST", "/mcp", http.NoBody)
		second.ProtoMajor, second.RemoteAddr, second.Host = 2, home, "127.0.0.1"
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, second)
		if w.Code != 401 || w.Header().Get("Connection") != "close" { // which HTTP/2 makes a GOAWAY of
			t.Errorf("the twelfth, by HTTP/2: %d %v", w.Code, w.Header())
		}
		if w, took := knock(s, home, good); w.Code != 200 || took != 0 || w.Header().Get("Connection") != "" {
			t.Errorf("a good token: %d after %v", w.Code, took)
		}
		waiting.Wait()
		if n := s.failures.waiting.Load(); n != 0 {
			t.Errorf("%d wait still", n)
		}
	})
}

// Nobody waits for a server that stops, and the server not for those who hung up.
func TestFailureWaitEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := door(nil)
		tire(t, s, home)
		ended := make(chan time.Duration)
		ctx, hangUp := context.WithCancel(t.Context())
		go func() {
			r := httptest.NewRequestWithContext(ctx, "POST", "http://127.0.0.1/mcp", http.NoBody)
			r.RemoteAddr = home
			began := time.Now()
			s.Handler().ServeHTTP(httptest.NewRecorder(), r)
			ended <- time.Since(began)
		}()
		synctest.Wait()
		hangUp()
		if took := <-ended; took != 0 {
			t.Errorf("who hung up is waited for %v", took)
		}
		go func() {
			_, took := knock(s, home, bad)
			ended <- took
		}()
		synctest.Wait()
		s.failures.end()
		if took := <-ended; took != 0 {
			t.Errorf("the end waits for %v", took)
		}
	})
	g := start(t, nil)
	if _ = g.finish(); g.failures.stop.Err() == nil {
		t.Error("a server that stops lets its callers wait")
	}
}

// A flood from any number of addresses takes no memory, and is told by a bounded number of events and lines.
func TestFloodFromEverywhere(t *testing.T) {
	s := New(Config{})
	i := 0
	allocated := testing.AllocsPerRun(100_000, func() {
		s.failures.often(addresses[i%len(addresses)], time.Now())
		i++
	})
	if allocated != 0 {
		t.Errorf("a failure allocates %v times", allocated)
	}
	var told int
	var lines buffer
	s = New(Config{Authenticators: []edge.Authenticator{registry{}}, MCP: echo, Enabled: func() bool { return true },
		Access: &lines, Denied: func(Denial) { told++ }})
	for i := range 20_000 {
		if w, _ := knock(s, fmt.Sprintf("198.18.%d.%d:1", i/250, i%250), bad); w.Code != 401 {
			t.Fatalf("%d", w.Code)
		}
	}
	s.flush(true)
	if n := strings.Count(lines.String(), "\n"); n > 3*(refusalsAMinute+1) || told > 3*(denialsAMinute+1) {
		t.Errorf("%d lines and %d events for 20,000 attempts", n, told)
	}
}

var addresses = func() (all []string) {
	for i := range 1000 {
		all = append(all, fmt.Sprintf("198.51.100.%d", i%256), fmt.Sprintf("2001:db8:%x::1", i))
	}
	return all
}()

// The table is keyed by a secret of the process: nobody can choose whose cell to fill, and two networks of a crowd that meet are
// few.
func TestCellsAreSpread(t *testing.T) {
	t.Parallel()
	a, b := newFailures(4096), newFailures(4096)
	same, cells := 0, map[uint64]bool{}
	for i := range 1000 {
		at := fmt.Sprintf("10.0.%d.%d", i/256, i%256)
		if a.cellOf(at) == b.cellOf(at) {
			same++
		}
		cells[a.cellOf(at)] = true
	}
	if same > 50 || len(cells) < 800 {
		t.Errorf("%d of 1,000 networks have the same cell in two processes; they are in %d cells", same, len(cells))
	}
	if a.cellOf("::ffff:10.0.0.1") != a.cellOf("10.0.0.1") || a.cellOf("fe80::1%eth0") != a.cellOf("fe80::2") {
		t.Error("one network has two cells")
	}
}
