package server

import (
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"prax/server/edge"
	"prax/server/jsonrpc"
)

var (
	notFound     = errorBody("not found")
	notAllowed   = errorBody("method not allowed: POST JSON-RPC messages here")
	onlyRead     = errorBody("method not allowed: GET or HEAD")
	unauthorized = errorBody("missing or invalid bearer token")
)

// Header values shared by all answers; net/http only reads them.
var (
	jsonType  = []string{"application/json"}
	noSniff   = []string{"nosniff"}
	noStore   = []string{"no-store"}
	challenge = []string{`Bearer error="invalid_token"`}
)

func errorBody(sentence string) []byte {
	b, _ := jsontext.AppendQuote([]byte(`{"error":`), sentence) // a constant of ours: valid UTF-8
	return append(b, "}\n"...)
}

// What is read of a body that nobody wants, and how long the peer has to send that much, so that the
// connection stays usable. net/http has the first limit too, but reads before it answers.
const (
	discardMax  = 256 << 10
	discardTime = time.Second
)

// refuse answers at once, whatever of the body is still under way: a caller that is refused must
// neither wait for its own body nor hold the connection by sending slowly.
func (x *exchange) refuse(r *http.Request, status int, body []byte) {
	x.boundRefusal()
	switch {
	case x.shared || r.ContentLength == 0 || r.ContentLength >= discardMax:
		x.answer(r, status, body) // nothing to come, or net/http closes the connection, or the stream, without reading it
	case r.ContentLength < 0 || r.Header["Expect"] != nil:
		x.Header().Set("Connection", "close")
		x.setReadDeadline(time.Now().Add(discardTime))
		x.answer(r, status, body)
	default:
		x.answerFirst(r, status, body)
	}
}

// takeTime is how long somebody whom nobody knows may take for the few bytes of an answer.
const takeTime = 5 * time.Second

// boundRefusal keeps who is not known, and keeps the windows of an HTTP/2 connection closed (RFC 9113 5.2), from having the server
// hold all that its streams can begin, each for as long as a known client has for its answer.
func (x *exchange) boundRefusal() {
	if x.shared && x.edge == nil {
		x.timeout = min(x.timeout, takeTime)
	}
}

// answerFirst reads the body to its end behind the answer. One that does not end in time breaks the
// connection: its rest must not be taken for another request.
func (x *exchange) answerFirst(r *http.Request, status int, body []byte) {
	if d, ok := x.ResponseWriter.(fullDuplexer); ok {
		_ = d.EnableFullDuplex()
	}
	x.answer(r, status, body)
	if f, ok := x.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
	x.setReadDeadline(time.Now().Add(discardTime))
	_, err := io.CopyN(io.Discard, r.Body, discardMax)
	if err != io.EOF && err != http.ErrBodyReadAfterClose {
		x.broken = true // the deadline stays: net/http reads on as it closes
		return
	}
	x.setReadDeadline(time.Time{})
}

func (x *exchange) setReadDeadline(at time.Time) {
	if d, ok := x.ResponseWriter.(readDeadliner); ok {
		_ = d.SetReadDeadline(at)
	}
}

func (x *exchange) answer(r *http.Request, status int, body []byte) {
	h := x.Header()
	h["Content-Type"] = jsonType
	h["X-Content-Type-Options"] = noSniff
	h["Cache-Control"] = noStore
	if x.card != nil {
		x.card.headers(h)
	}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	x.WriteHeader(status)
	if r.Method != http.MethodHead && status != http.StatusNotModified {
		_, _ = x.Write(body) // a caller that is gone has nothing to be told
	}
}

// unauthorized is the same for a credential that is missing, malformed, unknown, expired or revoked
// (RFC 6750 3.1). It names no metadata: there is no authorization server to send anyone to.
func (x *exchange) unauthorized(r *http.Request) {
	x.Header()["Www-Authenticate"] = challenge
	x.refuse(r, http.StatusUnauthorized, unauthorized)
}

// tooMany refuses what goes beyond the client's limits before its body is read, so that the request's
// id is not known.
func (x *exchange) tooMany(r *http.Request, t *edge.TooMany) {
	const status = http.StatusTooManyRequests
	x.edge.Access.Outcome, x.edge.Access.Code = "error", strconv.Itoa(status)
	x.Header()["Retry-After"] = []string{strconv.Itoa(t.Seconds)}
	x.refuse(r, status, append(jsonrpc.AppendError(nil, jsonrpc.UnknownID(r.Header.Get("Mcp-Protocol-Version")),
		jsonrpc.Later(status, t.Sentence, t.Seconds)), '\n'))
}

// internal answers a panic. On /mcp it is a JSON-RPC error; the request's own id is not known here.
func (x *exchange) internal(r *http.Request) {
	x.Header().Del("Content-Encoding") // of the answer that is not to come
	if x.route != routeMCP {
		x.refuse(r, http.StatusInternalServerError, errorBody("internal error"))
		return
	}
	x.refuse(r, http.StatusInternalServerError, jsonrpc.AppendError(nil, jsonrpc.UnknownID(r.Header.Get("Mcp-Protocol-Version")),
		&jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: "internal error", Data: jsontext.Value(`{"requestId":"` + x.id[0] + `"}`)}))
}
