package mcp_test

import (
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"prax/auth"
	"prax/server/edge"
)

// A caller that is revoked or lapses while its body is under way reaches nothing by the rest of it, and
// is told nothing here: it is answered as an unknown one.
func TestLaw3ABodyThatTakesItsTime(t *testing.T) {
	t.Parallel()
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"note_write"}}`
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for name, out := range map[string]func(h *house){
		"revoked": func(h *house) { h.clients.set(client("clerk", auth.Names("clock"))) },
		"expired": func(*house) { time.Sleep(2 * time.Minute) },
	} {
		for _, body := range []string{call, list, `[` + list + `]`, `[` + call, ``, `{"jsonrpc":"2.0","method":"notifications/initialized"}`} {
			t.Run(name+" "+body, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					h := newHouse(t, nil)
					h.clients.set(until(client("alice", everyTool), time.Now().Add(time.Minute)))
					r := newPost("alice", "")
					slow, late := io.Pipe()
					r.Body, r.ContentLength = slow, -1
					v := h.begin(t, r)
					synctest.Wait()
					out(h)
					_, _ = io.WriteString(late, body)
					_ = late.Close()
					<-v.done
					if got := v.read(t); v.status != 401 || got != "unauthorized\n" || len(h.journal.events) != 0 {
						t.Errorf("%d %q, and %d events", v.status, got, len(h.journal.events))
					}
				})
			})
		}
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	padded := func(n int) string { return ping + strings.Repeat(" ", n-len(ping)) }
	const tooLarge = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the body has more than 65536 bytes"}}`
	for _, c := range []struct {
		name   string
		body   io.Reader
		length int64 // announced; -1: chunked
		status int
		want   string
	}{
		{"as large as may be", strings.NewReader(padded(maxBody)), maxBody, 200, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"one byte more", strings.NewReader(padded(maxBody + 1)), maxBody + 1, 413, tooLarge},
		{"much more, chunked", strings.NewReader(padded(10 * maxBody)), -1, 413, tooLarge},
		{"chunked", strings.NewReader(padded(30_000)), -1, 200, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"byte by byte", iotest.OneByteReader(strings.NewReader(ping)), -1, 200, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"data with the end", iotest.DataErrReader(strings.NewReader(ping)), int64(len(ping)), 200, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"announced too long", strings.NewReader(ping), 1 << 40, 200, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"cut off", io.MultiReader(strings.NewReader(`{"jsonrpc"`), iotest.ErrReader(io.ErrUnexpectedEOF)), 40, 408,
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the body did not arrive whole"}}`},
		{"cut by the drain", io.MultiReader(strings.NewReader(`{"jsonrpc"`), iotest.ErrReader(edge.ErrStopping)), 40, 503,
			`{"jsonrpc":"2.0","id":null,"error":{"code":503,"message":"the server is stopping: send it again"}}`},
		{"empty", strings.NewReader(""), 0, 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the body is empty"}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newPost("alice", "")
			r.Body, r.ContentLength = io.NopCloser(c.body), c.length
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != c.status || w.Body.String() != c.want+"\n" {
				t.Errorf("%d %s, want %d %s", w.Code, w.Body, c.status, c.want)
			}
		})
	}
}
