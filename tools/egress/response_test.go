package egress_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"prax/tools/egress"
)

func zipped(t *testing.T, parts ...[]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	for _, p := range parts {
		z := gzip.NewWriter(&out)
		z.Write(p)
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// TestBodies says what is kept of each kind of body.
func TestBodies(t *testing.T) {
	t.Parallel()
	const limit = egress.MaxBody
	zeros := func(n int) []byte { return make([]byte, n) }
	for name, c := range map[string]struct {
		encoding string
		sent     []byte
		want     int
		cut      bool
	}{
		"none":               {"", nil, 0, false},
		"plain":              {"", []byte("hello"), 5, false},
		"as much as is kept": {"", zeros(limit), limit, false},
		"a byte more":        {"", zeros(limit + 1), limit, true},
		"far more":           {"", zeros(limit + 1<<20), limit, true},
		"gzip":               {"gzip", zipped(t, []byte("hello")), 5, false},
		"GZip":               {" X-GZip", zipped(t, []byte("hello")), 5, false},
		"two parts":          {"gzip", zipped(t, []byte("hel"), []byte("lo")), 5, false},
		"gzip of nothing":    {"gzip", zipped(t, nil), 0, false},
		"empty, said gzip":   {"gzip", nil, 0, false},
		"gzip, just enough":  {"gzip", zipped(t, zeros(limit)), limit, false},
		"gzip, a byte more":  {"gzip", zipped(t, zeros(limit+1)), limit, true},
		"a bomb":             {"gzip", bytes.Repeat(zipped(t, zeros(1<<20)), 64), limit, true},
		"unknown encoding":   {"br", []byte("hello"), 5, false},
		"twice":              {"gzip, gzip", []byte("hello"), 5, false},
	} {
		s := served(t, func(w http.ResponseWriter, r *http.Request) {
			if c.encoding != "" {
				w.Header()["Content-Encoding"] = []string{c.encoding}
			}
			if r.Header.Get("Accept-Encoding") != "gzip" {
				w.WriteHeader(http.StatusNotAcceptable)
			}
			w.Write(c.sent)
		})
		resp, err := get(t, client(t, egress.Config{}, s.URL), s.URL)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if resp.Status != 200 || len(resp.Body) != c.want || resp.Cut != c.cut || cap(resp.Body) > 2*limit {
			t.Errorf("%s: got %d, %d bytes (of %d), cut %v; want %d, %v", name, resp.Status, len(resp.Body), cap(resp.Body), resp.Cut, c.want, c.cut)
		}
		if got := resp.Header.Get("Content-Encoding"); strings.Contains(strings.ToLower(c.encoding), "gzip") && c.encoding != "gzip, gzip" && len(c.sent) > 0 && got != "" {
			t.Errorf("%s: it still says %q", name, got)
		}
	}
}

// TestEndlessBodies stop the server, whose writes fail once enough was read: plain bytes, a bomb, and parts of gzip that
// hold nothing.
func TestEndlessBodies(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		encoding string
		chunk    []byte
		cut      int
	}{
		"plain":       {"", make([]byte, 64<<10), egress.MaxBody},
		"bomb":        {"gzip", zipped(t, make([]byte, 1<<20)), egress.MaxBody},
		"empty parts": {"gzip", bytes.Repeat(zipped(t, nil), 1000), 0},
	} {
		var wrote atomic.Int64
		stopped := make(chan struct{})
		s := served(t, func(w http.ResponseWriter, _ *http.Request) {
			defer close(stopped)
			w.Header().Set("Content-Encoding", c.encoding)
			for {
				n, err := w.Write(c.chunk)
				wrote.Add(int64(n))
				if err != nil {
					return
				}
			}
		})
		resp, err := get(t, client(t, egress.Config{}, s.URL), s.URL)
		<-stopped
		if err != nil || !resp.Cut || len(resp.Body) != c.cut {
			t.Errorf("%s: it was not cut, %v", name, err)
		}
		if n := wrote.Load(); n > 128<<20 {
			t.Errorf("%s: %d bytes were sent", name, n)
		}
	}
}

// TestBombCostsNoMemory is alone while it runs: what is allocated is counted for the whole process.
func TestBombCostsNoMemory(t *testing.T) {
	bomb := bytes.Repeat(zipped(t, make([]byte, 1<<20)), 256)
	s := served(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(bomb)
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	resp, err := get(t, client(t, egress.Config{}, s.URL), s.URL)
	runtime.ReadMemStats(&after)
	if err != nil || !resp.Cut {
		t.Fatalf("it was not cut, %v", err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 64<<20 {
		t.Errorf("%d bytes were allocated", n)
	}
}

// TestHeaderFloods: more of a header than is taken is no answer.
func TestHeaderFloods(t *testing.T) {
	t.Parallel()
	forever := func(begin, line string) func(net.Conn) {
		return func(conn net.Conn) {
			if !readHeader(conn) {
				return
			}
			io.WriteString(conn, begin)
			for {
				if _, err := io.WriteString(conn, line); err != nil {
					return
				}
			}
		}
	}
	for name, serve := range map[string]func(net.Conn){
		"one line":       forever("HTTP/1.1 200 OK\r\nX-A: ", strings.Repeat("a", 1000)),
		"many lines":     forever("HTTP/1.1 200 OK\r\n", "X-A: b\r\n"),
		"status line":    forever("HTTP/1.1 200 ", "OK"),
		"interim":        forever("", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
		"continue":       forever("", "HTTP/1.1 100 Continue\r\n\r\n"),
		"chunk size":     forever("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "0"),
		"chunk comments": forever("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", "a"),
		"trailers":       forever("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "X-A: b\r\n"),
		"a little over":  canned("HTTP/1.1 200 OK\r\nX-A: " + strings.Repeat("a", egress.MaxHeader) + "\r\nContent-Length: 0\r\n\r\n"),
	} {
		target := "http://127.0.0.1:" + listen(t, "127.0.0.1:0", serve).port()
		_, err := get(t, client(t, egress.Config{}, target), target)
		t.Log(name, err)
		wantDoubtful(t, err)
	}
	target := "http://127.0.0.1:" + listen(t, "127.0.0.1:0", canned("HTTP/1.1 200 OK\r\nX-A: "+strings.Repeat("a", egress.MaxHeader-8<<10)+"\r\nContent-Length: 0\r\n\r\n")).port()
	if _, err := get(t, client(t, egress.Config{}, target), target); err != nil {
		t.Errorf("a header below the limit: %v", err)
	}
}

// TestTinyChunks: a body of single bytes costs no more than its bytes.
func TestTinyChunks(t *testing.T) {
	t.Parallel()
	var sent strings.Builder
	sent.WriteString("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
	for range 1000 {
		sent.WriteString("1\r\nx\r\n")
	}
	sent.WriteString("0\r\n\r\n")
	target := "http://127.0.0.1:" + listen(t, "127.0.0.1:0", canned(sent.String())).port()
	resp, err := get(t, client(t, egress.Config{}, target), target)
	if err != nil || len(resp.Body) != 1000 {
		t.Errorf("got %v, %v", resp, err)
	}
}

// TestBodiless answers have none, whatever their headers say; what follows an upgrade is not read.
func TestBodiless(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		method, status string
		want           int
	}{
		{http.MethodHead, "200 OK", 200}, {http.MethodGet, "204 No Content", 204}, {http.MethodGet, "304 Not Modified", 304}, {http.MethodGet, "101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade", 101},
	} {
		target := "http://127.0.0.1:" + listen(t, "127.0.0.1:0", func(conn net.Conn) {
			if readHeader(conn) {
				fmt.Fprintf(conn, "HTTP/1.1 %s\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\n", c.status)
				io.Copy(io.Discard, conn)
			}
		}).port()
		resp, err := do(t, client(t, egress.Config{}, target), c.method, target, "")
		if err != nil || resp.Status != c.want || len(resp.Body) != 0 || resp.Cut {
			t.Errorf("%+v: got %+v, %v", c, resp, err)
		}
	}
}
