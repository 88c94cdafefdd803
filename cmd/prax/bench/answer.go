package bench

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Kind says in which way an answer was wrong.
type Kind string

// The kinds, from the outside in.
const (
	NoConnection Kind = "no_connection" // nobody took the call
	Cut          Kind = "cut"           // the connection ended before the answer did
	NotHTTP      Kind = "not_http"
	Status       Kind = "status"  // of HTTP, another than 200
	NotRPC       Kind = "not_rpc" // no answer of JSON-RPC, neither result nor error
	OtherID      Kind = "other_id"
	RPCError     Kind = "rpc_error" // a JSON-RPC error
	ToolError    Kind = "tool_error"
	Refused      Kind = "refused" // a start or move that the server would not make
	Wrong        Kind = "wrong"   // a result, but not of what was asked
	Lost         Kind = "lost"    // something that was acknowledged is not there any more
)

// Fault is one answer that is not as it must be.
type Fault struct {
	Kind   Kind
	Detail string // what came instead, shortened
}

func (f *Fault) Error() string { return string(f.Kind) + ": " + f.Detail }

// fault words the detail; what is quoted of an answer is cut to what a line can hold.
func fault(kind Kind, format string, args ...any) *Fault {
	const most = 300
	text := fmt.Sprintf(format, args...)
	if len(text) > most {
		text = text[:most]
		for !utf8.ValidString(text) {
			text = text[:len(text)-1]
		}
		text += "…"
	}
	return &Fault{kind, text}
}

// message is an answer of JSON-RPC with a result R.
type message[R any] struct {
	Version string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id"`
	Result  *R             `json:"result"`
	Error   *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// toolResult is the result of a call of a tool, with the structured content S.
type toolResult[S any] struct {
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	IsError    bool `json:"isError"`
	Structured S    `json:"structuredContent"`
}

// resultOf reads the result of the request id.
func resultOf[R any](body, id []byte) (*R, *Fault) {
	var m message[R]
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, fault(NotRPC, "%v: %.200q", err, body)
	}
	switch {
	case m.Version != "2.0" || (m.Result == nil) == (m.Error == nil):
		return nil, fault(NotRPC, "%.200q", body)
	case !bytes.Equal(m.ID, id):
		return nil, fault(OtherID, "asked with %s, answered with %s", id, m.ID)
	case m.Error != nil:
		return nil, fault(RPCError, "%d %s", m.Error.Code, m.Error.Message)
	}
	return m.Result, nil
}

// toolAnswer reads the result of a tool that succeeded.
func toolAnswer[S any](body, id []byte) (*toolResult[S], *Fault) {
	r, f := resultOf[toolResult[S]](body, id)
	switch {
	case f != nil:
		return nil, f
	case len(r.Content) == 0:
		return nil, fault(NotRPC, "a tool without content: %.200q", body)
	case r.IsError:
		return nil, fault(ToolError, "%s", r.Content[0].Text)
	}
	return r, nil
}

// proven is the last answer that was read in full, without its id. One that differs in the id alone says the same.
type proven struct {
	before, after []byte
}

func (p *proven) same(body, id []byte) bool {
	at := len(p.before)
	return len(body) == at+len(id)+len(p.after) && p.after != nil &&
		bytes.Equal(body[:at], p.before) && bytes.Equal(body[at:at+len(id)], id) && bytes.Equal(body[at+len(id):], p.after)
}

func (p *proven) keep(body, id []byte) {
	before, after, found := bytes.Cut(body, id)
	if !found { // it has the id in another spelling; it is read in full each time
		p.after = nil
		return
	}
	p.before, p.after = append(p.before[:0], before...), append(p.after[:0], after...)
}
