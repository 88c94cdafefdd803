package server

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"prax/server/edge"
)

// The parts of HTTP/2 that these tests speak themselves (RFC 9113 6).
const (
	frameData         = 0x0
	frameHeaders      = 0x1
	frameReset        = 0x3
	frameSettings     = 0x4
	framePing         = 0x6
	frameGoAway       = 0x7
	frameContinuation = 0x9

	flagEndStream  = 0x1
	flagEndHeaders = 0x4

	settingMaxStreams    = 0x3
	settingInitialWindow = 0x4
)

// frames is a connection of HTTP/2 that is spoken to frame by frame.
type frames struct {
	*tls.Conn
	t    *testing.T
	next uint32 // stream
}

func (s *secured) frames(settings ...byte) *frames {
	s.t.Helper()
	c := &frames{Conn: s.shake("h2"), t: s.t, next: 1}
	if got := c.ConnectionState().NegotiatedProtocol; got != "h2" {
		s.t.Fatalf("the server speaks %q", got)
	}
	if _, err := io.WriteString(c, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"); err != nil {
		s.t.Fatal(err)
	}
	_ = c.send(frameSettings, 0, 0, settings)
	return c
}

func frame(kind, flags byte, stream uint32, payload []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(payload))<<8|uint32(kind))
	b = binary.BigEndian.AppendUint32(append(b, flags), stream)
	return append(b, payload...)
}

func (c *frames) send(kind, flags byte, stream uint32, payload []byte) error {
	_, err := c.Write(frame(kind, flags, stream, payload))
	return err
}

// receive is the next frame that the server sends.
func (c *frames) receive() (kind byte, stream uint32, payload []byte, err error) {
	head := make([]byte, 9)
	if _, err := io.ReadFull(c, head); err != nil {
		return 0, 0, nil, err
	}
	payload = make([]byte, binary.BigEndian.Uint32(head)>>8)
	_, err = io.ReadFull(c, payload)
	return head[3], binary.BigEndian.Uint32(head[5:]), payload, err
}

// post are the headers of a call, as literals that no table remembers (RFC 7541 6.2.2).
func (s *secured) post(more ...string) []byte {
	return literals(append([]string{":method", "POST", ":scheme", "https", ":path", "/mcp", ":authority", s.addr}, more...)...)
}

func literals(fields ...string) (b []byte) {
	for i := 0; i < len(fields); i += 2 {
		b = append(b, 0)
		for _, text := range fields[i : i+2] {
			b = append(append(b, byte(len(text))), text...) // below 127 bytes
		}
	}
	return b
}

func (c *frames) begin(headers []byte, flags byte) (stream uint32, err error) {
	stream = c.next
	c.next += 2
	return stream, c.send(frameHeaders, flags, stream, headers)
}

// drained reads what the server sends until it closes the connection, so that it is never held up by us.
func (c *frames) drained() <-chan []byte {
	ended := make(chan []byte, 1)
	go func() {
		var last []byte
		for {
			kind, _, payload, err := c.receive()
			if err != nil {
				ended <- last
				return
			}
			if kind == frameGoAway {
				last = payload
			}
		}
	}()
	return ended
}

func (s *secured) do(c *http.Client, method, path string, body io.Reader, header ...string) (*http.Response, string) {
	s.t.Helper()
	r, err := http.NewRequest(method, "https://"+s.addr+path, body)
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	res, err := c.Do(r)
	if err != nil {
		s.t.Errorf("%s %s: %v", method, path, err)
		return &http.Response{}, ""
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Errorf("%s %s: %v", method, path, err)
	}
	return res, string(text)
}

// endless is a body whose length is not announced.
type endless struct{ io.Reader }

// HTTP/2 answers what HTTP/1.1 answers, and a refusal costs nobody the connection, whatever of a body is under way.
func TestHTTP2AnswersAlike(t *testing.T) {
	t.Parallel()
	s := startTLS(t, func(c *Config) { c.MaxBody = 1000 })
	type one struct {
		name, method, path, token string
		body                      func() io.Reader
		status                    int
	}
	text := func(n int) func() io.Reader {
		return func() io.Reader { return strings.NewReader(strings.Repeat("x", n)) }
	}
	all := []one{
		{"call", "POST", "/mcp", "Bearer good", text(1000), 200},
		{"too large", "POST", "/mcp", "Bearer good", text(1001), 413},
		{"far too large", "POST", "/mcp", "Bearer good", text(3 << 20), 413},
		{"too large, unannounced", "POST", "/mcp", "Bearer good", func() io.Reader { return endless{text(1 << 20)()} }, 413},
		{"no token", "POST", "/mcp", "", text(2), 401},
		{"no token, a large body", "POST", "/mcp", "", text(3 << 20), 401},
		{"no token, an unannounced body", "POST", "/mcp", "", func() io.Reader { return endless{text(3 << 20)()} }, 401},
		{"nothing there", "POST", "/nothing", "Bearer good", text(100_000), 404},
		{"nothing well-known", "GET", "/.well-known/oauth-authorization-server", "", nil, 404},
		{"health", "GET", "/healthz", "", nil, 200},
		{"another method", "GET", "/mcp", "Bearer good", nil, 405},
	}
	old, modern := s.client(false), s.client(true)
	var first string
	for _, tt := range append(all, all...) { // twice: what one leaves behind would harm the next
		var answers [2]string
		for i, c := range []*http.Client{old, modern} {
			var body io.Reader
			if tt.body != nil {
				body = tt.body()
			}
			r, err := http.NewRequest(tt.method, "https://"+s.addr+tt.path, body)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", tt.token)
			r = r.WithContext(httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(g httptrace.GotConnInfo) {
				if at := g.Conn.LocalAddr().String(); i == 1 && first == "" {
					first = at
				} else if i == 1 && at != first {
					t.Errorf("%s: the connection was given up", tt.name)
					first = at
				}
			}}))
			res, err := c.Do(r)
			if err != nil {
				if i == 1 { // HTTP/1.1 may break while a large body is sent
					t.Errorf("%s: %v", tt.name, err)
				}
				continue
			}
			text, err := io.ReadAll(res.Body)
			_ = res.Body.Close()
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			if res.ProtoMajor != i+1 || res.StatusCode != tt.status {
				t.Errorf("%s: %s %d, want %d", tt.name, res.Proto, res.StatusCode, tt.status)
			}
			answers[i] = string(text) + res.Header.Get("Www-Authenticate") + res.Header.Get("Allow") + res.Header.Get("Content-Type")
		}
		if answers[0] != "" && answers[0] != answers[1] {
			t.Errorf("%s: HTTP/1.1 has %q, HTTP/2 %q", tt.name, answers[0], answers[1])
		}
	}
	r, err := http.NewRequest("POST", "https://"+s.addr+"/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+strings.Repeat("x", DefaultMaxHeaderBytes+1<<10))
	if _, err := modern.Do(r); err == nil || !strings.Contains(err.Error(), "advertised limit") {
		t.Errorf("the server does not say how large headers may be: %v", err)
	}
}

// A call is not ended by the time that its answer would have.
func TestHTTP2CallOutlivesTheLimits(t *testing.T) {
	t.Parallel()
	s := startTLS(t, func(c *Config) {
		c.WriteTimeout, c.BodyTimeout, c.HeaderTimeout = 200*time.Millisecond, 200*time.Millisecond, time.Second
		c.MCP = func(w http.ResponseWriter, r *http.Request, x *edge.Exchange) {
			_, _ = io.ReadAll(r.Body)
			select {
			case <-r.Context().Done():
				t.Error("the call's context ended")
			case <-time.After(500 * time.Millisecond):
			}
			_, _ = io.WriteString(w, "late")
		}
	})
	if res, got := s.do(s.client(true), "POST", "/mcp", strings.NewReader("{}"), "Authorization", "Bearer good"); res.StatusCode != 200 || got != "late" {
		t.Errorf("%d %q", res.StatusCode, got)
	}
}

// Who takes no answer keeps no place: neither by a window that stays closed, nor by not reading at all.
func TestHTTP2StuckReader(t *testing.T) {
	t.Parallel()
	for name, window := range map[string]uint32{"a closed window": 0, "an unread connection": 1<<31 - 1} {
		failed := make(chan struct{})
		s := startTLS(t, func(c *Config) {
			c.WriteTimeout = 300 * time.Millisecond
			c.MCP = func(w http.ResponseWriter, r *http.Request, _ *edge.Exchange) {
				defer close(failed)
				for piece := make([]byte, 1<<20); ; {
					if _, err := w.Write(piece); err != nil {
						return
					}
				}
			}
		})
		c := s.frames(binary.BigEndian.AppendUint32([]byte{0, settingInitialWindow}, window)...)
		_ = c.send(0x8, 0, 0, binary.BigEndian.AppendUint32(nil, 1<<30)) // the connection's own window
		if _, err := c.begin(s.post("authorization", "Bearer good"), flagEndHeaders|flagEndStream); err != nil {
			t.Fatal(err)
		}
		s.await(failed, name+": the end of an answer that nobody takes")
	}
}

// A path that is a whole URL, as HTTP/1.1 has it for proxies, is no path of ours: what filters by path in front would not know it.
func TestHTTP2PathIsNoURL(t *testing.T) {
	t.Parallel()
	s := startTLS(t, nil)
	const is404 = 0x80 | 13 // RFC 7541 Appendix A
	for path, want := range map[string]bool{"/mcp": false, "https://foreign.example/mcp": true, "https://foreign.example/healthz": true} {
		c := s.frames()
		head := literals(":method", "POST", ":scheme", "https", ":path", path, ":authority", s.addr, "authorization", "Bearer good")
		if _, err := c.begin(head, flagEndHeaders|flagEndStream); err != nil {
			t.Fatal(err)
		}
		for kind := byte(frameSettings); kind != frameHeaders; {
			var payload []byte
			var err error
			if kind, _, payload, err = c.receive(); err != nil {
				t.Fatal(err)
			}
			if kind == frameHeaders && (payload[0] == is404) != want {
				t.Errorf("%s: not found is %t, want %t", path, payload[0] == is404, want)
			}
		}
	}
}

// Who is not known and takes no answer keeps its stream for moments, however long a known client may take for one.
func TestHTTP2StuckStranger(t *testing.T) {
	t.Parallel()
	s := startTLS(t, func(c *Config) { c.WriteTimeout = time.Hour })
	c := s.frames(0, settingInitialWindow, 0, 0, 0, 0)
	begun := map[uint32]bool{}
	for range 3 {
		stream, err := c.begin(s.post("authorization", "Bearer unknown"), flagEndHeaders|flagEndStream)
		if err != nil {
			t.Fatal(err)
		}
		begun[stream] = true
	}
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	for len(begun) > 0 {
		kind, stream, _, err := c.receive()
		if err != nil {
			t.Fatalf("%d streams are still held: %v", len(begun), err)
		}
		if kind == frameReset {
			delete(begun, stream)
		}
	}
}

// A body that does not come ends with its time, and the other calls of the connection do not.
func TestHTTP2SlowBody(t *testing.T) {
	t.Parallel()
	cause := make(chan error, 2)
	s := startTLS(t, func(c *Config) {
		c.BodyTimeout = 200 * time.Millisecond
		c.MCP = func(w http.ResponseWriter, r *http.Request, _ *edge.Exchange) {
			_, err := io.ReadAll(r.Body)
			cause <- err
		}
	})
	c := s.frames()
	over := c.drained()
	slow, err := c.begin(s.post("authorization", "Bearer good"), flagEndHeaders)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.send(frameData, 0, slow, []byte("{")); err != nil {
		t.Fatal(err)
	}
	if err := <-cause; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("reading gave %v, want a deadline", err)
	}
	if _, err := c.begin(s.post("authorization", "Bearer good"), flagEndHeaders|flagEndStream); err != nil {
		t.Fatal(err)
	}
	if err := <-cause; err != nil {
		t.Errorf("the next call of the connection: %v", err)
	}
	_ = c.Close()
	<-over
}

// What a connection can make the server do without a token is bounded: each of these ends the flood's own connection,
// or is simply answered, and delays nobody else.
func TestHTTP2Floods(t *testing.T) {
	t.Parallel()
	const many = 20_000
	for name, flood := range map[string]func(s *secured, c *frames) error{
		// CVE-2023-44487: a request begun and taken back costs its sender nothing.
		"rapid reset": func(s *secured, c *frames) error {
			headers := s.post()
			for range many / 100 {
				var b []byte
				for range 100 {
					b = append(b, frame(frameHeaders, flagEndHeaders|flagEndStream, c.next, headers)...)
					b = append(b, frame(frameReset, 0, c.next, []byte{0, 0, 0, 8})...)
					c.next += 2
				}
				if _, err := c.Write(b); err != nil {
					return err
				}
			}
			return nil
		},
		"headers without end": func(s *secured, c *frames) error {
			stream, err := c.begin(s.post(), 0)
			field := []byte("\x00\x06x-more\x40" + strings.Repeat("x", 64))
			for n := 0; err == nil && n < many; n++ {
				err = c.send(frameContinuation, 0, stream, bytes.Repeat(field, 100))
			}
			return err
		},
		"streams beyond the most": func(s *secured, c *frames) error {
			headers := s.post("authorization", "Bearer slow")
			for range many / 10 {
				if _, err := c.begin(headers, flagEndHeaders); err != nil {
					return err
				}
			}
			return nil
		},
		"pings": func(_ *secured, c *frames) error {
			b := bytes.Repeat(frame(framePing, 0, 0, make([]byte, 8)), 100)
			for range many / 10 {
				if _, err := c.Write(b); err != nil {
					return err
				}
			}
			return nil
		},
		"settings": func(_ *secured, c *frames) error {
			b := bytes.Repeat(frame(frameSettings, 0, 0, nil), 100)
			for range many / 10 {
				if _, err := c.Write(b); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startTLS(t, func(c *Config) { c.Access = nil })
			c := s.frames()
			over := c.drained()
			flooded := make(chan error, 1)
			go func() { flooded <- flood(s, c) }()
			client := s.client(true)
			for i := range 50 {
				if res, _ := s.do(client, "POST", "/mcp", strings.NewReader("{}"), "Authorization", "Bearer good"); res.StatusCode != 200 {
					t.Errorf("call %d beside the flood: %d", i, res.StatusCode)
				}
				if n := s.running.Load(); n > 2*maxStreams {
					t.Errorf("%d requests within handlers", n)
				}
			}
			<-flooded
			_ = c.Close()
			<-over
			s.until("the end of what it began", func() bool { return s.running.Load() == 0 })
			if n := s.calls.Load(); n != 50 {
				t.Errorf("%d calls got through, want the 50 of who had a token", n)
			}
		})
	}
}

// The server says how many requests a connection may have, and refuses one more.
func TestHTTP2Streams(t *testing.T) {
	t.Parallel()
	s := startTLS(t, func(c *Config) {
		c.Edge = edge.New(edge.Config{MaxInFlight: 2 * maxStreams})
	})
	c := s.frames()
	kind, _, settings, err := c.receive()
	if err != nil || kind != frameSettings {
		t.Fatalf("frame %d, %v", kind, err)
	}
	most := uint32(0)
	for ; len(settings) >= 6; settings = settings[6:] {
		if binary.BigEndian.Uint16(settings) == settingMaxStreams {
			most = binary.BigEndian.Uint32(settings[2:])
		}
	}
	if most != maxStreams {
		t.Fatalf("%d streams are said to be the most", most)
	}
	_ = c.send(frameSettings, 1, 0, nil) // our word that we read it
	for range maxStreams + 1 {
		if _, err := c.begin(s.post("authorization", "Bearer good"), flagEndHeaders); err != nil {
			t.Fatal(err)
		}
	}
	for {
		kind, stream, payload, err := c.receive()
		if err != nil {
			t.Fatalf("no stream was refused: %v", err)
		}
		if kind != frameReset {
			continue
		}
		if stream != 2*maxStreams+1 || binary.BigEndian.Uint32(payload) != 1 { // PROTOCOL_ERROR: it was told (RFC 9113 5.1.2)
			t.Errorf("stream %d was reset with %x", stream, payload)
		}
		break
	}
	s.until("the others to begin", func() bool { return s.calls.Load() == maxStreams })
}

// A panic takes its own stream, and nothing of the others on the connection.
func TestHTTP2Panic(t *testing.T) {
	t.Parallel()
	s := startTLS(t, func(c *Config) {
		c.MCP = func(w http.ResponseWriter, r *http.Request, x *edge.Exchange) {
			b, _ := io.ReadAll(r.Body)
			if string(b) == "panic" {
				panic("on purpose")
			}
			_, _ = w.Write(b)
		}
	})
	client := s.client(true)
	for range 3 {
		if res, _ := s.do(client, "POST", "/mcp", strings.NewReader("panic"), "Authorization", "Bearer good"); res.StatusCode != 500 {
			t.Errorf("%d, want 500", res.StatusCode)
		}
		if res, got := s.do(client, "POST", "/mcp", strings.NewReader("fine"), "Authorization", "Bearer good"); got != "fine" {
			t.Errorf("%d %q", res.StatusCode, got)
		}
	}
}

// A drain finishes the calls of a connection, ends its streams, cuts its half bodies, and takes no new request.
func TestHTTP2Drain(t *testing.T) {
	t.Parallel()
	entered, release, draining := make(chan struct{}, 3), make(chan struct{}), make(chan struct{})
	read := make(chan error, 1)
	s := startTLS(t, func(c *Config) {
		c.Grace, c.BodyTimeout = patience, never
		c.Drain = []func(){func() { close(draining) }}
		c.MCP = func(w http.ResponseWriter, r *http.Request, _ *edge.Exchange) {
			entered <- struct{}{}
			switch r.Header.Get("Kind") {
			case "stream":
				_ = http.NewResponseController(w).Flush()
				<-draining
				_, _ = io.WriteString(w, "bye")
			case "half":
				_, err := io.ReadAll(r.Body)
				read <- err
				w.WriteHeader(http.StatusRequestTimeout)
			default:
				<-release
				if r.Context().Err() != nil {
					t.Error("the call's context ended within the grace")
				}
				_, _ = io.WriteString(w, "finished")
			}
		}
	})
	client := s.client(true)
	half, unsent := io.Pipe()
	var all sync.WaitGroup
	for kind, want := range map[string]string{"call": "finished", "stream": "bye", "half": ""} {
		var body io.Reader = strings.NewReader("{}")
		if kind == "half" {
			body = half
		}
		all.Go(func() {
			if res, got := s.do(client, "POST", "/mcp", body, "Authorization", "Bearer good", "Kind", kind); got != want {
				t.Errorf("%s: %d %q", kind, res.StatusCode, got)
			}
		})
	}
	for range 3 {
		<-entered
	}
	s.stop()
	if err := <-read; !errors.Is(err, edge.ErrStopping) {
		t.Errorf("reading half a body gave %v", err)
	}
	s.until("new callers to be refused", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		c, err := (&tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}}).DialContext(ctx, "tcp", s.addr)
		if err == nil {
			_ = c.Close()
		}
		return err != nil
	})
	close(release)
	all.Wait()
	_ = unsent.Close()
	if err := s.finish(); err != nil {
		t.Errorf("Serve: %v", err)
	}
}
