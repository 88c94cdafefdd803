package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"prax/auth"
	"prax/auth/policy"
)

// FuzzSession: whatever several callers send, one by one and in batches, in every era and either spelling, well formed
// or not, and whatever is edited in between or by a call itself: a tool is reached exactly when the allowlist and the
// tier of that moment say so, one that may not be used answers byte for byte like one that does not exist, a list is
// what can be called, every answer has the id of its request, and the audit has one event a call with the decision.
func FuzzSession(f *testing.F) {
	for _, seed := range []string{"", "call me", "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x05\x00\x03\x05\x05\x05\x05",
		strings.Repeat("\x05\x01\x03\x02", 40), strings.Repeat("\x00\x06\x01\x07\x05", 40), strings.Repeat("abcdefghijklmnopqrstuvwxyz", 12)} {
		f.Add([]byte(seed))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, program []byte) {
		s := newSession(t, dir, program)
		defer s.close()
		for len(s.left) > 0 && s.calls < maxSessionCalls {
			s.step()
		}
	})
}

// sent is one message, and what the model says of it.
type sent struct {
	body    string
	headers []string
	id      string // in the answer; "": none
	silent  bool   // it gets no answer

	code    int      // of the error; 0: none
	refused string   // the whole answer, where each byte counts
	tool    string   // that was reached
	listed  []string // nil: it is no list from its beginning
	may     []string // the most that a list may have
	stale   bool     // the list may be another by now, and the cursor refused

	client   string // of the event
	asked    string
	known    string // the canonical name
	tier     auth.Tier
	decision policy.Reason // "": no event
}

// era is a way to send a message.
type era struct {
	header string // MCP-Protocol-Version; "": none
	modern bool
	batch  bool
}

var (
	eras    = []era{{}, {header: "2025-03-26"}, {header: "2025-11-25"}, {header: "2026-07-28", modern: true}}
	batched = era{batch: true}
)

func (e era) headers(method, name string) []string {
	if e.modern {
		return modern(method, name)
	}
	if e.header != "" {
		return []string{"MCP-Protocol-Version: " + e.header}
	}
	return nil
}

// message draws a message of a client, which is nobody unless it is in, and follows it in the model.
func (s *session) message(who int, e era, in bool) sent {
	s.calls++
	id := of(&s.choices, `1`, `"a"`, `-7`, `"\u00e9"`, `123456789012345678901234567890`)
	m := sent{id: id, client: sessionClients[who]}
	switch s.pick(8) {
	case 5:
		s.list(&m, who, e)
	case 6:
		s.other(&m, e)
	case 7:
		s.malformed(&m, e)
	default:
		s.call(&m, who, e)
	}
	if !in {
		m.decision, m.tool = "", ""
	}
	return m
}

// params are the members of params, with those that the era wants.
func (e era) params(members ...string) string {
	if e.modern {
		members = append(members, modernMeta)
	}
	return "{" + strings.Join(members, ",") + "}"
}

func request(id, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params)
}

func (s *session) call(m *sent, who int, e era) {
	asked := of(&s.choices, callable[:]...)
	arguments := of(&s.choices, `{}`, `null`, `{"a":[1,2]}`, `[]`, `{"n":9007199254740993}`)
	members := []string{fmt.Sprintf(`"name":%q`, asked), `"arguments":` + arguments}
	if !e.modern && asked != turn && s.yes() {
		members = append(members, `"_meta":{"progressToken":7}`)
	}
	m.headers, m.asked = e.headers("tools/call", asked), asked
	m.body = request(m.id, "tools/call", e.params(members...))
	m.decision, m.known = s.model.reason(who, asked), s.model.tool(asked)
	m.tier = s.model.tier(m.known)
	switch fits := !strings.ContainsAny(arguments, "9") && arguments != `[]`; {
	case m.decision != policy.Allowed:
		m.refused = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"unknown tool: %s"}}`, m.id, asked)
	case !fits:
		m.code = -32602
	default:
		m.tool = m.known
		if m.tool == turn {
			s.model = s.rules()
			s.turns = append(s.turns, s.model)
		}
	}
}

func (s *session) list(m *sent, who int, e era) {
	var members []string
	if cursor := s.pick(1 + len(s.cursors)); cursor > 0 {
		members = append(members, fmt.Sprintf(`"cursor":%q`, s.cursors[cursor-1]))
	}
	m.headers = e.headers("tools/list", "")
	m.body = request(m.id, "tools/list", e.params(members...))
	m.may = s.model.listed(who)
	if members == nil {
		m.listed = m.may
		return
	}
	m.stale = true
}

// other draws a message that reaches no tool and is well formed.
func (s *session) other(m *sent, e era) {
	method := of(&s.choices, "ping", "initialize", "server/discover", "tools/Call", "tools/call")
	m.headers = e.headers(method, "note.read")
	m.body = request(m.id, method, e.params())
	switch method {
	case "ping", "initialize":
		m.code = map[bool]int{true: -32601}[e.modern]
		if e.batch && method == "initialize" {
			m.code = -32600
		}
	case "server/discover":
		m.code = map[bool]int{false: -32601}[e.modern]
	case "tools/Call":
		m.code = -32601
	case "tools/call": // a notification of it does nothing
		m.silent = true
		m.body = `{"jsonrpc":"2.0","method":"tools/call","params":` + e.params(`"name":"note.read"`) + `}`
	}
}

// malformed draws a call that nothing may make of.
func (s *session) malformed(m *sent, e era) {
	name := of(&s.choices, callable[:]...)
	call := fmt.Sprintf(`"name":%q`, name)
	m.headers = e.headers("tools/call", name)
	m.code = -32602
	switch n := s.pick(7); {
	case n == 0:
		m.body = request(m.id, "tools/call", e.params(`"name":5`))
	case n == 1:
		m.body = request(m.id, "tools/call", e.params(`"Name":"note.read"`))
	case n == 2:
		m.code, m.body = -32600, strings.Replace(request(m.id, "tools/call", e.params(call)), `"2.0"`, `2.0`, 1)
	case n == 3:
		m.code, m.body = -32600, strings.Replace(request(m.id, "tools/call", e.params(call)), `"method"`, `"Method"`, 1)
	case n == 4 && e.modern: // a header says another name
		m.code, m.body = -32020, request(m.id, "tools/call", e.params(`"name":"gone!"`))
	case n == 5 && !e.batch:
		m.code, m.body = -32700, request(m.id, "tools/call", e.params(call, call))
		m.unknownID(e)
	case n == 6:
		m.code, m.body = -32600, request("1.5", "tools/call", e.params(call))
		m.unknownID(e)
	default:
		m.body = request(m.id, "tools/call", e.params())
	}
}

// unknownID: the id cannot be known, and is null, or left out where the revision knows that.
func (m *sent) unknownID(e era) {
	m.id = "null"
	if e.header >= "2025-11-25" {
		m.id = ""
	}
}
