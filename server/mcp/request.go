package mcp

import (
	"net/http"
	"strconv"

	"prax/server/edge"
	"prax/server/jsonrpc"
	"prax/tools"
)

// request is one message on its way to an answer, with the exchange that it came by.
type request struct {
	s *Server
	w http.ResponseWriter
	r *http.Request
	x *edge.Exchange

	id      string // in the log, the audit and errors: the exchange's, of an element with its place
	accept  accept
	version header // MCP-Protocol-Version
	batched bool

	m      jsonrpc.Message
	meta   meta
	rev    revision
	method *method
	stream *stream // of a call that reports progress; nil: none
}

// modern tells whether the request is one of MCP 2026-07-28.
func (q *request) modern() bool { return q.rev == revModern }

func (q *request) serveOne(body []byte) {
	if err := jsonrpc.Decode(body, &q.m); err != nil {
		q.refuse(err)
		return
	}
	if q.m.Kind != jsonrpc.Request {
		q.accepted()
		return
	}
	if err := q.settle(); err != nil {
		q.refuse(err)
		return
	}
	if q.method.listens {
		q.listen()
		return
	}
	place, refused := q.x.Take()
	if refused != nil {
		q.refuse(tooMany(refused))
		return
	}
	defer place.Release()
	defer q.silence()
	buf := takeBuffer()
	defer giveBuffer(buf)
	var status int
	*buf, status = q.answer((*buf)[:0])
	q.finish(status, *buf)
}

// silence makes sure that nothing of the request writes to the exchange once it is over.
func (q *request) silence() {
	if q.stream != nil {
		q.stream.end()
	}
}

// answer appends the whole answer to the request, a result or an error.
func (q *request) answer(dst []byte) ([]byte, int) {
	from := len(dst)
	q.x.Access.Outcome = tools.OutcomeOK
	dst, err := q.method.answer(q, jsonrpc.OpenResult(dst, q.m.ID))
	if err == nil {
		return append(dst, '}'), http.StatusOK
	}
	f := q.wire(err)
	q.failed(f)
	return jsonrpc.AppendError(dst[:from], q.m.ID, f.rpc), f.status
}

// finish sends the answer: as the last event where a stream has begun, else at once.
func (q *request) finish(status int, message []byte) {
	if q.stream != nil && q.stream.finish(message) {
		return
	}
	if status == http.StatusOK && !q.accept.json {
		_ = q.newStream(nil).send(message) // the caller is gone: nobody is left to tell
		return
	}
	q.reply(status, message)
}

// accepted answers a notification, or a response to something that nobody asked: whatever it says,
// with 202 and nothing (MCP, transports: Streamable HTTP).
func (q *request) accepted() {
	q.x.Access.Outcome = tools.OutcomeOK
	q.x.Access.Method = methodNotification
	if q.m.Kind == jsonrpc.Response {
		q.x.Access.Method = methodResponse
	}
	q.w.WriteHeader(http.StatusAccepted)
}

// refuse answers with an error before there is a stream.
func (q *request) refuse(err error) {
	f := q.wire(err)
	q.failed(f)
	if f.after > 0 {
		q.w.Header()["Retry-After"] = []string{strconv.Itoa(f.after)}
	}
	id := q.m.ID
	if id == nil {
		id = jsonrpc.UnknownID(q.version.value)
	}
	q.reply(f.status, jsonrpc.AppendError(nil, id, f.rpc))
}

func (q *request) failed(f *failure) {
	q.x.Access.Outcome = tools.OutcomeError
	if f.denied {
		q.x.Access.Outcome = tools.OutcomeDenied
	}
	q.x.Access.Code = strconv.Itoa(f.rpc.Code)
}

// Header values are shared: net/http does not change them.
var (
	contentJSON   = []string{"application/json"}
	contentStream = []string{"text/event-stream"}
	noCache       = []string{"no-cache"}
	noBuffering   = []string{"no"}
)

// countsItself is the size up to which net/http finds out the length by itself.
const countsItself = 2 << 10

// reply writes the answer in one piece, with a line end for those who read it on a terminal.
func (q *request) reply(status int, body []byte) {
	body = append(body, '\n')
	h := q.w.Header()
	h["Content-Type"] = contentJSON
	if len(body) > countsItself {
		h["Content-Length"] = []string{strconv.Itoa(len(body))}
	}
	q.w.WriteHeader(status)
	_, _ = q.w.Write(body) // the caller is gone: nobody is left to tell
}
