package server

import (
	"io"
	"math/rand/v2"
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
	denied  Reason // why the caller was refused; "": it was not
	status  int    // 0 until the header is written
	bytes   int64
	timeout time.Duration // of writing the answer
	shared  bool          // HTTP/2: other exchanges are on the connection
	card    *card         // that is answered; nil: nothing to keep
	edge    *edge.Exchange
	body    body
	request http.Request // as the adapter sees it
	broken  bool         // what follows on the connection could be the rest of a body
}

// begin mints the request id: one from outside would let a caller forge another's log lines.
func (s *Server) begin(w http.ResponseWriter, r *http.Request) *exchange {
	x := &exchange{ResponseWriter: w, start: time.Now(), timeout: s.cfg.WriteTimeout, shared: r.ProtoMajor > 1}
	x.id[0] = mintID()
	x.remote = s.proxies.remote(r)
	w.Header()["X-Request-Id"] = x.id[:]
	if d, ok := w.(writeDeadliner); ok && x.shared {
		_ = d.SetWriteDeadline(time.Time{}) // of HTTP/2 it would end the call itself, not only its answer
	}
	return x
}

// mintID is 128 random bits. Nobody gains by guessing one, so they come from the runtime's own ChaCha8,
// which the system seeds, and not from the system each time.
func mintID() string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	var id [26]byte
	a, b := rand.Uint64(), rand.Uint64()
	for i := range len(id) / 2 {
		id[2*i], id[2*i+1] = alphabet[a%32], alphabet[b%32]
		a, b = a/32, b/32
	}
	return string(id[:])
}

// WriteHeader notes the status, and bounds how long a reader may take for the answer. A handler of a
// stream sets its own deadlines after it.
func (x *exchange) WriteHeader(status int) {
	if x.status == 0 && status >= 200 {
		x.status = status
		x.boundWrite()
	}
	x.ResponseWriter.WriteHeader(status)
}

// boundWrite sees to it that the answer which begins now has its time, or an eighth less: one that comes
// soon has what http.Server gave it with the request, and to set another costs more than to write a short
// answer into a buffer. HTTP/2 has none from before.
func (x *exchange) boundWrite() {
	now := time.Now()
	if !x.shared && now.Sub(x.start) < x.timeout/8 {
		return
	}
	if d, ok := x.ResponseWriter.(writeDeadliner); ok {
		_ = d.SetWriteDeadline(now.Add(x.timeout))
	}
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

// limited is the request with the limits of size and time around its body. It is a copy: net/http
// looks at its own request's body to know whether the connection can be used again.
func (x *exchange) limited(r *http.Request, among *reading, limit int64) *http.Request {
	if r.Body == nil || r.Body == http.NoBody {
		x.setReadDeadline(time.Time{})
		return r
	}
	x.body = body{src: r.Body, among: among, left: limit, limit: limit, over: r.ContentLength > limit}
	x.body.conn, _ = x.ResponseWriter.(readDeadliner)
	among.begin(&x.body)
	x.request = *r
	x.request.Body = &x.body
	return &x.request
}

// body is a request's body under its limits. Reading past the size gives *http.MaxBytesError; one
// that announces too much is never read at all, one that has not come in when the server stops gives
// edge.ErrStopping. The deadline that http.Server set for the whole request ends with the body: the
// connection is watched for a hang-up from then on, and a deadline would look like one.
type body struct {
	src   io.ReadCloser
	conn  readDeadliner // nil where there is no connection
	among *reading
	left  int64
	limit int64
	over  bool

	cut        bool  // guarded by among, as what follows
	prev, next *body // in the list of among; prev is nil outside of it
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
	if err == nil {
		return n, nil
	}
	if b.among.end(b) {
		return n, edge.ErrStopping
	}
	if err == io.EOF && b.conn != nil {
		_ = b.conn.SetReadDeadline(time.Time{})
	}
	return n, err
}

func (b *body) Close() error { return b.src.Close() }
