package mcp

import (
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"prax/server/jsonrpc"
)

// method is one request method: where it exists, and what answers it.
type method struct {
	name    string
	legacy  bool // in the revisions that open with initialize
	modern  bool // in MCP 2026-07-28
	opens   bool // initialize
	named   bool // has a name, which the header Mcp-Name repeats
	listens bool // answers with a stream of its own, by listen

	// answer appends the result. An error leaves what it appended to be thrown away.
	answer func(q *request, dst []byte) ([]byte, error)
}

var methods = byName(
	&method{name: "initialize", legacy: true, opens: true, answer: (*request).initialize},
	&method{name: "ping", legacy: true, answer: (*request).ping},
	&method{name: "server/discover", modern: true, answer: (*request).discover},
	&method{name: "tools/list", legacy: true, modern: true, answer: (*request).list},
	&method{name: "tools/call", legacy: true, modern: true, named: true, answer: (*request).call},
	&method{name: "subscriptions/listen", modern: true, listens: true},
)

func byName(all ...*method) map[string]*method {
	m := make(map[string]*method, len(all))
	for _, one := range all {
		m[one.name] = one
	}
	return m
}

// What stands in access records in place of a method.
const (
	methodUnknown      = "unknown"
	methodNotification = "notification"
	methodResponse     = "response"
	methodBatch        = "batch"
)

// Methods are all that may stand in an access record as the method of a request: for metrics.
func Methods() []string {
	return append(slices.Sorted(maps.Keys(methods)), methodUnknown, methodNotification, methodResponse, methodBatch)
}

// methodOf is the method of a message, nil when there is none, and what the message calls it.
func methodOf(v jsontext.Value) (m *method, asked string) {
	if m = methods[string(v[1:len(v)-1])]; m != nil { // a copy is made of none but the unknown
		return m, m.name
	}
	asked, _ = jsonrpc.String(v)
	return methods[asked], asked
}

// initialize negotiates and never refuses (MCP, lifecycle: version negotiation): a revision that is
// served and opens this way comes back, anything else gets the newest of those. Nothing is remembered;
// the caller repeats the outcome in its MCP-Protocol-Version header.
func (q *request) initialize(dst []byte) ([]byte, error) {
	settled := rev2025Nov
	for key, v := range jsonrpc.Members(q.m.Params) {
		if string(key) != "protocolVersion" {
			continue
		}
		asked, ok := jsonrpc.String(v)
		if !ok {
			return dst, badParams("protocolVersion must be a string")
		}
		if rev, known := isLegacy(asked); known {
			settled = rev
		}
	}
	dst = append(dst, `{"protocolVersion":"`...)
	dst = append(dst, settled...)
	dst = append(dst, `","capabilities":{"tools":{}},"serverInfo":`...)
	dst = append(dst, q.s.fixed.info...)
	dst = append(dst, q.s.fixed.instructions...)
	return append(dst, '}'), nil
}

func (q *request) ping(dst []byte) ([]byte, error) { return append(dst, `{}`...), nil }

func (q *request) discover(dst []byte) ([]byte, error) {
	return append(dst, q.s.fixed.discover...), nil
}
