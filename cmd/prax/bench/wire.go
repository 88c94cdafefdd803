package bench

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"sync"
	"time"
)

const (
	dialTimeout = 5 * time.Second
	maxAnswer   = 16 << 20 // bytes of a body
	readStep    = 64 << 10 // for which there is room before they come
)

// wire is one HTTP/1.1 connection that is kept alive. net/http does more than a load needs, and takes more processor
// time for a request than the server that is measured.
type wire struct {
	url    *url.URL
	head   string // of every request, up to the headers that differ
	reader *bufio.Reader
	out    []byte // the request being sent
	body   []byte // of the answer being read

	mu   sync.Mutex // guards conn, which interrupt closes
	conn net.Conn   // nil: none
	over bool       // interrupted: no other will be made
}

var errOver = errors.New("no answer in time after the end")

func (w *wire) connect() error {
	host := w.url.Host
	if w.url.Port() == "" {
		host = net.JoinHostPort(w.url.Hostname(), map[string]string{"http": "80", "https": "443"}[w.url.Scheme])
	}
	dialer := &net.Dialer{Timeout: dialTimeout}
	conn, err := dialer.Dial("tcp", host)
	if err == nil && w.url.Scheme == "https" {
		conn, err = secured(conn, w.url.Hostname())
	}
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return errors.Join(errOver, conn.Close())
	}
	w.conn, w.reader = conn, bufio.NewReaderSize(conn, 16<<10)
	return nil
}

func secured(conn net.Conn, name string) (net.Conn, error) {
	over := tls.Client(conn, &tls.Config{ServerName: name, NextProtos: []string{"http/1.1"}})
	if err := over.SetDeadline(time.Now().Add(dialTimeout)); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	if err := over.Handshake(); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return over, over.SetDeadline(time.Time{})
}

// drop closes the connection; the next request makes another. It returns err, or why it is none of the server's.
func (w *wire) drop(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_ = w.conn.Close() // whatever it says, it is not used again
	w.conn = nil
	if err != nil && w.over {
		return errOver
	}
	return err
}

// interrupt ends what waits for an answer. It may be called by any goroutine.
func (w *wire) interrupt() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	if w.conn != nil {
		_ = w.conn.Close()
	}
}

// exchange sends one request and reads its answer, whose body is valid until the next call. The connection is dropped
// when it failed, and when the server says that it is the last answer.
func (w *wire) exchange(r *request, token string, id []byte) (status int, body []byte, err error) {
	w.out = append(append(w.out[:0], w.head...), r.headers...)
	w.out = append(append(w.out, "Authorization: Bearer "...), token...)
	w.out = append(w.out, "\r\nContent-Length: "...)
	w.out = strconv.AppendInt(w.out, int64(len(r.before)+len(id)+len(r.after)), 10)
	w.out = append(w.out, "\r\n\r\n"...)
	w.out = append(append(append(w.out, r.before...), id...), r.after...)
	var h answerHead
	if _, err = w.conn.Write(w.out); err == nil {
		h, err = readHead(w.reader)
	}
	if err == nil {
		w.body, err = h.readBody(w.reader, w.body[:0])
	}
	if err != nil || h.last {
		err = w.drop(err)
	}
	return h.status, w.body, err
}

// answerHead is what of the head of an HTTP answer says where its body ends.
type answerHead struct {
	status  int
	length  int64 // -1: not said
	chunked bool
	last    bool // the connection ends with it
}

// errHTTP is an answer that is none.
var errHTTP = errors.New("not HTTP/1.1")

// readHead reads a status line and headers (RFC 9112, sections 4 to 6).
func readHead(r *bufio.Reader) (h answerHead, err error) {
	line, err := readLine(r)
	if err != nil {
		return h, err
	}
	if len(line) < len("HTTP/1.1 200") || !bytes.HasPrefix(line, []byte("HTTP/1.")) {
		return h, fmt.Errorf("%w: %.80q", errHTTP, line)
	}
	h.last, h.length = line[len("HTTP/1.")] == '0', -1
	if h.status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return h, fmt.Errorf("%w: %.80q", errHTTP, line)
	}
	for {
		if line, err = readLine(r); err != nil || len(line) == 0 {
			return h, err
		}
		if err = h.field(line); err != nil {
			return h, err
		}
	}
}

func (h *answerHead) field(line []byte) (err error) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimSpace(value)
	switch {
	case bytes.EqualFold(name, []byte("Content-Length")):
		if h.length, err = strconv.ParseInt(string(value), 10, 64); err != nil || h.length < 0 || h.length > maxAnswer {
			return fmt.Errorf("%w: %.80q", errHTTP, line)
		}
	case bytes.EqualFold(name, []byte("Transfer-Encoding")):
		h.chunked = bytes.EqualFold(value, []byte("chunked"))
	case bytes.EqualFold(name, []byte("Connection")):
		h.last = h.last || bytes.EqualFold(value, []byte("close"))
	}
	return nil
}

// readBody appends the body to b.
func (h *answerHead) readBody(r *bufio.Reader, b []byte) ([]byte, error) {
	switch {
	case h.status == 204 || h.status == 304:
		return b, nil
	case h.chunked:
		return readChunks(r, b)
	case h.length >= 0:
		return readN(r, b, h.length)
	}
	h.last = true // RFC 9112, section 6.3: it ends with the connection
	b, err := readN(r, b, maxAnswer)
	switch {
	case err == nil:
		err = fmt.Errorf("%w: an endless body", errHTTP)
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		err = nil
	}
	return b, err
}

func readChunks(r *bufio.Reader, b []byte) ([]byte, error) {
	for {
		line, err := readLine(r)
		if err != nil {
			return b, err
		}
		size, _, _ := bytes.Cut(line, []byte(";"))
		n, err := strconv.ParseInt(string(bytes.TrimSpace(size)), 16, 64)
		if err != nil || n < 0 || n > maxAnswer-int64(len(b)) {
			return b, fmt.Errorf("%w: size of a chunk %.80q", errHTTP, line)
		}
		if b, err = readN(r, b, n); err != nil {
			return b, err
		}
		for { // the end of a chunk, or, after the last one, trailers and an empty line
			if line, err = readLine(r); err != nil {
				return b, err
			}
			if len(line) == 0 {
				break
			}
			if n > 0 {
				return b, fmt.Errorf("%w: a chunk is longer than it says", errHTTP)
			}
		}
		if n == 0 {
			return b, nil
		}
	}
}

// readN appends n bytes. Room is made for what comes, not for what was announced.
func readN(r *bufio.Reader, b []byte, n int64) ([]byte, error) {
	for n > 0 {
		at, step := len(b), min(n, readStep)
		b = append(b, make([]byte, step)...)
		got, err := io.ReadFull(r, b[at:])
		if err != nil {
			return b[:at+got], err
		}
		n -= step
	}
	return b, nil
}

func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return nil, fmt.Errorf("%w: an endless line", errHTTP)
	}
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), err
}
