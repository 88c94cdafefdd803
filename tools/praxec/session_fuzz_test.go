package praxec_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"prax/auth"
	"prax/store"
	"prax/tools/praxec"
)

// sessionDefinition is the workflow of a session: moves for anybody, for a person, under a guard, and an end.
const sessionDefinition = `workflows:
  board:
    initialState: open
    states:
      open:
        transitions:
          note: { target: open, inputSchema: { type: object, required: [text], properties: { text: { type: string } }, additionalProperties: false } }
          close: { target: done }
          sign: { target: done, actor: human }
          more: { target: wide, guards: [ { kind: expr, expr: "$.workflow.input.n > 1" } ] }
      wide: { transitions: { narrow: { target: open } } }
      done: { terminal: true }
`

// sessionMoves are the transitions of each state, with where they lead.
var sessionMoves = map[string]map[string]string{
	"open": {"note": "open", "close": "done", "sign": "done", "more": "wide"},
	"wide": {"narrow": "open"},
}

// board is what the model knows of one workflow.
type board struct {
	id, owner, state string
	version          int64
	n                int
	cancelled        bool
}

// may tells whether a caller could take a transition now, if its arguments fit.
func (b *board) may(p auth.Principal, transition string) bool {
	_, there := sessionMoves[b.state][transition]
	return there && !b.cancelled && (transition != "sign" || p.Roles.Has("human")) && (transition != "more" || b.n > 1)
}

// FuzzWorkflows: whatever two users do with their workflows, what stands in their way is what the model says and nothing
// else: a version rises by one with each move and by no refusal, a link that is not blocked is what can be taken, what is
// somebody else's answers byte for byte like what does not exist, and a list has one's own alone.
func FuzzWorkflows(f *testing.F) {
	for _, seed := range []string{"", "\x00\x00\x00\x01\x01\x00\x00\x00\x00\x03\x00", "\x00\x01\x02\x00\x02\x01\x01\x03\x01\x01\x00\x03\x02\x03\x01\x04\x05", strings.Repeat("\x00\x00\x02\x01\x00\x00\x03\x00\x00", 5), "abcdefghijklmnopqrstuvwxyz0123456789"} {
		f.Add([]byte(seed))
	}
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		f.Setenv("TMPDIR", "/dev/shm") // what is acknowledged has to last no longer than the process here
	}
	h := open(f, "testdata/cases.yaml")
	h.put(written(f, sessionDefinition))
	users := 0
	f.Fuzz(func(t *testing.T, program []byte) {
		h.TB = t
		defer func() { h.TB = f }()
		users++
		one, other := fmt.Sprintf("u%d", users), fmt.Sprintf("v%d", users)
		s := &boards{house: h, left: program, callers: []auth.Principal{client("agent", one), client("person", one, "human"), client("other", other)}}
		for steps := 0; len(s.left) > 0 && steps < 40; steps++ {
			s.step()
		}
		for _, p := range s.callers {
			s.list(p)
		}
	})
}

// boards is a session and its model.
type boards struct {
	*house
	left    []byte
	callers []auth.Principal
	all     []*board
}

// pick is a number below n, the first at the end of the input.
func (s *boards) pick(n int) int {
	if len(s.left) == 0 {
		return 0
	}
	chosen := int(s.left[0]) % n
	s.left = s.left[1:]
	return chosen
}

func (s *boards) step() {
	p := s.callers[s.pick(len(s.callers))]
	op := s.pick(6)
	if op == 0 && len(s.all) < 6 || len(s.all) == 0 {
		s.begin(p)
		return
	}
	b := s.all[s.pick(len(s.all))]
	switch {
	case op == 1:
		s.look(p, b)
	case op == 2:
		s.list(p)
	case op == 3:
		s.cancel(p, b)
	default:
		s.move(p, b)
	}
}

func (s *boards) begin(p auth.Principal) {
	n := s.pick(4)
	a := s.start(p, "board", fmt.Sprintf(`{"n":%d}`, n))
	b := &board{id: a.id(), owner: p.User, state: "open", version: 1, n: n}
	s.all = append(s.all, b)
	s.shows(p, b, a)
}

// foreign tells whether a workflow is somebody else's; then the call must answer as for one that does not exist.
func (s *boards) foreign(p auth.Principal, b *board, tool, arguments string) bool {
	s.Helper()
	if p.User == b.owner {
		return false
	}
	nothing := "wf_" + store.NewID()
	theirs, none := s.raw(p, tool, arguments), s.raw(p, tool, strings.ReplaceAll(arguments, b.id, nothing))
	if theirs != strings.ReplaceAll(none, nothing, b.id) {
		s.Fatalf("%s for %s: %s, and of nothing %s", arguments, p.Client, theirs, none)
	}
	return true
}

func (s *boards) look(p auth.Principal, b *board) {
	arguments := fmt.Sprintf(`{"workflowId":%q}`, b.id)
	if !s.foreign(p, b, praxec.Query, arguments) {
		s.shows(p, b, s.query(p, arguments))
	}
}

// shows holds an answer about a workflow against the model: its state and version, and the links that are open.
func (s *boards) shows(p auth.Principal, b *board, a answer) {
	s.Helper()
	if a.id() != b.id || a.text("workflow.state") != b.state || a.version() != b.version {
		s.Fatalf("%s shows %s, want %+v", p.Client, show(a), b)
	}
	for _, transition := range []string{"note", "close", "sign", "more", "narrow"} {
		l := a.link(transition)
		if offered := l != nil && l["blocked"] == nil; offered != b.may(p, transition) {
			s.Fatalf("%s is offered %s: %t, want %t of %+v: %s", p.Client, transition, offered, !offered, b, a.rels())
		}
	}
}

func (s *boards) list(p auth.Principal) {
	s.Helper()
	var got, want []string
	for _, one := range s.query(p, `{"kind":"instance","limit":200}`)["items"].([]any) {
		got = append(got, answer(one.(map[string]any)).text("workflow.id"))
	}
	for _, b := range slices.Backward(s.all) {
		if b.owner == p.User {
			want = append(want, b.id)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	equal(s, "the list of "+p.Client, got, want)
}

func (s *boards) cancel(p auth.Principal, b *board) {
	arguments := fmt.Sprintf(`{"workflowId":%q,"intent":"cancel"}`, b.id)
	if s.foreign(p, b, praxec.Command, arguments) {
		return
	}
	a := s.command(p, arguments)
	if refused := a.text("error.code") != ""; refused != (b.state == "done") {
		s.Fatalf("%s of %+v: %s", arguments, b, show(a))
	}
	if b.state != "done" && !b.cancelled { // once more says the same again
		b.cancelled, b.version = true, b.version+1
	}
	s.unchanged(p, b)
}

// move takes a transition that may not be there, with a version that may be another and arguments that may not fit.
func (s *boards) move(p auth.Principal, b *board) {
	transition := []string{"note", "close", "sign", "more", "narrow", "none"}[s.pick(6)]
	version := b.version + []int64{0, 0, 0, 1, -1}[s.pick(5)]
	given := s.pick(4)
	arguments := fmt.Sprintf(`{"workflowId":%q,"expectedVersion":%d,"transition":%q,"arguments":%s}`, b.id, max(version, 0), transition, []string{`{"text":"x"}`, `{"text":"x"}`, `{}`, `{"text":5}`}[given])
	if s.foreign(p, b, praxec.Command, arguments) {
		return
	}
	a := s.command(p, arguments)
	if version == b.version && b.may(p, transition) && (transition != "note" || given < 2) {
		b.state, b.version = sessionMoves[b.state][transition], b.version+1
		if code := a.text("error.code"); code != "" {
			s.Fatalf("%s is refused: %s", arguments, show(a))
		}
		s.shows(p, b, a)
		return
	}
	if a.text("error.code") == "" {
		s.Fatalf("%s is taken by %s: %s", arguments, p.Client, show(a))
	}
	s.unchanged(p, b)
}

func (s *boards) unchanged(p auth.Principal, b *board) {
	s.Helper()
	s.shows(p, b, s.get(p, b.id))
}
