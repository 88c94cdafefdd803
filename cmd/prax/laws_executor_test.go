package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/server/control"
	"prax/store"
	"prax/tools"
	"prax/tools/definition"
)

// The laws hold for what has an effect too: for tools of the operator's own that start programs, and for tools that a
// workflow calls on behalf of a client.

var doer = lawClient{name: "doer", user: "u_doer", token: "law-token-doer-0123456789", allow: []string{"law.run", "law_wipe"}}

// made is how many files a program has left in a directory.
func made(t *testing.T, dir string) int {
	t.Helper()
	found, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(found)
}

// programs are two tools that leave a file in dir each time that they run.
func programs(dir string) string {
	const tool = `  %s: { title: %[1]s, description: D., risk: %s, expose: tool, inputSchema: { type: object, properties: { n: { type: integer } }, additionalProperties: false },
    executor: { kind: cli, command: mktemp, args: [%q] } }
`
	at := filepath.Join(dir, "ran.XXXXXX")
	return "version: \"1\"\ncapabilities:\n" + fmt.Sprintf(tool, "law.run", "medium", at) + fmt.Sprintf(tool, "law.wipe", "high", at)
}

// TestLaw1DirectTools: a tool with an effect is listed exactly for whom it runs; who was not granted it, and nobody for
// a HIGH one, is answered as if there were none, and nothing runs.
func TestLaw1DirectTools(t *testing.T) {
	eachRoute(t, func(t *testing.T, r lawRoute, with, without *lawApp) {
		dir := t.TempDir()
		with.define(write(t, "praxec.yaml", programs(dir)))
		for _, l := range []*lawApp{with, without} {
			l.write(doer, narrow)
		}
		if r.list != nil {
			if got := strings.Join(r.list(with, doer), " "); got != "law.run" {
				t.Errorf("listed: %s", got)
			}
		}
		for n, name := range spellings("law.run") {
			if got := r.call(with, doer, name, `{"n":1}`); made(t, dir) != n+1 || !strings.Contains(got, "exitCode") {
				t.Errorf("%s ran %d times: %s", name, made(t, dir), got)
			}
		}
		before := made(t, dir)
		for _, tt := range []struct {
			by   lawClient
			tool string
		}{{narrow, "law.run"}, {narrow, "law_run"}, {doer, "law.wipe"}, {doer, "law_wipe"}, {narrow, "law.wipe"}} {
			for _, arguments := range []string{`{}`, `{"n":"x"}`, `[]`} {
				if diff := cmp.Diff(r.call(without, tt.by, tt.tool, arguments), r.call(with, tt.by, tt.tool, arguments)); diff != "" {
					t.Errorf("%s calls %s with %s (-missing +forbidden):\n%s", tt.by.name, tt.tool, arguments, diff)
				}
			}
		}
		with.write(narrow)
		if diff := cmp.Diff(r.call(with, nobody, "law.run", `{}`), r.call(with, doer, "law.run", `{}`)); diff != "" {
			t.Errorf("revoked (-unknown +revoked):\n%s", diff)
		}
		if made(t, dir) != before {
			t.Error("a program ran")
		}
	})
}

const lawUses = `
version: "1.0.0"
workflows:
  use.low:
    initialState: s
    states: { s: { transitions: { use: { target: t, executor: { kind: tool, tool: law.low } } } }, t: { terminal: true } }
  use.granted:
    grants: [law.low]
    initialState: s
    states: { s: { transitions: { use: { target: t, executor: { kind: tool, tool: law.low } } } }, t: { terminal: true } }
`

// defineUses defines workflows that use the tools of the laws.
func (l *lawApp) defineUses() { l.t.Helper(); l.defineOver(lawUses) }

// defineOver defines workflows that may use the tools of the laws.
func (l *lawApp) defineOver(text string) {
	l.t.Helper()
	all := ownTools()
	for _, name := range []string{"law.low", "law.medium", "law.high"} {
		tool, found := l.app.tools.Find(name)
		if !found {
			l.t.Fatalf("there is no tool %s", name)
		}
		all = append(all, tool)
	}
	set, problems := definition.Load(write(l.t, "praxec.yaml", text), kinds(), all...)
	if set == nil {
		l.t.Fatal(problems)
	}
	if err := l.app.applyDefinitions(set); err != nil {
		l.t.Fatal(err)
	}
}

// changing is what differs from one run of a workflow to the next.
var changing = regexp.MustCompile(`(wf|at|ev|ap|cor)_[0-9a-z]{26}|\d{4}-\d\d-\d\dT[0-9:.]+Z|Content-Length: \d+`)

// use starts a workflow and takes its step on a route, and returns the answer to that.
func (l *lawApp) use(r lawRoute, c lawClient, definition string) string {
	l.t.Helper()
	id := l.begin(r, c, definition)
	got := r.call(l, c, "praxec.command", fmt.Sprintf(`{"workflowId":%q,"expectedVersion":1,"transition":"use"}`, id))
	return changing.ReplaceAllString(got, "…")
}

// TestLaw1ToolExecutor: a workflow calls a tool for a client that was granted it, or that reaches it by the grants of
// the definition, and for nobody else: that ends like the call of a tool that is not there.
func TestLaw1ToolExecutor(t *testing.T) {
	uses := func(allow ...string) lawClient {
		c := keeper
		c.allow = append(append([]string{}, praxecNames...), allow...)
		return c
	}
	eachRoute(t, func(t *testing.T, r lawRoute, with, without *lawApp) {
		without.addTools()
		for _, l := range []*lawApp{with, without} {
			l.defineUses()
		}
		if err := without.app.tools.Set("laws", nil); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			name, definition string
			by               lawClient
			ran              int64
		}{
			{"allowed", "use.low", uses("law_low"), 1},
			{"granted", "use.granted", uses(), 1},
			{"neither", "use.low", uses("law.medium"), 0},
		} {
			with.write(tt.by)
			without.write(tt.by)
			before := with.reached()
			got := with.use(r, tt.by, tt.definition)
			if ran := with.reached() - before; ran != tt.ran {
				t.Errorf("%s: the handler ran %d times: %s", tt.name, ran, got)
			}
			if missing := without.use(r, tt.by, tt.definition); tt.ran == 0 && !cmp.Equal(missing, got) {
				t.Errorf("%s (-missing +forbidden):\n%s", tt.name, cmp.Diff(missing, got))
			}
		}
		// Law 2: what is HIGH by now is not called, whoever was granted it.
		by := uses("law.low")
		with.write(by)
		without.write(by)
		with.raise("law.low")
		for _, id := range []string{"use.low", "use.granted"} {
			before := with.reached()
			if got := with.use(r, by, id); with.reached() != before || !strings.Contains(got, "EXECUTOR_FAILED") {
				t.Errorf("%s with a tool that is HIGH by now: %s", id, got)
			}
		}
	})
}

// raise makes a tool of the laws HIGH.
func (l *lawApp) raise(name string) {
	l.t.Helper()
	old, _ := l.app.tools.Find(name)
	high := *old
	high.Tier = auth.High
	if err := l.app.tools.Set("laws", []*tools.Tool{&high}); err != nil {
		l.t.Fatal(err)
	}
}

// TestLaw3EffectsAreJudgedMidway: a client that is out while an effect of its runs has that one finished, and nothing is
// begun for it after that.
func TestLaw3EffectsAreJudgedMidway(t *testing.T) {
	t.Parallel()
	l := newLawApp(t, false)
	dir := t.TempDir()
	release, second := filepath.Join(dir, "release"), filepath.Join(dir, "second")
	l.define(write(t, "praxec.yaml", fmt.Sprintf(`
version: "1.0.0"
workflows:
  hops:
    initialState: a
    states:
      a: { transitions: { go: { target: b, executor: { kind: cli, command: sh, args: [-c, 'until test -e "$0"; do sleep 0.05; done', %q] } } } }
      b: { transitions: { next: { actor: deterministic, target: c, executor: { kind: cli, command: touch, args: [%q] } } } }
      c: { terminal: true }
`, release, second)))
	l.write(keeper)
	route := lawRoutes()[2]
	id := l.begin(route, keeper, "hops")
	var answered atomic.Pointer[string]
	go func() {
		got := l.post(keeper, "/mcp", "2025-06-18", "", "", lawCall("", "", "praxec.command",
			fmt.Sprintf(`{"workflowId":%q,"expectedVersion":1,"transition":"go"}`, id)))
		answered.Store(&got)
	}()
	o := control.NewOperator(l.app.controlConfig(), os.Getuid())
	operations := func(status store.AttemptStatus) int { return operationsOf(t, o, status) }
	within(t, "the first program runs", func() bool { return operations(store.AttemptRunning) == 1 })
	l.write(stranger)
	if err := os.WriteFile(release, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	within(t, "the first program is done", func() bool { return operations(store.AttemptDone) == 1 })
	within(t, "the call is over", func() bool { return answered.Load() != nil })
	within(t, "nothing runs", func() bool { return operations(store.AttemptRunning) == 0 })
	if exists(second) || operations("") != 1 {
		t.Errorf("something was begun for a client that is out; the answer was %s", *answered.Load())
	}
	shown, err := o.Drive(t.Context(), control.Request{Tool: "praxec.query", Arguments: fmt.Appendf(nil, `{"workflowId":%q}`, id)})
	if err != nil || !strings.Contains(string(shown.Structured), `"state":"b"`) {
		t.Errorf("%s: %v", shown.Structured, err)
	}
	noted := func() (found bool) {
		err := l.app.db.View(t.Context(), func(tx store.Tx) error {
			all, err := tx.EventsAfter(0, store.MaxPage)
			for _, e := range all {
				found = found || strings.Contains(e.Detail+e.Code, "CLIENT_REVOKED")
			}
			return err
		})
		return err == nil && found
	}
	within(t, "the audit says why", noted)
}
