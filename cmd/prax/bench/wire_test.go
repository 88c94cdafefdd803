package bench

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// TestReadAnswer: a body ends where HTTP says that it does, however the bytes arrive, and what is left is the next answer.
func TestReadAnswer(t *testing.T) {
	t.Parallel()
	const next = "HTTP/1.1 204 No Content\r\n\r\n"
	for _, tt := range []struct {
		name, answer, body string
		status             int
		last               bool
	}{
		{"length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Other: 9\r\n\r\nhello", "hello", 200, false},
		{"length, other case, no blank", "HTTP/1.1 200 OK\r\ncontent-length:5\r\n\r\nhello", "hello", 200, false},
		{"no body", "HTTP/1.1 500 \r\nContent-Length: 0\r\n\r\n", "", 500, false},
		{"close", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", "ok", 200, true},
		{"chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n", "hello", 200, false},
		{"chunks and trailers", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nA\r\n0123456789\r\n0\r\nX: y\r\n\r\n", "0123456789", 200, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := bufio.NewReader(iotest.OneByteReader(strings.NewReader(tt.answer + next)))
			h, err := readHead(r)
			if err != nil {
				t.Fatal(err)
			}
			body, err := h.readBody(r, nil)
			if err != nil || string(body) != tt.body || h.status != tt.status || h.last != tt.last {
				t.Errorf("status %d, body %q, last %v, error %v", h.status, body, h.last, err)
			}
			if h, err = readHead(r); err != nil || h.status != 204 {
				t.Errorf("the next answer: status %d, error %v", h.status, err)
			}
		})
	}
}

// TestReadAnswerToTheEnd: without a length the body is the rest of the connection.
func TestReadAnswerToTheEnd(t *testing.T) {
	t.Parallel()
	r := bufio.NewReader(strings.NewReader("HTTP/1.0 200 OK\r\n\r\nall of it"))
	h, err := readHead(r)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := h.readBody(r, nil); err != nil || string(body) != "all of it" || !h.last {
		t.Errorf("body %q, last %v, error %v", body, h.last, err)
	}
}

// TestReadAnswerWithinBounds: what a server announces, and does not send, takes no memory; what it sends without end does
// not take all of it.
func TestReadAnswerWithinBounds(t *testing.T) {
	t.Parallel()
	for name, head := range map[string]string{
		"length": "HTTP/1.1 200 OK\r\nContent-Length: 16777216\r\n\r\n",
		"chunk":  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1000000\r\n",
	} {
		r := bufio.NewReader(strings.NewReader(head + "hel"))
		h, err := readHead(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := h.readBody(r, nil)
		if !errors.Is(err, io.ErrUnexpectedEOF) || string(body) != "hel" || cap(body) > 2*readStep {
			t.Errorf("%s: %d bytes in room for %d, error %v", name, len(body), cap(body), err)
		}
	}
	r := bufio.NewReader(io.MultiReader(strings.NewReader("HTTP/1.1 200 OK\r\n\r\n"), endless{}))
	h, err := readHead(r)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := h.readBody(r, nil); !errors.Is(err, errHTTP) || cap(body) > 2*maxAnswer {
		t.Errorf("endless: %d bytes in room for %d, error %v", len(body), cap(body), err)
	}
}

// endless is a body that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// TestReadAnswerRefuses: what is not HTTP is told from a connection that was cut.
func TestReadAnswerRefuses(t *testing.T) {
	t.Parallel()
	const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	for name, tt := range map[string]struct {
		answer string
		want   error
	}{
		"another protocol":     {"SSH-2.0-OpenSSH_9.2 and more\r\n", errHTTP},
		"no status":            {"HTTP/1.1 abc OK\r\n\r\n", errHTTP},
		"length of words":      {"HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\n", errHTTP},
		"negative length":      {"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n", errHTTP},
		"impossible length":    {"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", errHTTP},
		"endless line":         {"HTTP/1.1 200 " + strings.Repeat("x", 1<<17), errHTTP},
		"chunk of words":       {chunked + "five\r\nhello\r\n", errHTTP},
		"impossible chunk":     {chunked + "ffffffff\r\n", errHTTP},
		"chunk beyond its end": {chunked + "2\r\nhello\r\n0\r\n\r\n", errHTTP},
		"nothing":              {"", io.EOF},
		"cut in the head":      {"HTTP/1.1 200 OK\r\nContent-", io.EOF},
		"cut in the body":      {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel", io.ErrUnexpectedEOF},
		"cut in a chunk":       {chunked + "5\r\nhel", io.ErrUnexpectedEOF},
		"cut before the last":  {chunked + "5\r\nhello\r\n", io.EOF},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := bufio.NewReader(strings.NewReader(tt.answer))
			h, err := readHead(r)
			if err == nil {
				_, err = h.readBody(r, nil)
			}
			if !errors.Is(err, tt.want) {
				t.Errorf("%v, want %v", err, tt.want)
			}
		})
	}
}
