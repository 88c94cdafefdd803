package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"prax/server/control"
	"prax/store"
)

// What a workflow goes on to do for a signed token is what the token could do itself.

// lawHops use a tool in a step of the server's own, which follows on what somebody does.
const lawHops = `
version: "1.0.0"
workflows:
  lent.hop: &hop
    initialState: s
    states: &states
      s:
        transitions:
          go: { target: t }
          act: { target: t, executor: { kind: cli, command: "true" } }
          ask: { target: t, executor: { kind: human } }
      t: { transitions: { use: { target: u, actor: deterministic, executor: { kind: tool, tool: law.low } } } }
      u: { terminal: true }
  lent.late: { initialState: s, timeoutMs: 60000, onTimeout: { target: t }, states: *states }
  other.hop: *hop
`

var (
	lender = lawClient{name: "keeper", user: keeper.user, token: keeper.token, allow: append([]string{"law_low"}, praxecNames...)}
	signer = lawClient{name: "signer", user: keeper.user, token: "law-token-signer-0123456789", allow: lender.allow, extra: `,"roles":["human"]`}
)

// lawGoesOn are the ways in which a workflow that somebody has started goes on to use its tool.
var lawGoesOn = map[string]struct {
	definition string
	run        func(l *lawApp, by lawClient, id string, between func())
}{
	"chain in the same answer": {"lent.hop", func(l *lawApp, by lawClient, id string, _ func()) { l.take(by, id, 1, "go") }},
	"chain after an effect":    {"lent.hop", func(l *lawApp, by lawClient, id string, _ func()) { l.take(by, id, 1, "act") }},
	"yes of a person": {"lent.hop", func(l *lawApp, by lawClient, id string, between func()) {
		l.take(by, id, 1, "ask")
		between()
		l.take(signer, id, 2, "ask")
	}},
	"timeout that others meet": {"lent.late", func(l *lawApp, _ lawClient, id string, between func()) {
		between()
		l.ahead.Add(int64(2 * time.Minute))
		l.see(signer, id)
	}},
}

// take takes a transition, and waits until nothing runs.
func (l *lawApp) take(c lawClient, id string, version int, transition string) string {
	l.t.Helper()
	got := lawRoutes()[2].call(l, c, "praxec.command", fmt.Sprintf(`{"workflowId":%q,"expectedVersion":%d,"transition":%q}`, id, version, transition))
	l.idle()
	return got
}

func (l *lawApp) see(c lawClient, id string) string {
	l.t.Helper()
	got := lawRoutes()[2].call(l, c, "praxec.query", fmt.Sprintf(`{"workflowId":%q}`, id))
	l.idle()
	return got
}

// idle waits until no executor runs.
func (l *lawApp) idle() {
	l.t.Helper()
	o := control.NewOperator(l.app.controlConfig(), os.Getuid())
	within(l.t, "nothing runs", func() bool { return operationsOf(l.t, o, store.AttemptRunning) == 0 })
}

// lent is a client with a signed token that it was lent out by.
func (l *lawApp) lent(c lawClient, allow ...string) lawClient {
	l.t.Helper()
	order := control.TokenOrder{As: c.name, Seconds: 3600, Workflows: &[]string{"lent.*"}}
	if allow != nil {
		order.Allow = &allow
	}
	c.token = l.makeSigned(order)
	l.signed.byClient = map[string]string{granted.name: c.token} // for revokeSigned
	return c
}

// TestLaw1LentWorkReachesNoMore: what goes on for a signed token reaches a tool exactly if the token leaves it, whatever
// else the client has; and a definition that it leaves out is none.
func TestLaw1LentWorkReachesNoMore(t *testing.T) {
	t.Parallel()
	for name, way := range lawGoesOn {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLawApp(t, true)
			l.defineOver(lawHops)
			l.write(lender, signer)
			for what, tt := range map[string]struct {
				by   lawClient
				want int64
			}{
				"the client itself":         {lender, 1},
				"lent without the tool":     {l.lent(lender, praxecNames...), 0},
				"lent with it":              {l.lent(lender, append([]string{"law.low"}, praxecNames...)...), 1},
				"lent with all that it has": {l.lent(lender), 1},
			} {
				before := l.reached()
				id := l.begin(lawRoutes()[2], tt.by, way.definition)
				way.run(l, tt.by, id, func() {})
				if got := l.reached() - before; got != tt.want {
					t.Errorf("%s: the tool is reached %d times, want %d: %s", what, got, tt.want, l.see(lender, id))
				}
				if got := lawRoutes()[2].call(l, tt.by, "praxec.command", `{"definitionId":"other.hop"}`); workflowID.MatchString(got) != (tt.by.token == lender.token) {
					t.Errorf("%s: of a definition that is left out: %s", what, got)
				}
			}
		})
	}
}

// TestLaw3LentWorkEnds: once a signed token is none, nothing more is done for it; a person finds its work, and goes on with
// it as who they are.
func TestLaw3LentWorkEnds(t *testing.T) {
	t.Parallel()
	rotated := lender
	rotated.token = "law-token-another-0123456789"
	ends := map[string]func(*lawApp){
		"revoked":        func(l *lawApp) { l.revokeSigned() },
		"lapsed":         func(l *lawApp) { l.ahead.Add(int64(time.Hour)) },
		"client rotated": func(l *lawApp) { l.write(rotated, signer) },
		"client out":     func(l *lawApp) { l.write(signer) },
	}
	for name, version := range map[string]int{"yes of a person": 3, "timeout that others meet": 2} {
		way := lawGoesOn[name]
		for what, end := range ends {
			t.Run(name+", "+what, func(t *testing.T) {
				t.Parallel()
				l := newLawApp(t, true)
				l.defineOver(lawHops)
				l.write(lender, signer)
				by := l.lent(lender)
				id := l.begin(lawRoutes()[2], by, way.definition)
				way.run(l, by, id, func() { end(l) })
				got := l.see(signer, id)
				if l.reached() != 0 || strings.Contains(got, `"completed"`) {
					t.Errorf("it went on: %s", got)
				}
				if l.take(signer, id, version, "use"); l.reached() != 1 {
					t.Errorf("a person cannot take it on: %s", l.see(signer, id))
				}
			})
		}
	}
}
