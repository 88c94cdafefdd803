package mcp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	registry "prax/auth/clients"
	"prax/auth/policy"
	"prax/server/edge"
	"prax/server/mcp"
	"prax/store"
	"prax/tools"
)

// session is a server with the real registries of tools and of clients, driven by a row of choices and held
// against a model of what is allowed.
type session struct {
	*testing.T
	choices
	path    string // of clients.json
	clients *registry.Registry
	tools   *tools.Registry
	journal *journal
	edge    *edge.Edge
	server  *mcp.Server
	model   rules   // what the answers have to follow
	world   rules   // what is in force
	turns   []rules // what the tool turn puts in force, call by call
	reached []string
	calls   int
	cursors []string
}

// maxSessionCalls keeps each client below the count from which denied calls share an event.
const maxSessionCalls = tools.DenialsAMinute - 4

// sessionPage is how many tools one answer to tools/list has.
const sessionPage = 2

func newSession(t *testing.T, dir string, program []byte) *session {
	s := &session{T: t, choices: choices{program}, path: filepath.Join(dir, "clients.json"), journal: &journal{}}
	s.tools = tools.NewRegistry(tools.Config{Store: s.journal, AuditReads: true})
	s.edge = edge.New(edge.Config{})
	s.server = mcp.New(mcp.Config{Registry: s.tools, PageSize: sessionPage})
	s.world = s.rules()
	s.model = s.world
	s.write()
	s.set()
	var err error
	if s.clients, err = registry.Open(registry.Config{Path: s.path}, nil, nil, nil); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *session) write() {
	if err := os.WriteFile(s.path, []byte(s.world.file()), 0o600); err != nil {
		s.Fatal(err)
	}
}

// set has the tools of the world in the registry. Each notes that it was reached.
func (s *session) set() {
	var list []*tools.Tool
	for i, name := range sessionTools {
		if s.world.tiers[i] == auth.TierUnknown {
			continue
		}
		list = append(list, &tools.Tool{
			Name: name, Description: "Notes that it was reached.", Tier: s.world.tiers[i], Input: object(`{"type":"object"}`), Arguments: tools.ByTool,
			Handler: func(_ context.Context, c *tools.Call) (*tools.Result, error) {
				s.reached = append(s.reached, name)
				if name == turn && len(s.turns) > 0 {
					s.put(s.turns[0])
					s.turns = s.turns[1:]
				}
				c.Progress(tools.Progress{Done: 1})
				return tools.Text("reached " + name), nil
			},
		})
	}
	if err := s.tools.Set("session", list); err != nil {
		s.Fatal(err)
	}
}

// put has other rules in force: of the tools, of the clients, or both.
func (s *session) put(next rules) {
	was := s.world
	s.world = next
	if was.tiers != next.tiers {
		s.set()
	}
	if was.clients != next.clients {
		s.write()
		s.clients.Reload("session")
	}
}

func (s *session) close() {
	if err := s.tools.Close(context.Background()); err != nil {
		s.Error(err)
	}
}

// step edits the rules, or sends one message or one batch.
func (s *session) step() {
	switch s.pick(8) {
	case 6:
		next := s.world
		s.client(&next, s.pick(len(next.clients)))
		s.put(next)
		s.model = next
	case 7:
		next := s.world
		s.choices.tools(&next)
		s.put(next)
		s.model = next
	case 5:
		s.sendBatch()
	default:
		s.sendOne()
	}
}

// post sends a body as package server hands it over.
func (s *session) post(who int, body string, headers ...string) *httptest.ResponseRecorder {
	w, r := httptest.NewRecorder(), newPost(sessionToken(who), body, headers...)
	p, ok := s.clients.Authenticate(r)
	if !ok {
		w.WriteHeader(http.StatusUnauthorized)
		return w
	}
	s.server.Serve(w, r, s.edge.Exchange(s.clients, p, "REQ1", "192.0.2.7", time.Now()))
	return w
}

func (s *session) sendOne() {
	who := s.pick(len(sessionClients))
	in := s.model.clients[who].in
	era := of(&s.choices, eras...)
	m := s.message(who, era, in)
	w := s.post(who, m.body, append(m.headers, "Accept: "+of(&s.choices, "application/json, text/event-stream", "*/*", "application/json"))...)
	s.audited([]sent{m})
	switch {
	case !in:
		s.want(w.Code == http.StatusUnauthorized, "status %d for a client that is out", w.Code)
	case m.silent:
		s.want(w.Code == http.StatusAccepted && w.Body.Len() == 0, "a notification is answered: %d %s", w.Code, w.Body)
	default:
		answers := messages(s.T, w)
		s.want(len(answers) > 0, "%s is not answered: %d", m.body, w.Code)
		s.judge(m, answers[len(answers)-1])
	}
}

// sendBatch sends up to four messages at once. The client may be out from the second one on.
func (s *session) sendBatch() {
	who := s.pick(len(sessionClients))
	in := s.model.clients[who].in
	var all []sent
	var bodies []string
	for range 1 + s.pick(4) {
		m := s.message(who, batched, in)
		all, bodies = append(all, m), append(bodies, m.body)
	}
	w := s.post(who, "["+strings.Join(bodies, ",")+"]")
	s.audited(all)
	if !in {
		s.want(w.Code == http.StatusUnauthorized, "status %d for a client that is out", w.Code)
		return
	}
	all = slices.DeleteFunc(all, func(m sent) bool { return m.silent })
	answers := []jsontext.Value{}
	if w.Body.Len() > 0 {
		answers = messages(s.T, w)
	}
	s.want(len(answers) == len(all), "%d answers to %d requests", len(answers), len(all))
	for i, m := range all {
		s.judge(m, answers[i])
	}
}

// reply is what of an answer counts here.
type reply struct {
	ID     jsontext.Value `json:"id"`
	Result struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
		NextCursor string `json:"nextCursor"`
	} `json:"result"`
	Error struct {
		Code int `json:"code"`
	} `json:"error"`
}

// judge holds one answer against what the model says.
func (s *session) judge(m sent, answer jsontext.Value) {
	var got reply
	if err := json.Unmarshal(answer, &got); err != nil {
		s.Fatalf("%s: %v", answer, err)
	}
	s.want(string(got.ID) == m.id, "%s has id %s, want %s", m.body, got.ID, m.id)
	if m.refused != "" {
		s.want(strings.TrimSpace(string(answer)) == m.refused, "%s gives %s, want %s", m.body, answer, m.refused)
		return
	}
	s.want(got.Error.Code == m.code || m.stale && got.Error.Code == -32602, "%s gives %s, want the code %d", m.body, answer, m.code)
	if m.tool != "" {
		s.want(len(got.Result.Content) == 1 && got.Result.Content[0].Text == "reached "+m.tool, "%s gives %s", m.body, answer)
	}
	names := []string{}
	for _, one := range got.Result.Tools {
		names = append(names, one.Name)
	}
	if m.listed != nil {
		s.want(slices.Equal(names, m.listed[:min(sessionPage, len(m.listed))]), "%v is listed, want the first of %v", names, m.listed)
		s.want((got.Result.NextCursor != "") == (len(m.listed) > sessionPage), "%d are listed, the cursor is %q", len(m.listed), got.Result.NextCursor)
	}
	for _, name := range names {
		s.want(slices.Contains(m.may, name), "%s lists %s, which is none of %v", m.body, name, m.may)
	}
	if got.Result.NextCursor != "" {
		s.cursors = append(s.cursors, got.Result.NextCursor)
	}
}

// fact is what an event says of a call, times and numbers aside.
type fact struct{ client, user, method, tool, tier, decision, outcome, code string }

func factOf(e store.Event) fact {
	return fact{e.Client, e.User, e.Method, e.Tool, e.Tier, e.Decision, e.Outcome, e.Code}
}

// fact is what the audit has to say of a message that called a tool.
func (m sent) fact() fact {
	f := fact{m.client, "u_" + m.client, "tools/call", m.asked, "", string(m.decision), tools.OutcomeDenied, ""}
	if m.known != "" {
		f.tool, f.tier = m.known, m.tier.String()
	}
	switch {
	case m.tool != "":
		f.outcome = tools.OutcomeOK
	case m.decision == policy.Allowed:
		f.outcome, f.code = tools.OutcomeError, string(tools.CodeInvalidArguments)
	}
	return f
}

// audited holds what was reached and what was written down against the model: one event a call, none of
// anything else.
func (s *session) audited(all []sent) {
	var reached []string
	var want, got []fact
	for _, m := range all {
		if m.decision != "" {
			want = append(want, m.fact())
		}
		if m.tool != "" {
			reached = append(reached, m.tool)
		}
	}
	for _, e := range s.journal.events {
		got = append(got, factOf(e))
	}
	s.want(slices.Equal(s.reached, reached), "%v was reached, want %v", s.reached, reached)
	s.want(slices.Equal(got, want), "the audit has %+v, want %+v", got, want)
	s.want(s.world == s.model, "the world is not what the model says")
	s.journal.events, s.reached = nil, nil
}

func (s *session) want(ok bool, format string, args ...any) {
	s.Helper()
	if !ok {
		s.Fatalf(format, args...)
	}
}
