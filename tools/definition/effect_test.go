package definition_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/tools/definition"
	"prax/tools/workflow"
)

// effects is the fixture of executors with an effect.
func effects(t testing.TB) *definition.Set {
	t.Helper()
	return loaded(t, "testdata/effects.yaml")
}

// TestEffects: an executor arrives with its configuration in one spelling, its key, and how it is tried; that of a
// capability too, where what is said nearer counts.
func TestEffects(t *testing.T) {
	t.Parallel()
	const key, line = ` key ""`, `{"args":["$.arguments.n"],"connection":"line"}` + ` key ""`
	want := map[string]string{
		"plain":    `probe medium {"body":{"deep":["$.context.n",null],"n":1},"env":{"A":"1","B":"2"},"target":"x"}`,
		"said":     `probe low {}`,
		"run":      `script medium {"subject":"test.it"} key "{workflowId}-{transition}-{correlationId}"`,
		"call":     `tool low {"tool":"clock"}`,
		"call_pay": `tool medium {"tool":"calls_pay"}`,
		"pay":      `probe medium ` + line + ` tries 1s 3 none 0s 0s []`,
		"again":    `probe medium ` + line + ` tries 5ms 1 none 0s 0s []`,
		"wipe":     `probe high {"connection":"danger"}`,
		"tried": `probe medium {"connection":"line"}` + key + ` tries 2.5s 4 exponential 100ms 3s ["connection_error" "timeout"]` +
			` or rest medium {"connection":"rated"}` + key + ` or probe low {"target":"y"}` + key,
		"onEnter": `rest medium {} tries 0s 2 none 0s 0s []`,
		"pay_it":  `probe medium ` + line + ` tries 7ms 1 none 0s 0s []`,
		"inline":  `probe medium {"args":["$.arguments.n"]} tries 9ms 1 none 0s 0s []`,
	}
	got := map[string]string{}
	for _, d := range effects(t).Definitions {
		for _, s := range d.States {
			if s.OnEnter != nil {
				got["onEnter"] = s.OnEnter.Executor.Kind + " " + s.OnEnter.Executor.Tier.String() + effectText(s.OnEnter.Executor)
			}
			for _, move := range s.Transitions {
				got[move.Name] = move.Executor.Kind + " " + move.Executor.Tier.String() + effectText(move.Executor)
				if move.Executor.Reliability.Tries < 1 {
					t.Errorf("%s: tried %d times", move.Name, move.Executor.Reliability.Tries)
				}
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("executors (-want +got):\n%s", diff)
	}
}

// TestPinnedScript: a script that an executor runs is part of the text, and the executor finds it there.
func TestPinnedScript(t *testing.T) {
	t.Parallel()
	d := effects(t).Definition("acts")
	again, err := definition.Decode(d.Text, kinds)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []*workflow.Definition{d, again} {
		spec := one.States[0].Transition("run").Executor.Spec.(*runs)
		if spec.script == nil || spec.script.Body != "#!/bin/sh\necho ok\n" || spec.script.Hash != one.Library["test.it"].Hash {
			t.Errorf("script %+v", spec.script)
		}
	}
	if spec := d.States[0].Transition("plain").Executor.Spec.(*probe); !strings.HasSuffix(spec.dir, "/tools/definition/testdata") {
		t.Errorf("read in the folder %q", spec.dir)
	}
	if strings.Contains(string(d.Text), "TOKEN") || strings.Contains(string(d.Text), "address") {
		t.Errorf("a connection is part of %s", d.Text)
	}
}

// tierOf is the tier of the executor of the one transition of a file with these connections and capabilities before.
func tierOf(t *testing.T, before, transition string) (auth.Tier, definition.Problems) {
	t.Helper()
	set, problems := definition.Load(write(t, "a.yaml", "version: \"1\"\n"+before+"workflows: { w: { initialState: s, states: { s: { transitions: { go: { target: s, "+transition+" } } } } } }\n"), kinds, own...)
	if set == nil {
		return auth.TierUnknown, problems
	}
	d := set.Definition("w")
	again, err := definition.Decode(d.Text, kinds)
	if err != nil {
		t.Fatal(err)
	}
	tier := d.States[0].Transitions[0].Executor.Tier
	if pinned := again.States[0].Transitions[0].Executor.Tier; pinned != tier {
		t.Errorf("%s: %v, and %v once pinned", transition, tier, pinned)
	}
	return tier, problems
}

// TestTiers: an executor has the highest tier that anything on the way to it says, in its text too; what nobody speaks of
// is MEDIUM, and what calls a tool has that of the tool.
func TestTiers(t *testing.T) {
	t.Parallel()
	const connections = "connections: { l: { kind: probe, address: a, risk: low }, n: { kind: probe, address: a }, m: { kind: probe, address: a, risk: medium }, h: { kind: probe, address: a, risk: high } }\n"
	const abilities = connections + "capabilities:\n  l: { risk: low, executor: { kind: probe } }\n  n: { executor: { kind: probe } }\n  h: { risk: high, executor: { kind: probe } }\n  w: { wraps: h, risk: low }\n" +
		"  t.low: { risk: low, description: D, expose: tool, executor: { kind: probe } }\n  t.high: { risk: low, description: D, expose: tool, executor: { kind: probe, connection: h } }\n  t.echo: { risk: medium, description: D, expose: tool, executor: { kind: echo } }\n" +
		"  t.via: { risk: low, description: D, expose: tool, executor: { kind: tool, tool: t.high } }\n"
	const tried = ", reliability: { fallback: { executors: [ %s ] } }"
	for transition, want := range map[string]auth.Tier{
		"executor: { kind: probe }":                                                                               auth.Medium,
		"executor: { kind: rest }":                                                                                auth.Medium,
		"executor: { kind: noop }":                                                                                auth.Low,
		"risk: low, executor: { kind: probe }":                                                                    auth.Low,
		"executor: { kind: probe, risk: low }":                                                                    auth.Low,
		"risk: low, executor: { kind: probe, risk: medium }":                                                      auth.Medium,
		"executor: { kind: probe, connection: l }":                                                                auth.Low,
		"executor: { kind: probe, connection: n }":                                                                auth.Medium,
		"risk: low, executor: { kind: probe, connection: n }":                                                     auth.Low,
		"risk: low, executor: { kind: probe, connection: m }":                                                     auth.Medium,
		"risk: low, executor: { kind: probe, connection: h }":                                                     auth.High,
		"risk: low, executor: { kind: probe, args: [danger] }":                                                    auth.High,
		"executor: { capability: l }":                                                                             auth.Low,
		"executor: { capability: n }":                                                                             auth.Medium,
		"executor: { capability: w }":                                                                             auth.High,
		"executor: { kind: tool, tool: clock }":                                                                   auth.Low,
		"risk: medium, executor: { kind: tool, tool: clock }":                                                     auth.Medium,
		"executor: { kind: tool, tool: note_create }":                                                             auth.Medium,
		"risk: low, executor: { kind: tool, tool: note_create }":                                                  auth.Medium,
		"risk: low, executor: { kind: tool, tool: note_delete }":                                                  auth.High,
		"executor: { kind: tool, tool: t.low }":                                                                   auth.Low,
		"executor: { kind: tool, tool: t_low }":                                                                   auth.Low,
		"executor: { kind: tool, tool: t.echo }":                                                                  auth.Medium,
		"executor: { kind: tool, tool: t.high }":                                                                  auth.High,
		"executor: { kind: tool, tool: t_via }":                                                                   auth.High,
		"executor: { kind: probe, risk: low }" + fmt.Sprintf(tried, "{ kind: probe }"):                            auth.Medium,
		"risk: low, executor: { kind: probe }" + fmt.Sprintf(tried, "{ kind: probe }"):                            auth.Low,
		"risk: low, executor: { kind: probe }" + fmt.Sprintf(tried, "{ kind: probe, connection: h }"):             auth.High,
		"risk: low, executor: { kind: probe }" + fmt.Sprintf(tried, "{ kind: probe }, { capability: h }"):         auth.High,
		"risk: low, executor: { kind: probe }" + fmt.Sprintf(tried, "{ kind: tool, tool: note_delete }"):          auth.High,
		"risk: low, executor: { kind: probe }" + fmt.Sprintf(tried, "{ kind: probe, args: [danger], risk: low }"): auth.High,
	} {
		if got, problems := tierOf(t, abilities, "actor: human, "+transition); got != want {
			t.Errorf("%s: %v, want %v (%v)", transition, got, want, problems)
		}
		if got, problems := tierOf(t, abilities, transition); (got == auth.TierUnknown) != (want == auth.High) || want == auth.High && !codes(problems)[definition.Misplaced] {
			t.Errorf("%s by an agent: %v (%v)", transition, got, problems)
		}
	}
}

// TestCapabilities: what is exposed with an effect is no tool yet, but a capability that can be made one, with its tier
// by everything that it leads to.
func TestCapabilities(t *testing.T) {
	t.Parallel()
	set := effects(t)
	if len(set.Tools) != 0 {
		t.Errorf("tools %v", set.Tools)
	}
	var got []string
	for _, c := range set.Capabilities {
		got = append(got, fmt.Sprintf("%s %q %q %v %s %v%s", c.Name, c.Title, c.Description, c.Tier, c.Input, c.Output, effectText(c.Executor)))
	}
	if diff := cmp.Diff([]string{
		`pay "Pay" "Pays once." medium {"type":"object","properties":{"n":{"type":"integer"}}} null {"args":["$.arguments.n"],"connection":"line"} key "" tries 1s 3 none 0s 0s []`,
		`calls.pay "" "Calls." medium {"type":"object","additionalProperties":false} null {"tool":"pay"}`,
		`wipe "" "Wipes." high {"type":"object","additionalProperties":false} null {}`,
	}, got); diff != "" {
		t.Errorf("capabilities (-want +got):\n%s", diff)
	}
}

// TestWrongEffects: what an executor with an effect cannot be is an error that says where.
func TestWrongEffects(t *testing.T) {
	t.Parallel()
	const go_ = "/workflows/w/states/s/transitions/go"
	const exposed = "capabilities: { c: { expose: tool, description: D, risk: low, %s } }"
	many := strings.Repeat("{ kind: probe }, ", 21)
	rows(t, []row{
		{"an unknown key", inTransition, "executor: { kind: probe, tagret: x }", []string{`unknown-key ` + go_ + `/executor/tagret: did you mean "target"?`}},
		{"a key that the kind keeps for itself", inTransition, "executor: { kind: probe, \"\": x, dir: y }", []string{`unknown-key ` + go_ + `/executor/: "" is not known`, `unknown-key ` + go_ + `/executor/dir: "dir" is not known`}},
		{"a wrong type", inTransition, "executor: { kind: probe, args: [1], env: { A: 1 }, strict: x }", []string{"wrong-type " + go_ + "/executor/args/0: must be a string", "wrong-type " + go_ + "/executor/env/A: must be a string, is a number", "wrong-type " + go_ + "/executor/strict: must be true or false"}},
		{"what the kind refuses", inTransition, "executor: { kind: probe, target: $.arguments.x, args: [x, $.output.y] }", []string{"bad-value " + go_ + "/executor/target: must be a literal", "bad-value " + go_ + "/executor/args/1: is no path"}},
		{"arguments on entering", inRoot, "workflows: { w: { initialState: a, states: { a: { transitions: { go: { target: s } } }, s: { onEnter: { executor: { kind: probe, args: [$.arguments.x] } } } } } }", []string{"bad-value /workflows/w/states/s/onEnter/executor/args/0: is no path"}},
		{"an effect where it begins", inState, "onEnter: { executor: { kind: probe } }", []string{"misplaced /workflows/w/states/s/onEnter/executor: let a deterministic transition do it"}},
		{"a number that is not kept", inTransition, "executor: { kind: probe, body: 9007199254740993 }", []string{"bad-value " + go_ + "/executor/body: is no number that every reader keeps"}},
		{"a connection that there is not", "version: \"1\"\nconnections: { base: { kind: probe, address: a } }\nworkflows: { w: { initialState: s, states: { s: { transitions: { go: { target: s, %s } } } } } }\n", "executor: { kind: probe, connection: bsae }",
			[]string{`unknown-name ` + go_ + `/executor/connection: names no connection: "bsae": did you mean "base"?`}},
		{"a tool that there is not", inTransition, "executor: { kind: tool, tool: clokc }", []string{"bad-value " + go_ + "/executor/tool: is no tool"}},
		{"a tool that is a capability only", inRoot, "capabilities: { c: { executor: { kind: probe } }, d: { executor: { kind: tool, tool: c } } }", []string{"bad-value /capabilities/d/executor/tool: is no tool"}},
		{"a script that there cannot be", inTransition, "executor: { kind: script, subject: Test }", []string{"bad-value " + go_ + "/executor/subject: is no script"}},
		{"a tool of a script that there is not", inRoot, fmt.Sprintf(exposed, "executor: { kind: script, subject: test.it }"), []string{"bad-value /capabilities/c/executor/subject: is no script"}},
		{"a script that is a skill", inRoot, "skills: { plan.it: { verb: plan, lifecycle: stable, body: B } }\nworkflows: { w: { initialState: s, states: { s: { transitions: { go: { target: s, executor: { kind: script, subject: plan.it } } } } } } }", []string{"bad-value " + go_ + "/executor/subject: is no script"}},
		{"a name of reconciliation", inState, "transitions: { reconcile_applied: { target: t }, reconcile_not_applied: { target: t } }", []string{
			"name-taken /workflows/w/states/s/transitions/reconcile_applied: settles an effect in doubt", "name-taken /workflows/w/states/s/transitions/reconcile_not_applied: settles"}},
		{"an exposure of that name", inRoot, "proxy: { expose: [ { name: reconcile_applied, executor: { kind: noop } } ] }", []string{"name-taken /proxy/expose/0: settles an effect in doubt"}},

		{"a key of nothing", inTransition, "executor: { kind: probe, idempotencyKey: \"\" }", []string{"bad-value " + go_ + "/executor/idempotencyKey: must be 1 to 200 bytes of printable ASCII"}},
		{"a key that is a number", inTransition, "executor: { kind: probe, idempotencyKey: 5 }", []string{"wrong-type " + go_ + "/executor/idempotencyKey: must be true, or a text, is a number"}},
		{"a key of two lines", inTransition, "executor: { kind: probe, idempotencyKey: \"{workflowId}\\r\\nX: y\" }", []string{"bad-value " + go_ + "/executor/idempotencyKey: printable ASCII"}},
		{"a key with another name", inTransition, "executor: { kind: probe, idempotencyKey: \"{workflowId}{state}\" }", []string{"bad-template " + go_ + `/executor/idempotencyKey: has "{state}": known are {workflowId}, {transition}, {correlationId}`}},
		{"a key with a brace", inTransition, "executor: { kind: probe, idempotencyKey: \"{workflowId}{\" }", []string{"bad-template " + go_ + "/executor/idempotencyKey: has a brace by itself"}},
		{"a key for all runs", inTransition, "executor: { kind: probe, idempotencyKey: \"pay-{transition}\" }", []string{"bad-value " + go_ + "/executor/idempotencyKey: would be one for every run"}},

		{"a key of a tool", inTransition, "executor: { kind: tool, tool: clock, idempotencyKey: true }", []string{"INVALID_RELIABILITY_POLICY " + go_ + "/executor/idempotencyKey: would be handed to nobody"}},
		{"a fallback without the key", inRoot, fmt.Sprintf(exposed, "executor: { kind: probe }") + "\nworkflows: { w: { initialState: s, states: { s: { transitions: { go: { target: s, executor: { kind: probe, idempotencyKey: true }, reliability: { fallback: { executors: [ { kind: tool, tool: c }, { kind: tool, tool: clock } ] } } } } } } } }",
			[]string{"INVALID_RELIABILITY_POLICY " + go_ + "/reliability/fallback/executors/0: is a tool, which takes no key"}},

		{"a policy that is none", inTransition, "executor: { kind: probe }, reliability: fast", []string{"INVALID_RELIABILITY_POLICY " + go_ + "/reliability: must be an object"}},
		{"a policy of other words", inTransition, "executor: { kind: probe }, reliability: { timeout: 5, retry: { attempts: 2, backoff: linear } }", []string{
			`INVALID_RELIABILITY_POLICY ` + go_ + `/reliability/timeout: did you mean "timeoutMs"?`, `INVALID_RELIABILITY_POLICY ` + go_ + `/reliability/retry/attempts: "attempts" is not known`}},
		{"a policy out of bounds", inTransition, "executor: { kind: probe, idempotencyKey: true }, reliability: { timeoutMs: 0, retry: { maxAttempts: 101, backoff: linear, initialDelayMs: -1, maxDelayMs: 86400001, retryOn: [always] } }", []string{
			"INVALID_RELIABILITY_POLICY " + go_ + "/reliability/timeoutMs: must be 1 to 86400000 milliseconds", "INVALID_RELIABILITY_POLICY " + go_ + "/reliability/retry/maxAttempts: must be 1 to 100, is 101",
			"INVALID_RELIABILITY_POLICY " + go_ + "/reliability/retry/backoff: must be none, fixed or exponential", "INVALID_RELIABILITY_POLICY " + go_ + "/reliability/retry/initialDelayMs: must be 0 to",
			"INVALID_RELIABILITY_POLICY " + go_ + "/reliability/retry/maxDelayMs: must be 0 to 86400000", "INVALID_RELIABILITY_POLICY " + go_ + "/reliability/retry/retryOn/0: must be timeout, rate_limited"}},
		{"a fallback of nothing", inTransition, "executor: { kind: probe, idempotencyKey: true }, reliability: { fallback: { executors: [], strategy: all } }", []string{
			"INVALID_RELIABILITY_POLICY " + go_ + "/reliability/fallback/executors: must be 1 to 20 executors", "INVALID_RELIABILITY_POLICY " + go_ + "/reliability/fallback/strategy: must be first_success"}},
		{"too many fallbacks", inTransition, "executor: { kind: probe, idempotencyKey: true }, reliability: { fallback: { executors: [ " + many + " ] } }", []string{"INVALID_RELIABILITY_POLICY " + go_ + "/reliability/fallback/executors: must be 1 to 20 executors"}},
		{"fallbacks that cannot be", inTransition, "executor: { kind: probe, idempotencyKey: true }, reliability: { fallback: { executors: [ { kind: noop }, { kind: human }, { kind: probe, idempotencyKey: true }, { kind: echo }, { kind: probe, reliability: {} }, x, {} ] } }", []string{
			"INVALID_RELIABILITY_POLICY " + go_ + `/reliability/fallback/executors/0/kind: is "noop", which has no effect`, "INVALID_RELIABILITY_POLICY " + go_ + `/reliability/fallback/executors/1/kind: is "human"`,
			"INVALID_RELIABILITY_POLICY " + go_ + "/reliability/fallback/executors/2/idempotencyKey: is that of the executor", "UNKNOWN_EXECUTOR_KIND " + go_ + "/reliability/fallback/executors/3/kind: answers only for a tool",
			"unknown-key " + go_ + "/reliability/fallback/executors/4/reliability: ", "wrong-type " + go_ + "/reliability/fallback/executors/5: must be an object", "missing-key " + go_ + "/reliability/fallback/executors/6: has no kind"}},
		{"a guarded fallback", inRoot, "capabilities: { c: { executor: { kind: probe }, guards: [ { kind: role, role: r } ] } }\nworkflows: { w: { initialState: s, states: { s: { transitions: { go: { target: s, executor: { kind: rest }, reliability: { fallback: { executors: [ { capability: c } ] } } } } } } } }",
			[]string{"misplaced " + go_ + "/reliability/fallback/executors/0/capability: has guards"}},
		{"a policy of a capability", inRoot, "capabilities: { c: { executor: { kind: probe }, reliability: { timeoutMs: x } } }", []string{"INVALID_RELIABILITY_POLICY /capabilities/c/reliability/timeoutMs: must be a number"}},

		{"a grant of nothing", inFlow, "grants: [clokc, note_delete]", []string{`unknown-name /workflows/w/grants/0: is no tool: "clokc": did you mean "clock"?`, "bad-value /workflows/w/grants/1: is a tool of risk high"}},

		{"connections that are none", inRoot, "connections: [x]", []string{"wrong-type /connections: must be an object"}},
		{"a connection without a kind", inRoot, "connections: { c: {} }", []string{"missing-key /connections/c: has no kind: known are probe"}},
		{"a connection of a later version", inRoot, "connections: { c: { kind: a2a } }", []string{`UNKNOWN_CONNECTION_KIND /connections/c/kind: is "a2a": this version has no such connection yet; known are probe`}},
		{"a connection that is near", inRoot, "connections: { c: { kind: prob } }", []string{`UNKNOWN_CONNECTION_KIND /connections/c/kind: did you mean "probe"?`}},
		{"a connection of another word", inRoot, "connections: { c: { kind: telegraph } }", []string{`UNKNOWN_CONNECTION_KIND /connections/c/kind: is "telegraph", which is not known`}},
		{"a connection with wrong keys", inRoot, "connections: { c: { kind: probe, address: a, adress: b, description: 5 } }", []string{`unknown-key /connections/c/adress: did you mean "address"?`, "wrong-type /connections/c/description: must be a string"}},
		{"a connection of another risk", inRoot, "connections: { c: { kind: probe, address: a, risk: none } }", []string{"bad-value /connections/c/risk: must be low, medium or high"}},
		{"what the connection refuses, once", inRoot, "connections: { c: { kind: probe } }\nworkflows: { w: { initialState: s, states: { s: { transitions: { go: { target: s, executor: { kind: probe, connection: c } } } } } } }", []string{"bad-value /connections/c: has no address"}},
		{"a connection with a name that hides", inRoot, `connections: { "a\u202eb": { kind: probe, address: a } }`, []string{"bad-value /connections/a\u202eb: of a connection must be 1 to 128 bytes of printable text"}},

		{"a tool without a description", inRoot, "capabilities: { c: { expose: tool, risk: low, executor: { kind: probe } } }", []string{"missing-key /capabilities/c: has no description"}},
		{"a tool without a risk", inRoot, "capabilities: { c: { expose: tool, description: D, executor: { kind: probe } } }", []string{"missing-key /capabilities/c: has no risk"}},
		{"a tool that reads a context", inRoot, fmt.Sprintf(exposed, "executor: { kind: probe, args: [$.context.n] }"), []string{"bad-value /capabilities/c/executor/args/0: is no path"}},
		{"a tool with a name that is taken", inRoot, "capabilities: { CLOCK: { expose: tool, description: D, risk: low, executor: { kind: probe } } }", []string{`name-taken /capabilities/CLOCK: cannot be told from the tool "clock"`}},
		{"two tools of one name", inRoot, "capabilities: { a.b: { expose: tool, description: D, risk: low, executor: { kind: probe } }, a_b: { expose: tool, description: D, risk: low, executor: { kind: echo } } }", []string{`name-taken /capabilities/a_b: cannot be told from the tool "a.b"`}},
		{"a tool with one key for all calls", inRoot, fmt.Sprintf(exposed, "executor: { kind: probe, idempotencyKey: \"{workflowId}\" }"), []string{"bad-value /capabilities/c/executor/idempotencyKey: would be one for every call of the tool"}},
		{"a tool with a schema that is none", inRoot, fmt.Sprintf(exposed, "inputSchema: { type: nummer }, executor: { kind: probe }"), []string{"bad-schema /capabilities/c/inputSchema: is no schema"}},
		{"a tool that calls itself", inRoot, fmt.Sprintf(exposed, "executor: { kind: tool, tool: c }"), []string{"tool-cycle /capabilities/c/executor: leads back to this tool"}},
		{"tools that go round", inRoot, "capabilities: { a: { expose: tool, description: D, risk: low, executor: { kind: tool, tool: b } }, b: { expose: tool, description: D, risk: low, executor: { kind: probe }, reliability: { fallback: { executors: [ { kind: tool, tool: a } ] } } } }",
			[]string{"tool-cycle /capabilities/a/executor: leads back to this tool", "tried-only-before /capabilities/b/reliability: counts only"}},
	})
}

// TestOnlyBefore: tries that count for less than they seem to are a warning.
func TestOnlyBefore(t *testing.T) {
	t.Parallel()
	for transition, warned := range map[string]bool{
		"executor: { kind: probe }, reliability: { timeoutMs: 5 }":                                             false,
		"executor: { kind: probe }, reliability: { retry: { maxAttempts: 1 } }":                                false,
		"executor: { kind: probe }, reliability: { retry: { maxAttempts: 2 } }":                                true,
		"executor: { kind: probe }, reliability: { fallback: { executors: [ { kind: rest } ] } }":              true,
		"executor: { kind: probe, idempotencyKey: true }, reliability: { retry: { maxAttempts: 2 } }":          false,
		"executor: { kind: rest }, reliability: { retry: { maxAttempts: 2 } }":                                 false,
		"executor: { kind: rest, method: HEAD }, reliability: { retry: { maxAttempts: 2 } }":                   false,
		"executor: { kind: rest, method: POST }, reliability: { retry: { maxAttempts: 2 } }":                   true,
		"executor: { kind: tool, tool: clock }, reliability: { retry: { maxAttempts: 2 } }":                    false,
		"executor: { kind: tool, tool: note_mark }, reliability: { retry: { maxAttempts: 2 } }":                false,
		"executor: { kind: tool, tool: clock }, reliability: { fallback: { executors: [ { kind: probe } ] } }": false,
		"executor: { kind: tool, tool: note_create }, reliability: { retry: { maxAttempts: 2 } }":              true,
		"executor: { kind: rest, method: GET }, reliability: { fallback: { executors: [ { kind: probe } ] } }": false,
	} {
		_, problems := tierOf(t, "", transition)
		if problems.Fail() || codes(problems)[definition.OnlyBefore] != warned || len(problems) > 1 {
			t.Errorf("%s: %v", transition, problems)
		}
		if warned && (problems[0].Path != "/workflows/w/states/s/transitions/go/reliability" || problems[0].Line == 0) {
			t.Errorf("%s: told at %+v", transition, problems[0])
		}
	}
	_, problems := tierOf(t, "", "executor: { kind: noop }, reliability: { retry: { maxAttempts: 2 } }")
	if problems.Fail() || !codes(problems)[definition.Ignored] {
		t.Errorf("for nothing: %v", problems)
	}
}

// TestLongReach: tools that call each other are followed, and no further than makes sense.
func TestLongReach(t *testing.T) {
	t.Parallel()
	chain := func(n int) string {
		var b strings.Builder
		b.WriteString("version: \"1\"\ncapabilities:\n  t0: { risk: medium, description: D, expose: tool, executor: { kind: probe } }\n")
		for i := n; i > 0; i-- {
			fmt.Fprintf(&b, "  t%d: { risk: low, description: D, expose: tool, executor: { kind: tool, tool: t%d } }\n", i, i-1)
		}
		return b.String()
	}
	set := loaded(t, write(t, "a.yaml", chain(30)))
	if c := set.Capabilities[1]; c.Name != "t30" || c.Tier != auth.Medium {
		t.Errorf("%s %v", c.Name, c.Tier)
	}
	set, problems := definition.Load(write(t, "a.yaml", chain(5000)), kinds, own...)
	if set != nil || !codes(problems)[definition.ToolCycle] {
		t.Errorf("5,000 in a row: %.500v", problems)
	}
}

// TestDigestOfWhatIsCalled: what a tool that a tool calls does is part of what a person approves.
func TestDigestOfWhatIsCalled(t *testing.T) {
	t.Parallel()
	const file = `version: "1.0.0"
capabilities:
  outer: { description: Calls., risk: high, expose: tool, executor: { kind: tool, tool: %s } }
  mid.dle: { description: Calls., risk: medium, expose: tool, executor: { kind: tool, tool: inner } }
  inner: { description: Does., risk: medium, expose: tool, executor: { kind: probe, args: [%s] } }
`
	digest := func(called, arg string) string {
		t.Helper()
		set, problems := definition.Load(write(t, "a.yaml", fmt.Sprintf(file, called, arg)), kinds)
		if set == nil {
			t.Fatal(problems)
		}
		return set.Capabilities[0].Digest
	}
	for _, called := range []string{"inner", "mid.dle", "mid_dle"} {
		if digest(called, "now") == digest(called, "then") {
			t.Errorf("through %s: what is called does something else under the same digest", called)
		}
	}
}

// TestCapabilityDigest: what a person approves through a tool is what it does and where it leads.
func TestCapabilityDigest(t *testing.T) {
	t.Parallel()
	const file = `version: "1.0.0"
connections: { line: { kind: probe, address: %s } }
capabilities: { pay: { title: %s, description: Pays., risk: medium, expose: tool, executor: { kind: probe, connection: line, args: [%s] } } }
`
	path := filepath.Join(t.TempDir(), "praxec.yaml")
	digest := func(address, title, arg string) string {
		t.Helper()
		if err := os.WriteFile(path, fmt.Appendf(nil, file, address, title, arg), 0o600); err != nil {
			t.Fatal(err)
		}
		set, problems := definition.Load(path, kinds)
		if set == nil {
			t.Fatal(problems)
		}
		return set.Capabilities[0].Digest
	}
	first := digest("here", "Pay", "now")
	if first == "" || digest("here", "Pay it", "now") != first {
		t.Error("a title changes what is approved, or nothing is digested")
	}
	for what, other := range map[string]string{"connection": digest("there", "Pay", "now"), "argument": digest("here", "Pay", "then")} {
		if other == first {
			t.Errorf("another %s leaves the digest as it is", what)
		}
	}
}
