package jsonrpc

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxID is how many bytes an id may have as it stands in the body. It is echoed, on streams again
// and again.
const MaxID = 1024

// Kind says what a message is.
type Kind uint8

// The kinds. The zero value is no message.
const (
	Invalid      Kind = iota
	Request           // wants an answer
	Notification      // has no id and gets none
	Response          // answers something that we would have asked
)

// Message is one message as spans of its body, raw; nil is a member that is not there. The members
// of params are filled in when params is an object.
type Message struct {
	Kind   Kind
	ID     jsontext.Value // a string or an integer, as it came
	Method jsontext.Value // a string that is not empty, in its quotes
	Params jsontext.Value

	Name      jsontext.Value // params.name
	Arguments jsontext.Value // params.arguments
	Cursor    jsontext.Value // params.cursor
	Meta      jsontext.Value // params._meta

	version, result, failure jsontext.Value
	misspelt                 string // a member in the wrong case, as it should be spelled
	misspeltParam            string
}

// Decode reads the one message that a body holds into m. What it returns is an [*Error]: CodeParse
// when the body is not JSON, CodeInvalidRequest when it is JSON and no message, CodeInvalidParams
// when a name in params is spelled in the wrong case. m.ID is set whenever the id is known, also
// beside an error.
func Decode(body []byte, m *Message) error {
	*m = Message{}
	s := scanner{b: body}
	if s.peek() != '{' {
		if s.value() && s.end() && s.namesDiffer() {
			return Errorf(CodeInvalidRequest, "a message is a JSON object")
		}
		return s.err()
	}
	if !s.envelope(m) || !s.end() || !s.namesDiffer() {
		*m = Message{}
		return s.err()
	}
	return m.judge()
}

func (s *scanner) err() error {
	if len(bytes.TrimSpace(s.b)) == 0 {
		return Errorf(CodeParse, "the body is empty")
	}
	return Errorf(CodeParse, "%s (byte %d of the body)", faultText[s.fault], s.i)
}

var envelopeNames = [...]string{"jsonrpc", "id", "method", "params", "result", "error"}

// envelope reads the outer object.
func (s *scanner) envelope(m *Message) bool {
	var o object
	if !s.enter('{') {
		return false
	}
	for {
		n, more := s.member(&o)
		if !more {
			return s.leave()
		}
		key := s.resolve(n)
		if string(key) == "params" {
			if !s.params(m) {
				return false
			}
			continue
		}
		at, ok := s.valueSpan()
		if !ok {
			return false
		}
		m.keep(key, s.b[at.from:at.to])
	}
}

func (m *Message) keep(key []byte, v jsontext.Value) {
	switch string(key) {
	case "jsonrpc":
		m.version = v
	case "id":
		m.ID = v
	case "method":
		m.Method = v
	case "result":
		m.result = v
	case "error":
		m.failure = v
	default:
		m.misspelt = meant(m.misspelt, key, envelopeNames[:])
	}
}

var paramNames = [...]string{"name", "arguments", "cursor", "_meta"}

// params reads the parameters: an object member by member, anything else as it is.
func (s *scanner) params(m *Message) bool {
	if s.peek() != '{' {
		at, ok := s.valueSpan()
		m.Params = s.b[at.from:at.to]
		return ok
	}
	from := s.i
	var o object
	if !s.enter('{') {
		return false
	}
	for {
		n, more := s.member(&o)
		if !more {
			m.Params = s.b[from:s.i]
			return s.leave()
		}
		at, ok := s.valueSpan()
		if !ok {
			return false
		}
		m.keepParam(s.resolve(n), s.b[at.from:at.to])
	}
}

func (m *Message) keepParam(key []byte, v jsontext.Value) {
	switch string(key) {
	case "name":
		m.Name = v
	case "arguments":
		m.Arguments = v
	case "cursor":
		m.Cursor = v
	case "_meta":
		m.Meta = v
	default:
		m.misspeltParam = meant(m.misspeltParam, key, paramNames[:])
	}
}

// meant is the name that key is a misspelling of by case alone, or what was found before.
func meant(before string, key []byte, names []string) string {
	for _, want := range names {
		if len(key) == len(want) && bytes.EqualFold(key, []byte(want)) {
			return want
		}
	}
	return before
}

// judge says what the message is (JSON-RPC 2.0, sections 4 and 5).
func (m *Message) judge() error {
	unanswerable := string(m.ID) == "null" && m.failure != nil && m.Method == nil
	if m.ID != nil && !unanswerable {
		if err := judgeID(m.ID); err != nil {
			m.ID = nil
			return err
		}
	}
	if m.misspelt != "" {
		return Errorf(CodeInvalidRequest, "the member %q is spelled in another case", m.misspelt)
	}
	if !isText(m.version, "2.0") {
		return Errorf(CodeInvalidRequest, `jsonrpc must be "2.0"`)
	}
	if m.Method == nil {
		return m.judgeResponse()
	}
	if m.Method.Kind() != '"' || len(m.Method) == len(`""`) {
		return Errorf(CodeInvalidRequest, "method must be a string that is not empty")
	}
	if m.result != nil || m.failure != nil {
		return Errorf(CodeInvalidRequest, "a message has a method, a result or an error, one of them")
	}
	if m.misspeltParam != "" {
		return Errorf(CodeInvalidParams, "the member %q of params is spelled in another case", m.misspeltParam)
	}
	m.Kind = Notification
	if m.ID != nil {
		m.Kind = Request
	}
	return nil
}

func (m *Message) judgeResponse() error {
	if m.ID == nil || (m.result == nil) == (m.failure == nil) {
		return Errorf(CodeInvalidRequest, "a message has a method, or an id with a result or an error")
	}
	m.Kind = Response
	return nil
}

// judgeID wants a string or an integer (MCP, base protocol: never null; JSON-RPC 2.0: no fraction).
func judgeID(id jsontext.Value) error {
	switch {
	case len(id) > MaxID:
		return Errorf(CodeInvalidRequest, "an id has at most %d bytes", MaxID)
	case !IsID(id):
		return Errorf(CodeInvalidRequest, "an id is a string or an integer")
	}
	return nil
}

// IsID tells whether a value may be an id, or what else MCP echoes like one: a string or an integer of
// at most [MaxID] bytes.
func IsID(v jsontext.Value) bool {
	return len(v) <= MaxID && (v.Kind() == '"' || v.Kind() == '0' && !bytes.ContainsAny(v, ".eE"))
}
