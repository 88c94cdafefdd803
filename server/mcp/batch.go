package mcp

import (
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"prax/server/jsonrpc"
	"prax/tools"
)

// MaxBatchAnswer is how many bytes the answers of one batch may have before the elements that are left
// are refused: a small batch must not make the server hold a large answer.
const MaxBatchAnswer = 8 << 20

// serveBatch answers an array of messages (MCP 2025-03-26, base protocol: batching). Its elements
// are worked on one after the other, each in a place of the client's budget and judged by the registry
// in force by then. One that fails sinks no other.
func (q *request) serveBatch(body []byte) {
	q.x.Access.Method = methodBatch
	if q.version.n > 0 && !q.version.is(string(rev2025Mar)) {
		q.refuse(refusal(http.StatusBadRequest, jsonrpc.CodeInvalidRequest,
			"batches exist in %s only: send one message", rev2025Mar))
		return
	}
	elements, err := jsonrpc.Split(body)
	if err != nil {
		q.refuse(err)
		return
	}
	buf := takeBuffer()
	defer giveBuffer(buf)
	answers, outcome := q.elements((*buf)[:0], elements)
	*buf = answers
	q.x.Access.Method, q.x.Access.Tool, q.x.Access.Outcome, q.x.Access.Code = methodBatch, "", outcome, ""
	if len(answers) == 0 {
		q.w.WriteHeader(http.StatusAccepted)
		return
	}
	q.finish(http.StatusOK, answers)
}

// elements appends the array of answers; nothing when nobody is to be answered. An element that has
// begun goes on when the caller hangs up, but none begins after that.
func (q *request) elements(dst []byte, elements []jsontext.Value) (answers []byte, outcome string) {
	outcome = tools.OutcomeOK
	for i, raw := range elements {
		if q.r.Context().Err() != nil {
			outcome = tools.OutcomeError
			break
		}
		if i > 0 {
			q.x.Again() // one that is out goes on as a client that may use nothing
		}
		// Each element is a call of its own in the audit and in its user's traces.
		id := q.id + "." + strconv.Itoa(i+1)
		element := &request{s: q.s, w: q.w, r: q.r, x: q.x, id: id, accept: q.accept, version: q.version, batched: true}
		before := len(dst)
		dst = append(dst, '[')
		if before > 0 {
			dst[before] = ','
		}
		answered := element.answerElement(dst, raw)
		if len(answered) == len(dst) {
			dst = dst[:before] // a notification
			continue
		}
		dst = answered
		if q.x.Access.Outcome != tools.OutcomeOK {
			outcome = tools.OutcomeError
		}
	}
	if len(dst) > 0 {
		dst = append(dst, ']')
	}
	return dst, outcome
}

// answerElement appends the answer to one element, or nothing. Each is counted, whatever it is.
func (q *request) answerElement(dst []byte, raw jsontext.Value) []byte {
	err := jsonrpc.Decode(raw, &q.m)
	place, refused := q.x.Take()
	if refused == nil {
		defer place.Release()
	}
	switch {
	case err != nil:
		return q.refuseElement(dst, err)
	case q.m.Kind != jsonrpc.Request:
		return dst
	case refused != nil:
		return q.refuseElement(dst, tooMany(refused))
	}
	if err := q.settleElement(); err != nil {
		return q.refuseElement(dst, err)
	}
	if len(dst) >= MaxBatchAnswer {
		return q.refuseElement(dst, refusal(http.StatusRequestEntityTooLarge, codeTooLarge,
			"not done: the answers of this batch have %d MiB already: send what is left again", MaxBatchAnswer>>20))
	}
	dst, _ = q.answer(dst)
	return dst
}

func (q *request) settleElement() error {
	if readMeta(&q.m).version != nil {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "a request of %s stands alone, not in a batch", revModern)
	}
	if err := q.settle(); err != nil {
		return err
	}
	switch {
	case q.method.opens:
		return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "initialize stands alone, not in a batch")
	case q.s.draining.Err() != nil:
		return refusal(http.StatusServiceUnavailable, codeStopping, "the server is stopping: send what is left again")
	}
	return nil
}

func (q *request) refuseElement(dst []byte, err error) []byte {
	f := q.wire(err)
	q.failed(f)
	id := q.m.ID
	if id == nil {
		id = jsonrpc.Null
	}
	return jsonrpc.AppendError(dst, id, f.rpc)
}
