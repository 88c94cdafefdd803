package praxec_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"prax/auth"
	"prax/store"
	"prax/tools/definition"
	"prax/tools/executor"
	"prax/tools/praxec"
	"prax/tools/runner"
	"prax/tools/schema"
	"prax/tools/secret"
	"prax/tools/workflow"
)

// probe is an executor that ends as it is told, at once.
type probe struct {
	Mode string `json:"mode"` // ok, fail, or doubt
}

// Check accepts it.
func (*probe) Check(workflow.Surroundings) (auth.Tier, []schema.Violation) { return auth.Medium, nil }

// Prepare resolves nothing.
func (*probe) Prepare(_ context.Context, q executor.Request) (*executor.Run, *workflow.Failure) {
	mode := q.Executor.Spec.(*probe).Mode
	return &executor.Run{Material: map[string]any{"mode": mode}, Tier: q.Executor.Tier, Do: func(context.Context) workflow.Result {
		switch mode {
		case "fail":
			return workflow.Result{Failure: &workflow.Failure{Class: workflow.ClassPermanent, Message: "it said no", Begun: workflow.Answered}}
		case "doubt":
			return workflow.Result{Failure: &workflow.Failure{Class: workflow.ClassTimeout, Message: "it said nothing", Begun: workflow.Doubtful}}
		}
		return workflow.Result{Output: map[string]any{"n": 1.0}}
	}}, nil
}

func kinds() definition.Kinds {
	specs := executor.Specs()
	specs.Executors["probe"] = func() workflow.Spec { return new(probe) }
	return definition.Kinds{Specs: specs}
}

func executors() executor.Kinds {
	return executor.Kinds{"cli": executor.NewCLI(&secret.Source{DataDir: "/nowhere"}), "probe": new(probe)}
}

func (h *house) connection(name string) (*workflow.Connection, bool) {
	c, found := h.set.Load().Connections[name]
	return c, found
}

// live is every client of these tests.
func live(name string) (auth.Principal, bool) {
	for _, p := range []auth.Principal{agent, person, bob, boss} {
		if p.Client == name {
			return p, true
		}
	}
	return auth.Principal{}, false
}

// effects is a house whose workflows run programs: one waits until the file at the path is there.
func effects(t *testing.T) (*house, string) {
	h := open(t, "testdata/cases.yaml")
	file := filepath.Join(t.TempDir(), "release")
	h.put(written(t, fmt.Sprintf(`
connections:
  canary-connection: { kind: cli, command: sh, env: { CANARY: canary-env } }
workflows:
  probe:
    initialState: s
    states:
      s:
        transitions:
          run:
            target: bad
            inputSchema: { type: object, required: [mode], properties: { mode: { type: string } } }
            executor: { kind: cli, command: sh, args: ["-c", "case $1 in ok) echo '{\"a\":1}';; *) exit 3;; esac", canary-argument, "$.arguments.mode"], treatNonZeroAsFailure: false }
            output: { ok: "$.output.success", code: "$.output.exitCode", data: "$.output.json" }
            branches: [ { when: { kind: expr, expr: "$.context.ok == true" }, target: good } ]
          strict: { target: good, executor: { kind: cli, command: sh, args: ["-c", "exit 7"] } }
          wait:
            target: good
            executor: { kind: cli, connection: canary-connection, args: ["-c", "until test -e $0; do sleep 0.02; done; echo $CANARY", %q] }
          doubt: { target: good, executor: { kind: probe, mode: doubt }, output: { n: "$.output.n" } }
      good: { terminal: true }
      bad: { terminal: true }
  broken:
    initialState: a
    states:
      a: { transitions: { boom: { title: Boom, target: b, actor: deterministic, executor: { kind: cli, command: "false" } } } }
      b: { terminal: true }
`, file)))
	return h, file
}

// TestEffects: what a program gives goes into the context, and one that fails changes nothing (cases 47, 56, 58).
func TestEffects(t *testing.T) {
	t.Parallel()
	h, _ := effects(t)
	good := h.submit(agent, h.start(agent, "probe", `{}`), "run", `{"mode":"ok"}`)
	equal(t, "good", good.brief()+" "+show(good["context"]), `good 2 completed {"code":0,"data":{"a":1},"ok":true}`)
	equal(t, "evidence", len(good["evidence"].([]any)), 1)
	equal(t, "its kind", good.text("evidence.0.kind"), "cli_output")
	bad := h.submit(agent, h.start(agent, "probe", `{}`), "run", `{"mode":"x"}`)
	equal(t, "bad", bad.brief()+" "+show(bad["context"]), `bad 2 completed {"code":3,"data":null,"ok":false}`)

	strict := h.submit(agent, h.start(agent, "probe", `{}`), "strict", `{}`)
	equal(t, "strict", strict.brief()+" "+strict.text("error.errorClass")+" "+strict.text("error.attemptedTransition"), "s 1 failed EXECUTOR_FAILED permanent_error strict")
	equal(t, "its links", strict.rels(), "run strict wait doubt")
	equal(t, "nothing waits", strict["attempt"], nil)
	equal(t, "it is as before", h.get(agent, strict.id()).brief(), "s 1 waiting_for_action")

	broken := h.start(agent, "broken", `{}`)
	equal(t, "broken", broken.brief()+" "+broken.text("error.errorClass")+" "+broken.text("error.attemptedTransition"), "a 1 failed CHAIN_FAILED permanent_error boom")
	equal(t, "its recovery", broken.rels()+" "+broken.text("links.0.actor")+" "+broken.text("links.0.args.expectedVersion"), "boom deterministic 1")
	equal(t, "by hand", h.command(agent, show(broken.link("boom")["args"])).brief(), "a 1 failed EXECUTOR_FAILED")
}

// running waits until an attempt of the workflow runs.
func (h *house) running(id string) {
	h.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for bound := time.Now().Add(10 * time.Second); time.Now().Before(bound); <-tick.C {
		found, err := h.runner.Attempts(context.Background(), runner.Work{Principal: agent}, store.AttemptFilter{Status: store.AttemptRunning, Instance: id})
		if err != nil {
			h.Fatal(err)
		}
		if len(found) > 0 {
			return
		}
	}
	h.Fatal("nothing runs")
}

// TestInProgress: while an effect runs there are two things to do, whoever asks, and everything else is refused.
func TestInProgress(t *testing.T) {
	t.Parallel()
	h, file := effects(t)
	a := h.start(agent, "probe", `{}`)
	done := make(chan answer, 1)
	go func() { done <- h.submit(agent, a, "wait", `{}`) }()
	h.running(a.id())

	for _, p := range []auth.Principal{agent, person, boss} {
		got := h.get(p, a.id())
		equal(t, p.Client, got.brief()+" | "+got.rels(), "s 1 in_progress | get cancel")
		equal(t, "the attempt", got.text("attempt.transition")+" "+got.text("attempt.kind")+" "+got.text("attempt.status")+" "+got.text("attempt.tries")+" "+got.text("attempt.since"),
			"wait cli running 1 2026-03-02T08:00:00.000Z")
		equal(t, "its members", len(got["attempt"].(map[string]any)), 6)
		equal(t, "nothing waits for a person", got["pending_human"], nil)
	}
	second := h.submit(agent, a, "wait", `{}`)
	equal(t, "a second one", second.brief()+" | "+second.rels(), "s 1 in_progress IN_PROGRESS | get cancel")
	if second.text("error.hint") == "" {
		t.Error("no hint")
	}
	stale := h.command(agent, fmt.Sprintf(`{"workflowId":%q,"expectedVersion":9,"transition":"wait"}`, a.id()))
	equal(t, "a late one", stale.brief()+" | "+stale.rels(), "s 1 rejected STALE_WORKFLOW_VERSION | get cancel")
	equal(t, "listed", h.query(agent, `{"kind":"instance"}`).text("items.0.result.status"), "in_progress")
	explained := h.query(agent, fmt.Sprintf(`{"workflowId":%q,"transition":"run"}`, a.id()))
	equal(t, "explained", explained.text("blocked.code"), "IN_PROGRESS")

	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	equal(t, "at its end", (<-done).brief(), "good 2 completed")
	equal(t, "listed then", h.query(agent, `{"kind":"instance"}`).text("items.0.result.status"), "completed")
}

// TestCancelWhileRunning: the link ends the workflow, and what ran for it.
func TestCancelWhileRunning(t *testing.T) {
	t.Parallel()
	h, _ := effects(t)
	a := h.start(agent, "probe", `{}`)
	done := make(chan answer, 1)
	go func() { done <- h.submit(agent, a, "wait", `{}`) }()
	h.running(a.id())
	ended := h.command(agent, show(h.get(agent, a.id()).link("cancel")["args"]))
	equal(t, "cancelled", ended.text("status")+" "+ended.rels(), "cancelled get home")
	got := <-done
	equal(t, "the call that waited", got.brief(), "s 2 cancelled "+got.text("error.code"))
	later := h.get(person, a.id())
	equal(t, "what it did is still to be settled", later.brief()+" | "+later.rels(), "s 2 cancelled | reconcile_applied reconcile_not_applied")
	settled := h.command(person, show(later.link("reconcile_not_applied")["args"]))
	equal(t, "and is", settled.brief()+" | "+settled.rels(), "s 2 cancelled | ")
}

// TestUnknown: what may have happened waits for a person, who has the two links that settle it.
func TestUnknown(t *testing.T) {
	t.Parallel()
	h, _ := effects(t)
	for _, p := range []auth.Principal{person, boss} {
		a := h.submit(agent, h.start(agent, "probe", `{}`), "doubt", `{}`)
		equal(t, "in doubt", a.brief()+" | "+a.rels(), "s 1 unknown EFFECT_UNKNOWN | reconcile_applied(ACTOR_MISMATCH) reconcile_not_applied(ACTOR_MISMATCH) get")
		equal(t, "the attempt", a.text("attempt.status")+" "+a.text("attempt.id")[:3], "unknown at_")
		equal(t, "again", h.submit(agent, a, "doubt", `{}`).brief(), "s 1 unknown EFFECT_UNKNOWN")
		equal(t, "listed", h.query(agent, `{"kind":"instance"}`).text("items.0.result.status"), "unknown")
		denied := h.command(agent, show(h.get(agent, a.id()).link("reconcile_applied")["args"]))
		equal(t, "an agent", denied.brief(), "s 1 rejected ACTOR_MISMATCH")

		theirs := h.get(p, a.id())
		equal(t, p.Client, theirs.brief()+" | "+theirs.rels(), "s 1 unknown | reconcile_applied reconcile_not_applied get")
		no := h.command(p, show(theirs.link("reconcile_not_applied")["args"]))
		equal(t, "it did not happen", no.text("workflow.state")+" "+no.text("workflow.version")+" "+no.text("error.code")+show(no["attempt"]), "s 1 null")
		equal(t, "it can be done again", h.get(agent, a.id()).rels(), "run strict wait doubt")

		a = h.submit(agent, h.get(agent, a.id()), "doubt", `{}`)
		args := h.get(p, a.id()).link("reconcile_applied")["args"].(map[string]any)
		args["arguments"].(map[string]any)["output"] = map[string]any{"n": 7.0}
		yes := h.command(p, show(args))
		equal(t, "it happened", yes.text("workflow.state")+" "+yes.text("workflow.version")+" "+yes.text("result.status")+" "+show(yes["context"]), `good 2 completed {"n":7}`)
		equal(t, "a second time", h.command(p, show(args)).text("error.code"), "STALE_WORKFLOW_VERSION")
	}
}

// TestExecutorsStayIn: no answer shows what an executor runs, or where to.
func TestExecutorsStayIn(t *testing.T) {
	t.Parallel()
	h, _ := effects(t)
	a := h.submit(agent, h.start(agent, "probe", `{}`), "doubt", `{}`)
	for _, p := range []auth.Principal{agent, person, boss} {
		for _, asked := range []string{
			`{}`, `{"query":""}`, `{"query":"canary"}`, `{"query":"","kind":"connection"}`, `{"subject":"probe"}`, `{"subject":"canary-connection"}`,
			`{"definitionId":"probe"}`, `{"kind":"instance"}`, `{"approvals":true}`, `{"observe":true}`, `{"workflowId":"ID"}`,
			`{"workflowId":"ID","transition":"wait"}`, `{"workflowId":"ID","subject":"probe"}`, `{"workflowId":"ID","transition":"doubt"}`,
		} {
			text := h.raw(p, praxec.Query, strings.ReplaceAll(asked, "ID", a.id()))
			for _, canary := range []string{"canary-", "CANARY", "exit 7", `"mode":"doubt"`, "treatNonZero"} {
				if strings.Contains(strings.ReplaceAll(text, `"`+"canary-connection"+`"`, ""), canary) {
					t.Errorf("%s for %s shows %s: %s", asked, p.Client, canary, text)
				}
			}
		}
	}
}

// TestWhatAPersonApproves: who approves a HIGH executor is shown what would be run; an agent is told that it waits.
func TestWhatAPersonApproves(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	h.put(written(t, doubts))
	a := h.submit(person, h.start(agent, "doubts", `{}`), "sign", `{}`)
	equal(t, "a person", a.text("pending_human.approval.executor.tier"), "high")
	if does := a.text("pending_human.approval.executor.does.mode"); does != "ok" {
		t.Errorf("a person is not shown what would be run: %s", show(a["pending_human"]))
	}
	got := h.query(agent, `{"workflowId":"`+a.id()+`"}`)
	if text := show(got["pending_human"]); strings.Contains(text, "executor") || !strings.Contains(text, "approval") {
		t.Errorf("an agent is shown %s", text)
	}
}

// TestWhatIsShownToNobodyElse: a person whom a guard keeps from answering is not shown what would be run.
func TestWhatIsShownToNobodyElse(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	h.put(written(t, `
workflows:
  pay:
    visibility: shared
    initialState: s
    states:
      s:
        transitions:
          pay: { target: t, actor: human, risk: high, executor: { kind: probe, mode: ok }, guards: [ { kind: permission, permission: finance } ] }
      t: { terminal: true }
`))
	treasurer := permitting(person, "finance")
	a := h.submit(treasurer, h.start(agent, "pay", `{}`), "pay", `{}`)
	equal(t, "who may answer", a.text("pending_human.approval.executor.tier"), "high")
	for name, who := range map[string]auth.Principal{"a person": person, "somebody else's": client("bob", "bob", "human")} {
		got := h.get(who, a.id())
		equal(t, name, got.text("pending_human.resolve.blocked.code"), "GUARD_REJECTED")
		for _, text := range []string{show(got["pending_human"]), show(h.query(who, `{"approvals":true}`)["pending"])} {
			equal(t, name+" is told that it waits", strings.Contains(text, "approval"), true)
			equal(t, name+" is shown what would be run", strings.Contains(text, "executor"), false)
		}
	}
}

const doubts = `
workflows:
  doubts:
    initialState: s
    states:
      s:
        transitions:
          ok: { target: s, executor: { kind: probe, mode: ok } }
          fail: { target: s, executor: { kind: probe, mode: fail } }
          doubt: { target: t, executor: { kind: probe, mode: doubt } }
          sign: { target: t, actor: human, executor: { kind: probe, mode: ok, risk: high } }
          ask: { target: t, actor: human, executor: { kind: probe, mode: doubt, risk: high } }
      t: { transitions: { next: { target: u, actor: deterministic, executor: { kind: probe, mode: doubt } } } }
      u: { transitions: { back: { target: s }, end: { target: v } } }
      v: { terminal: true }
`

// TestLaw7Effects: links keep what they promise while effects fail, are in doubt, and need an approval.
func TestLaw7Effects(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	h.put(written(t, doubts))
	rapid.Check(t, func(t *rapid.T) {
		callers := []auth.Principal{agent, person, boss}
		id := h.start(agent, "doubts", `{}`).id()
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			p := rapid.SampledFrom(callers).Draw(t, "who")
			var links []answer
			for _, l := range promised(map[string]any(h.get(p, id))) {
				if l.text("args.workflowId") == id {
					links = append(links, l)
				}
			}
			if len(links) == 0 {
				continue
			}
			l := rapid.SampledFrom(links).Draw(t, "link")
			arguments := show(l["args"])
			next := h.ask(p, l.text("method"), arguments)
			switch code := next.text("error.code"); code {
			case "", "EXECUTOR_FAILED", "CHAIN_FAILED", "EFFECT_UNKNOWN": // what came of it
			default:
				t.Fatalf("%s followed %s: %s", p.Client, show(l), show(next))
			}
		}
	})
}
