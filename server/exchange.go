package server

import (
	"crypto/rand"
	"io"
	"net/http"
	"time"

	"prax/server/edge"
)

// exchange is one request on its way through the server: the ResponseWriter that adapters write to,
// and what the access record will say. Never pooled: a handler's stray goroutine that writes too
// late must not reach somebody else's answer.
type exchange struct {
	http.ResponseWriter
	id      [1]string // the X-Request-Id header's value, without a slice of its own
	remote  string
	start   time.Time
	route   string
	status  int // 0 until the header is written
	bytes   int64
	timeout time.Duration // of writing the answer
	edge    *edge.Exchange
	body    body
}

// begin mints the request id: one from outside would let a caller forge another's log lines.
func (s *Server) begin(w http.ResponseWriter, r *http.Request) *exchange {
	x := &exchange{ResponseWriter: w, start: time.Now(), timeout: s.cfg.WriteTimeout}
	x.id[0] = rand.Text()
	x.remote = s.proxies.remote(r)
	w.Header()["X-Request-Id"] = x.id[:]
	return x
}

// WriteHeader notes the status, and bounds how long a reader may take for the answer. A handler of a
// stream sets its own deadlines after it.
func (x *exchange) WriteHeader(status int) {
	if x.status == 0 && status >= 200 {
		x.status = status
		if d, ok := x.ResponseWriter.(writeDeadliner); ok {
			_ = d.SetWriteDeadline(time.Now().Add(x.timeout))
		}
	}
	x.ResponseWriter.WriteHeader(status)
}

// Write counts what the answer has.
func (x *exchange) Write(p []byte) (int, error) {
	if x.status == 0 {
		x.WriteHeader(http.StatusOK)
	}
	n, err := x.ResponseWriter.Write(p)
	x.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection: flushing and deadlines of streams.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

type (
	writeDeadliner interface{ SetWriteDeadline(time.Time) error }
	readDeadliner  interface{ SetReadDeadline(time.Time) error }
	fullDuplexer   interface{ EnableFullDuplex() error }
)

// What net/http would read of a body that nobody wants before it sends the answer, and how long the
// peer has to send that much.
const (
	discardMax  = 256 << 10
	discardTime = time.Second
)

// ignoreBody sends the coming answer at once, whatever of the body is still under way: a caller that
// is refused must not hold a connection by sending slowly. A body that arrives soon leaves the
// connection usable.
func (x *exchange) ignoreBody(r *http.Request) {
	if r.ContentLength == 0 || r.ContentLength >= discardMax {
		return // nothing to come, or net/http gives up on it by itself
	}
	if d, ok := x.ResponseWriter.(readDeadliner); ok {
		_ = d.SetReadDeadline(time.Now().Add(discardTime))
	}
	if d, ok := x.ResponseWriter.(fullDuplexer); ok {
		_ = d.EnableFullDuplex()
	}
}

// takeBody puts the limits of size and time around the body.
func (x *exchange) takeBody(r *http.Request, limit int64, timeout time.Duration) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	x.body = body{src: r.Body, left: limit, limit: limit, over: r.ContentLength > limit}
	if d, ok := x.ResponseWriter.(readDeadliner); ok {
		x.body.conn = d
		_ = d.SetReadDeadline(time.Now().Add(timeout))
	}
	r.Body = &x.body
}

// body is a request's body under its limits. Reading past the size gives *http.MaxBytesError; one
// that announces too much is never read at all. The deadline ends with the body: the connection is
// watched for a hang-up from then on, and a deadline would look like one.
type body struct {
	src   io.ReadCloser
	conn  readDeadliner // nil where there is no connection
	left  int64
	limit int64
	over  bool
}

func (b *body) Read(p []byte) (int, error) {
	if b.over {
		return 0, &http.MaxBytesError{Limit: b.limit}
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.src.Read(p)
	if int64(n) > b.left {
		n, b.left, b.over = int(b.left), 0, true
		return n, &http.MaxBytesError{Limit: b.limit}
	}
	b.left -= int64(n)
	if err == io.EOF && b.conn != nil {
		_ = b.conn.SetReadDeadline(time.Time{})
	}
	return n, err
}

func (b *body) Close() error { return b.src.Close() }
