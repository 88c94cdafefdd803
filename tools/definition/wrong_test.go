package definition_test

import (
	"fmt"
	"strings"
	"testing"

	"prax/auth"
	"prax/tools/definition"
)

// The holes in which a wrong thing is tried.
const (
	inRoot       = "version: \"1\"\n%s\n"
	inFlow       = "version: \"1\"\nworkflows:\n  w: { initialState: s, states: { s: {}, t: { terminal: true } }, %s }\n"
	inStates     = "version: \"1\"\nworkflows:\n  w: { initialState: s, states: { t: { terminal: true }, %s } }\n"
	inState      = "version: \"1\"\nworkflows:\n  w: { initialState: s, states: { t: { terminal: true }, s: { %s } } }\n"
	inTransition = "version: \"1\"\nworkflows:\n  w: { initialState: s, states: { t: { terminal: true }, s: { transitions: { go: { target: t, %s } } } } }\n"
	inGuard      = "version: \"1\"\nworkflows:\n  w: { initialState: s, states: { t: { terminal: true }, s: { transitions: { go: { target: t, guards: [ %s ] } } } } }\n"
	inOutput     = "version: \"1\"\nworkflows:\n  w: { blackboard: { n: { type: integer }, s: { type: string } }, initialState: s, states: { t: { terminal: true }, s: { transitions: { go: { target: t, output: { %s } } } } } }\n"
	inHuman      = "version: \"1\"\nworkflows:\n  w: { initialState: s, states: { t: { terminal: true }, s: { transitions: { go: { target: t, actor: human, %s } } } } }\n"
)

const kindsOfGuards = "known are all_of, any_of, evidence, expr, guidance_acknowledged, not, permission, role, script_acknowledged"

// row is a wrong thing in its hole.
type row struct {
	name, hole, text string
	want             []string // "code path: part of the text", all of them
}

// TestWrong: what a definition cannot mean is an error that says where, and what it could be.
func TestWrong(t *testing.T) {
	t.Parallel()
	rows(t, []row{
		{"a workflow without anything", inRoot, "workflows: { w: {} }", []string{
			"missing-key /workflows/w: has no states", "missing-key /workflows/w: has no initialState"}[:1]},
		{"no states", inRoot, "workflows: { w: { initialState: s, states: {} } }", []string{"bad-value /workflows/w/states: must be 1 to 10000 states"}},
		{"no initialState", inRoot, "workflows: { w: { states: { s: {} } } }", []string{"missing-key /workflows/w: has no initialState"}},
		{"an initialState that is no state", inRoot, "workflows: { w: { initialState: opne, states: { open: {} } } }", []string{`unknown-name /workflows/w/initialState: is no state of the workflow: did you mean "open"?`}},
		{"an id with a blank", inRoot, "workflows: { \"a b\": " + flow("x") + " }", []string{`bad-value /workflows/a b: the name "a b" of a workflow must be 1 to 128 letters`}},
		{"the id of the proxy", inRoot, "workflows: { proxy_default: " + flow("x") + " }", []string{"name-taken /workflows/proxy_default: is made of proxy.expose"}},
		{"a key of the stored form", inFlow, "library: {}", []string{"unknown-key /workflows/w/library: is not known"}},
		{"another", inState, "order: []", []string{"unknown-key /workflows/w/states/s/order: is not known"}},
		{"a version of zero", inFlow, "version: 0", []string{"bad-value /workflows/w/version: must be a whole number from 1"}},
		{"both inputs and a schema", inFlow, "inputs: {}, inputSchema: {}", []string{"bad-value /workflows/w/inputs: stands beside an inputSchema"}},
		{"a schema of texts", inFlow, "inputSchema: { type: string }", []string{`bad-schema /workflows/w/inputSchema/type: must be "object"`}},
		{"a schema that is none", inFlow, "inputSchema: { properties: { n: { type: nummer } } }", []string{"bad-schema /workflows/w/inputSchema: dialect 2020-12"}},
		{"a remote schema", inFlow, "inputSchema: { $ref: \"https://example.org/s\" }", []string{"bad-schema /workflows/w/inputSchema: "}},
		{"a large number", inFlow, "initialContext: { n: 9007199254740993 }", []string{"bad-value /workflows/w/initialContext/n: no number that every reader keeps exactly"}},
		{"a context of 1 MiB", inFlow, "initialContext: { n: \"" + strings.Repeat("x", 1<<20) + "\" }", []string{"too-large /workflows/w/initialContext: is more than 1048576 bytes"}},
		{"a slot that is no schema", inFlow, "blackboard: { n: integer }", []string{"bad-schema /workflows/w/blackboard/n: is no schema"}},
		{"a constraint where none stands", inFlow, "blackboard: { n: { constraint: { path_allowlist: { allow: [a] } } } }", []string{"INVALID_CONSTRAINT_DECLARATION /workflows/w/blackboard/n/constraint: stands on a slot of a state"}},
		{"a timeout of nothing", inFlow, "timeoutMs: 0", []string{"bad-value /workflows/w/timeoutMs: must be 1 to"}},
		{"a timeout of ages", inFlow, "timeoutMs: 9223372036854775807", []string{"bad-value /workflows/w/timeoutMs: no number that every reader keeps exactly", "bad-value /workflows/w/timeoutMs: must be 1 to"}},
		{"a timeout that leads nowhere", inFlow, "timeoutMs: 1, onTimeout: { target: u }", []string{"unknown-name /workflows/w/onTimeout/target: is no state of the workflow: \"u\""}},
		{"a timeout without a target", inFlow, "timeoutMs: 1, onTimeout: {}", []string{"missing-key /workflows/w/onTimeout: has no target"}},
		{"a timeout that does something", inFlow, "timeoutMs: 1, onTimeout: { target: t, executor: { kind: noop } }", []string{"not-served /workflows/w/onTimeout/executor: let the state that it leads to have an onEnter"}},
		{"a link filter of another kind", inFlow, "linkFilter: byguards", []string{`bad-value /workflows/w/linkFilter: must be all or byGuards, is "byguards"`}},
		{"another visibility", inFlow, "visibility: public", []string{"bad-value /workflows/w/visibility: must be owner or shared"}},
		{"a granted kernel", inFlow, "grants: [praxec_command]", []string{"bad-value /workflows/w/grants/0: is a tool of the kernel"}},
		{"a chain without end", inFlow, "maxChainDepth: 100000", []string{"bad-value /workflows/w/maxChainDepth: must be 1 to 500, is 100000"}},
		{"an outcome of nothing", inFlow, "outcomes: [ {} ]", []string{"missing-key /workflows/w/outcomes/0: has no id", "missing-key /workflows/w/outcomes/0: has no statement", "missing-key /workflows/w/outcomes/0: has no check"}},
		{"two outcomes of one id", inFlow, "outcomes: [ { id: a, statement: S, check: \"$.context.n == 1\" }, { id: a, statement: S, check: \"$.context.n == 1\" } ]", []string{"name-taken /workflows/w/outcomes/1/id: is that of another outcome"}},
		{"an outcome that reads arguments", inFlow, "outcomes: [ { id: a, statement: S, check: \"$.arguments.n == 1\" } ]", []string{"UNRESOLVABLE_GUARD_SCOPE /workflows/w/outcomes/0/check: must begin with"}},

		{"a state with a name that hides", inStates, `"a\u202eb": {}, s: {}`, []string{"bad-value /workflows/w/states/a\u202eb: of a state must be 1 to 128 bytes of printable text"}},
		{"an outcome that is no end", inState, "outcome: success", []string{"misplaced /workflows/w/states/s/outcome: stands in a state that is not terminal"}},
		{"an end of another kind", inStates, "s: { terminal: true, outcome: ok }", []string{"bad-value /workflows/w/states/s/outcome: must be success or failure"}},
		{"an end that goes on", inStates, "s: { terminal: true, transitions: { go: { target: t } } }", []string{"misplaced /workflows/w/states/s/transitions: stand in a terminal state"}},
		{"a goal that is no template", inState, "goal: \"{{ $.context.n\"", []string{"bad-template /workflows/w/states/s/goal: cannot be read at "}},
		{"a goal of another root", inState, "goal: \"{{ $.arguments.n }}\"", []string{"bad-template /workflows/w/states/s/goal: must begin with"}},
		{"a loop without a bound", inState, "while: \"$.context.n == 1\"", []string{"missing-key /workflows/w/states/s: has no max_iterations"}},
		{"a delegate of nothing", inState, "delegate: \" \"", []string{"INVALID_DELEGATE /workflows/w/states/s/delegate: is empty"}},
		{"an actor of a state", inState, "actor: deterministic", []string{"bad-value /workflows/w/states/s/actor: must be agent or human"}},
		{"a slot of another scope", inState, "slots: { n: { scope: run } }", []string{"bad-value /workflows/w/states/s/slots/n/scope: must be state"}},
		{"a constraint of nothing", inState, "slots: { n: { constraint: {} } }", []string{"INVALID_CONSTRAINT_DECLARATION /workflows/w/states/s/slots/n/constraint: says nothing"}},
		{"a constraint that allows nothing", inState, "slots: { n: { constraint: { path_allowlist: { allow: [] } } } }", []string{"INVALID_CONSTRAINT_DECLARATION /workflows/w/states/s/slots/n/constraint/path_allowlist: allows nothing"}},
		{"a constraint that is no pattern", inState, "slots: { n: { constraint: { path_allowlist: { allow: [\"[\"] } } } }", []string{"INVALID_CONSTRAINT_DECLARATION /workflows/w/states/s/slots/n/constraint/path_allowlist/allow/0: is no pattern"}},
		{"a constraint that denies", inState, "slots: { n: { constraint: { path_allowlist: { allow: [a], deny: [b] } } } }", []string{"INVALID_CONSTRAINT_DECLARATION /workflows/w/states/s/slots/n/constraint/path_allowlist/deny: is not served"}},
		{"a constraint by another slot", inState, "slots: { n: { constraint: { subset_of: \"$.context.m\" } } }", []string{"INVALID_CONSTRAINT_DECLARATION /workflows/w/states/s/slots/n/constraint/subset_of: is not served"}},
		{"entering with a question", inState, "onEnter: { executor: { kind: human } }", []string{"misplaced /workflows/w/states/s/onEnter/executor: asks a person"}},
		{"entering by arguments", inState, "onEnter: { output: { n: \"$.arguments.n\" } }", []string{"UNRESOLVABLE_WRITE_SCOPE /workflows/w/states/s/onEnter/output/n: must begin with"}},

		{"no target", inState, "transitions: { go: {} }", []string{"missing-key /workflows/w/states/s/transitions/go: has no target"}},
		{"a target that is no state", inState, "transitions: { go: { target: u } }", []string{`unknown-name /workflows/w/states/s/transitions/go/target: is no state of the workflow: "u"`}},
		{"a branch that leads nowhere", inTransition, "branches: [ { when: \"$.context.n == 1\", target: u } ]", []string{"unknown-name /workflows/w/states/s/transitions/go/branches/0/target: is no state"}},
		{"a branch without a case", inTransition, "branches: [ { target: s } ]", []string{"missing-key /workflows/w/states/s/transitions/go/branches/0: has no when"}},
		{"an actor that nobody is", inTransition, "actor: system", []string{`bad-value /workflows/w/states/s/transitions/go/actor: must be agent, human or deterministic, is "system"`}},
		{"evidence that nobody demands", inTransition, "evidence: { requires: [x] }", []string{"not-served /workflows/w/states/s/transitions/go/evidence: write a guard of kind evidence"}},
		{"a slot that is a hop", inTransition, "hop_slot: verify", []string{"not-served /workflows/w/states/s/transitions/go/hop_slot: write the executor out"}},
		{"the name of a question", "version: \"1\"\nworkflows:\n  w: { enable_human_ask: true, initialState: s, states: { t: {}, s: { transitions: { %s } } } }\n", "ask_human: { target: t }", []string{"name-taken /workflows/w/states/s/transitions/ask_human: is the name of the transition that enable_human_ask adds"}},
		{"prefill from arguments", inTransition, "prefill: { n: \"$.arguments.n\" }", []string{"UNRESOLVABLE_WRITE_SCOPE /workflows/w/states/s/transitions/go/prefill/n: must begin with"}},
		{"prefill from an output", inTransition, "prefill: { n: \"$.output.n\" }", []string{"UNRESOLVABLE_WRITE_SCOPE /workflows/w/states/s/transitions/go/prefill/n: must begin with"}},
		{"presents for nobody", inTransition, "presents: [\"$.context.n\"]", []string{"INVALID_PRESENTS /workflows/w/states/s/transitions/go/presents: is shown to nobody"}},
		{"presents of something deep", inHuman, "presents: [\"$.context.n.m\", \"$.arguments.n\", 5]", []string{"INVALID_PRESENTS /workflows/w/states/s/transitions/go/presents/0: must be a member of the context", "INVALID_PRESENTS /workflows/w/states/s/transitions/go/presents/1: must be", "INVALID_PRESENTS /workflows/w/states/s/transitions/go/presents/2: must be"}},
		{"choices for nobody", inTransition, "choices: { field: f, from: \"$.context.n\" }", []string{"INVALID_CHOICES /workflows/w/states/s/transitions/go/choices: is offered to nobody"}},
		{"choices of nothing", inHuman, "choices: { from: \"$.context.n\" }", []string{"INVALID_CHOICES /workflows/w/states/s/transitions/go/choices: has no field"}},
		{"choices from an argument", inHuman, "choices: { field: f, from: \"$.arguments.n\" }", []string{"INVALID_CHOICES /workflows/w/states/s/transitions/go/choices/from: must be a path into the context"}},
		{"choices that cannot be sent", inHuman, "choices: { field: f, from: \"$.context.n\" }, inputSchema: { properties: { g: true }, additionalProperties: false }", []string{"INVALID_CHOICES /workflows/w/states/s/transitions/go/choices: has a field that the inputSchema does not know: \"f\""}},

		{"a guard kind that is near", inGuard, "{ kind: permisson, permission: p }", []string{`INVALID_GUARD_KIND /workflows/w/states/s/transitions/go/guards/0/kind: is "permisson", perhaps for "permission": ` + kindsOfGuards}},
		{"a guard kind of another spelling", inGuard, "{ kind: allOf, guards: [] }", []string{"INVALID_GUARD_KIND /workflows/w/states/s/transitions/go/guards/0/kind: " + kindsOfGuards}},
		{"a guard without a kind", inGuard, "{ expr: \"$.context.n == 1\" }", []string{"INVALID_GUARD_KIND /workflows/w/states/s/transitions/go/guards/0: has no kind: " + kindsOfGuards}},
		{"a guard that is text", inGuard, "\"$.context.n == 1\"", []string{"wrong-type /workflows/w/states/s/transitions/go/guards/0: must be an object"}},
		{"a guard of another kind's key", inGuard, "{ kind: role, permission: p }", []string{"unknown-key /workflows/w/states/s/transitions/go/guards/0/permission: known are kind, role"}},
		{"a guard without its key", inGuard, "{ kind: role }", []string{"missing-key /workflows/w/states/s/transitions/go/guards/0: has no role"}},
		{"a guard of nothing", inGuard, "{ kind: role, role: \"\" }", []string{"bad-value /workflows/w/states/s/transitions/go/guards/0/role: is empty"}},
		{"nothing to hold", inGuard, "{ kind: any_of, guards: [] }", []string{"bad-value /workflows/w/states/s/transitions/go/guards/0/guards: is empty"}},
		{"no evidence", inGuard, "{ kind: evidence, requires: [] }", []string{"bad-value /workflows/w/states/s/transitions/go/guards/0/requires: is empty"}},
		{"evidence of more than all", inGuard, "{ kind: evidence, requires: [ { kind: k, min_confidence: 1.5, count: 0, distinct: user, exclude: all } ] }", []string{
			"bad-value /workflows/w/states/s/transitions/go/guards/0/requires/0/count: must be 1 to 10000", "bad-value /workflows/w/states/s/transitions/go/guards/0/requires/0/min_confidence: must be 0 to 1",
			"bad-value /workflows/w/states/s/transitions/go/guards/0/requires/0/distinct: must be principal", "bad-value /workflows/w/states/s/transitions/go/guards/0/requires/0/exclude: must be starter"}},
		{"a skill that there is not", inGuard, "{ kind: guidance_acknowledged, subject: plan.it }", []string{`unknown-name /workflows/w/states/s/transitions/go/guards/0/subject: is no skill and no script: "plan.it"`, "pending-subject /workflows/w: plan.it"}},
		{"a guard that is no expression", inGuard, "{ kind: expr, expr: \"$.context.n = 1\" }", []string{"INVALID_GUARD_EXPR /workflows/w/states/s/transitions/go/guards/0/expr: cannot be read at "}},
		{"a guard of a bare word", inGuard, "{ kind: expr, expr: \"$.context.n == ready\" }", []string{"INVALID_GUARD_EXPR /workflows/w/states/s/transitions/go/guards/0/expr: cannot be read at 15"}},
		{"a guard of another root", inGuard, "{ kind: expr, expr: \"$.input.x == 1\" }", []string{"UNRESOLVABLE_GUARD_SCOPE /workflows/w/states/s/transitions/go/guards/0/expr: cannot be read at 0"}},
		{"a guard deep within", inGuard, "{ kind: not, guard: { kind: all_of, guards: [ { kind: nope } ] } }", []string{"INVALID_GUARD_KIND /workflows/w/states/s/transitions/go/guards/0/guard/guards/0/kind: " + kindsOfGuards}},
		{"a guard of 11 kB", inGuard, "{ kind: expr, expr: \"$.context.n == '" + strings.Repeat("x", 11<<10) + "'\" }", []string{"INVALID_GUARD_EXPR /workflows/w/states/s/transitions/go/guards/0/expr: longer than"}},

		{"an output of another root", inOutput, "m: \"$.input.x\"", []string{"UNRESOLVABLE_WRITE_SCOPE /workflows/w/states/s/transitions/go/output/m: must begin with"}},
		{"an output that is no path", inOutput, "m: \"$.context.a..b\"", []string{"bad-value /workflows/w/states/s/transitions/go/output/m: cannot be read"}},
		{"an operator of one operand", inOutput, "m: { subtract: [1] }", []string{"MALFORMED_OUTPUT_OPERATOR /workflows/w/states/s/transitions/go/output/m: subtract"}},
		{"an operator of nothing", inOutput, "m: { pick: 5 }", []string{"MALFORMED_OUTPUT_OPERATOR /workflows/w/states/s/transitions/go/output/m: pick"}},
		{"a literal of another type", inOutput, "n: { set: \"x\" }, s: 5", []string{"OUTPUT_TYPE_MISMATCH /workflows/w/states/s/transitions/go/output/n: does not fit the slot's schema", "OUTPUT_TYPE_MISMATCH /workflows/w/states/s/transitions/go/output/s: does not fit the slot's schema"}},

		{"an executor without a kind", inTransition, "executor: {}", []string{"missing-key /workflows/w/states/s/transitions/go/executor: has no kind: known are human, noop, probe, rest, script, tool"}},
		{"an executor that is near", inTransition, "executor: { kind: nop }", []string{`UNKNOWN_EXECUTOR_KIND /workflows/w/states/s/transitions/go/executor/kind: did you mean "noop"? known here are human, noop, probe, rest, script, tool`}},
		{"an executor of tools", inTransition, "executor: { kind: echo }", []string{"UNKNOWN_EXECUTOR_KIND /workflows/w/states/s/transitions/go/executor/kind: answers only for a tool of its own"}},
		{"a key of another executor", inTransition, "executor: { kind: noop, queue: q }", []string{"unknown-key /workflows/w/states/s/transitions/go/executor/queue: known are kind, risk"}},
		{"a risk of nothing", inTransition, "risk: low", []string{"bad-value /workflows/w/states/s/transitions/go/risk: is the risk of an executor, and there is none"}},
		{"a risk of another spelling", inTransition, "risk: HIGH, executor: { kind: noop }", []string{"bad-value /workflows/w/states/s/transitions/go/risk: must be low, medium or high"}},
		{"a question by itself", inTransition, "actor: deterministic, executor: { kind: human }", []string{"misplaced /workflows/w/states/s/transitions/go/executor: asks a person"}},

		{"a principal", inRoot, "gateway: { principal: { subject: me } }", []string{"not-served /gateway/principal: clients.json"}},
		{"connections", inRoot, "stagedConnections: { c: { kind: cli } }", []string{"not-served /stagedConnections: needs an executor that this version does not have yet"}},
		{"imports", inRoot, "proxy: { import: [ { connection: c } ] }", []string{"not-served /proxy/import: needs an executor that this version does not have yet"}},
		{"confinement", inRoot, "praxec: { execution: { require_confinement: true } }", []string{"not-served /praxec/execution: needs an executor"}},
		{"a pack", inRoot, "repos: [ { uri: \"git+https://example.org/pack\" } ]", []string{"not-served /repos/0/uri: packs are not loaded"}},
		{"an index of a workflow", inRoot, "discovery: { include: [workflow] }", []string{`INVALID_DISCOVERY_INCLUDE /discovery/include/0: is "workflow": known are proxy, workflows, connections`}},
		{"a store of another kind", inRoot, "store: { kind: postgres }", []string{"bad-value /store/kind: must be memory, file or sqlite", "ignored /store: PRAX_STORE"}},

		{"a term of nothing", inRoot, "lexicon: { a: {} }", []string{"INVALID_LEXICON_ENTRY /lexicon/a: has no definition_short"}},
		{"a term of another governance", inRoot, "lexicon: { a: { definition_short: S, governance: anybody } }", []string{"INVALID_LEXICON_ENTRY /lexicon/a/governance: must be human-only or agent-may-propose"}},
		{"an alias that is a term", inRoot, "lexicon: { a: { definition_short: S, aliases: [b] }, b: { definition_short: S } }", []string{`LEXICON_ALIAS_COLLISION /lexicon/a/aliases/0: "b" is taken by the term "b"`}},
		{"an alias of two", inRoot, "lexicon: { a: { definition_short: S, aliases: [x], bounded_context: c }, b: { definition_short: S, aliases: [x], bounded_context: c } }", []string{`LEXICON_ALIAS_COLLISION /lexicon/b/aliases/0: "x" is taken by the term "a" in the bounded context "c"`}},

		{"a skill of nothing", inRoot, "skills: { plan.it: {} }", []string{"MISSING_VERB /skills/plan.it: known are triage", "MISSING_LIFECYCLE /skills/plan.it: known are experimental, stable, deprecated, stub", "MISSING_BODY /skills/plan.it: has no body"}},
		{"a skill of other words", inRoot, "skills: { plan.it: { verb: build, lifecycle: done, body: \" \" } }", []string{`INVALID_VERB /skills/plan.it/verb: is "build": known are triage`, "INVALID_LIFECYCLE /skills/plan.it/lifecycle: ", "MISSING_BODY /skills/plan.it: has no body"}},
		{"a skill of one word", inRoot, "skills: { plan: { verb: plan, lifecycle: stable, body: B } }", []string{"INVALID_SUBJECT /skills/plan: two or more words"}},
		{"a skill of another root", inRoot, "skills: { cooking.soup: { verb: plan, lifecycle: stable, body: B } }", []string{"INVALID_SUBJECT_ROOT /skills/cooking.soup: must begin with authoring"}},
		{"a skill with another hash", inRoot, "skills: { plan.it: { verb: plan, lifecycle: stable, body: B, hash: \"sha256:00\" } }", []string{"HASH_MISMATCH /skills/plan.it/hash: is not that of the body, which is sha256:df7e70e5021544f4834bbee64a9e3789febc4be81470df629cad6ddb03320a5c"}},
		{"a skill elsewhere", inRoot, "skills: { plan.it: { verb: plan, lifecycle: stable, uri: x.md } }", []string{"not-served /skills/plan.it/uri: write its body here"}},
		{"a script that is a skill", inRoot, "skills: { test.it: { verb: plan, lifecycle: stable, body: B } }\npraxec: { strict_namespacing: false }\nscripts: { test.it: { verb: test, lifecycle: stable, body: B } }", []string{"name-taken /scripts/test.it: is that of a skill already"}},
		{"a script in two places", inRoot, "scripts: { test.it: { verb: test, lifecycle: stable, body: B, uri: x.sh } }", []string{"bad-value /scripts/test.it: has both a body and a uri"}},
		{"a script without a hash", inRoot, "scripts: { test.it: { verb: test, lifecycle: stable, uri: a.yaml } }", []string{"missing-key /scripts/test.it: has a uri, and no hash"}},
		{"a script that is not there", inRoot, "scripts: { test.it: { verb: test, lifecycle: stable, uri: x.sh, hash: \"sha256:00\" } }", []string{"file-missing /scripts/test.it/uri: the file does not exist"}},
		{"a script outside", inRoot, "scripts: { test.it: { verb: test, lifecycle: stable, uri: \"file:///etc/passwd\", hash: \"sha256:00\" } }", []string{"file-outside /scripts/test.it/uri: lies outside the folder"}},

		{"a capability of nothing", inRoot, "capabilities: { c: {} }", []string{"missing-key /capabilities/c: has no executor"}},
		{"a capability of two", inRoot, "capabilities: { b: { executor: { kind: noop } }, c: { wraps: b, executor: { kind: noop } } }", []string{"bad-value /capabilities/c/wraps: stands beside an executor"}},
		{"a capability that there is not", inRoot, "capabilities: { base: { executor: { kind: noop } }, c: { wraps: bsae } }", []string{`unknown-name /capabilities/c/wraps: names no capability: "bsae": did you mean "base"?`}},
		{"wraps that go round", inRoot, "capabilities: { a: { wraps: b }, b: { wraps: c }, c: { wraps: a } }", []string{"wraps-cycle /capabilities/c/wraps: leads back to this capability"}},
		{"wraps of itself", inRoot, "capabilities: { a: { executor: { capability: a } } }", []string{"wraps-cycle /capabilities/a/executor/capability: leads back to this capability"}},
		{"a capability of a later version", inRoot, "capabilities: { c: { executor: { kind: mcp } } }", []string{"UNKNOWN_EXECUTOR_KIND /capabilities/c/executor/kind: this version has no such executor yet; known here are human, noop"}},
		{"a capability with a wrong guard", inRoot, "capabilities: { c: { executor: { kind: noop }, guards: [ { kind: nope } ] } }\nworkflows: { w: { initialState: s, states: { s: { transitions: { go: { target: s, executor: { capability: c } } } } } } }",
			[]string{"INVALID_GUARD_KIND /capabilities/c/guards/0/kind: " + kindsOfGuards}},
		{"a guarded tool", inRoot, "capabilities: { c: { expose: tool, description: D, risk: low, executor: { kind: echo }, guards: [ { kind: role, role: r } ] } }", []string{"misplaced /capabilities/c/guards: who may call a tool is in clients.json"}},
		{"a tool by a guarded one", inRoot, "capabilities: { b: { executor: { kind: echo }, guards: [ { kind: role, role: r } ] }, c: { expose: tool, description: D, risk: low, wraps: b } }", []string{"misplaced /capabilities/c: who may call a tool is in clients.json"}},
		{"a tool that is a workflow's", inRoot, "capabilities: { c: { expose: tool, description: D, risk: low, executor: { kind: noop } } }", []string{"UNKNOWN_EXECUTOR_KIND /capabilities/c/executor/kind: stands in a workflow only: known here are echo"}},
		{"a use that there is not", inTransition, "executor: { capability: c }", []string{`unknown-name /workflows/w/states/s/transitions/go/executor/capability: names no capability: "c"`}},
		{"a use with a key of its own", inRoot, "capabilities: { c: { executor: { kind: noop } } }\nworkflows: { w: { initialState: s, states: { s: { transitions: { go: { target: s, executor: { capability: c, queue: q } } } } } } }",
			[]string{"unknown-key /workflows/w/states/s/transitions/go/executor/queue: is not known beside a capability"}},
		{"guards that nobody is held to", inRoot, "capabilities: { c: { executor: { kind: noop }, guards: [ { kind: role, role: r } ] } }\nworkflows: { w: { initialState: s, states: { s: { onEnter: { executor: { capability: c } } } } } }",
			[]string{"misplaced /workflows/w/states/s/onEnter/executor/capability: has guards"}},

		{"an exposure of nothing", inRoot, "proxy: { expose: [ {} ] }", []string{"INVALID_PROXY_EXPOSURE /proxy/expose/0: needs a name and an executor, or a capability"}},
		{"an exposure without an executor", inRoot, "proxy: { expose: [ { name: n } ] }", []string{"INVALID_PROXY_EXPOSURE /proxy/expose/0: needs a name and an executor, or a capability"}},
		{"an exposure of a bad name", inRoot, "proxy: { expose: [ { name: \"a b\", executor: { kind: noop } } ] }", []string{"bad-value /proxy/expose/0: the name \"a b\" must be 1 to 64 letters"}},
		{"an exposure of a reserved name", inRoot, "proxy: { expose: [ { name: praxec.query, executor: { kind: noop } } ] }", []string{"name-taken /proxy/expose/0: is reserved"}},
		{"two exposures of one name", inRoot, "proxy: { expose: [ { name: a.b, executor: { kind: noop } }, { name: A_B, executor: { kind: noop } } ] }", []string{`name-taken /proxy/expose/1: cannot be told from "a.b"`}},
		{"an exposure that renames by name", inRoot, "capabilities: { c: { executor: { kind: noop } } }\nproxy: { expose: [ { capability: c, name: d } ] }", []string{"unknown-key /proxy/expose/0/name: known are capability, as"}},
		{"an exposure of another schema", inRoot, "proxy: { expose: [ { name: n, executor: { kind: noop }, inputSchema: { type: array } } ] }", []string{"bad-schema /proxy/expose/0/inputSchema/type: must be \"object\""}},
		{"an exposure of a later version", inRoot, "proxy: { expose: [ { name: n, executor: { kind: pipeline } } ] }", []string{"UNKNOWN_EXECUTOR_KIND /proxy/expose/0/executor/kind: this version has no such executor yet"}},
	})
}

// rows tries each wrong thing: nothing loads, and exactly what is wanted is told.
func rows(t *testing.T, list []row) {
	t.Helper()
	for _, tt := range list {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			set, problems := definition.Load(write(t, "a.yaml", fmt.Sprintf(tt.hole, tt.text)), kinds, own...)
			if set != nil {
				t.Errorf("loaded, with problems %v", problems)
			}
			if len(problems) != len(tt.want) {
				t.Errorf("%d problems, want %d: %v", len(problems), len(tt.want), problems)
			}
			for _, want := range tt.want {
				head, part, _ := strings.Cut(want, ": ")
				code, path, _ := strings.Cut(head, " ")
				found := false
				for _, p := range problems {
					found = found || string(p.Code) == code && p.Path == path && strings.Contains(p.Text, part) && p.Line > 0
				}
				if !found {
					t.Errorf("not told: %s\nbut %v", want, problems)
				}
			}
		})
	}
}

// TestLaw2Load: nothing of tier HIGH stands anywhere but on a transition whose own actor is human, whoever declares it.
func TestLaw2Load(t *testing.T) {
	t.Parallel()
	const abilities = "capabilities:\n  high: { risk: high, executor: { kind: noop } }\n  wrap: { wraps: high, risk: low }\n  named: { executor: { kind: noop, risk: high } }\n" +
		"  reaches: { risk: low, executor: { kind: probe, connection: away } }\n  shown: { risk: low, description: D, expose: tool, executor: { kind: probe, connection: away } }\nconnections: { away: { kind: probe, address: a, risk: high } }\n"
	executors := []string{"risk: high, executor: { kind: noop }", "executor: { kind: noop, risk: high }", "executor: { capability: high }", "executor: { capability: wrap }",
		"executor: { capability: named }", "risk: low, executor: { capability: wrap }", "risk: high, executor: { kind: human }",
		"risk: high, executor: { kind: probe }", "executor: { kind: probe, risk: high }", "risk: low, executor: { kind: probe, connection: away }", "risk: low, executor: { kind: probe, args: [danger] }",
		"risk: low, executor: { kind: tool, tool: note_delete }", "risk: low, executor: { capability: reaches }", "risk: low, executor: { kind: tool, tool: shown }",
		"risk: low, executor: { kind: rest }, reliability: { fallback: { executors: [ { kind: probe, connection: away } ] } }",
		"risk: low, executor: { kind: rest }, reliability: { fallback: { executors: [ { kind: probe }, { capability: reaches } ] } }"}
	places := map[string]bool{ // where they may stand
		"workflows: { w: { initialState: s, states: { s: { transitions: { go: { target: s, actor: human, %s } } } } } }":         true,
		"workflows: { w: { initialState: s, states: { s: { transitions: { go: { target: s, %s } } } } } }":                       false,
		"workflows: { w: { initialState: s, states: { s: { actor: human, transitions: { go: { target: s, %s } } } } } }":         false,
		"workflows: { w: { initialState: s, states: { s: { transitions: { go: { target: s, actor: agent, %s } } } } } }":         false,
		"workflows: { w: { initialState: s, states: { s: { transitions: { go: { target: s, actor: deterministic, %s } } } } } }": false,
		"workflows: { w: { initialState: s, states: { s: { onEnter: { %s } } } } }":                                              false,
		"proxy: { expose: [ { name: n, %s } ] }": false,
	}
	for place, may := range places {
		for _, executor := range executors {
			if strings.Contains(place, "onEnter") || strings.Contains(place, "expose") && strings.Contains(executor, "capability") {
				executor = strings.Replace(executor, "risk: low, ", "", 1)
			}
			text := "version: \"1\"\n" + abilities + fmt.Sprintf(place, executor) + "\n"
			set, problems := definition.Load(write(t, "a.yaml", text), kinds, own...)
			if may != (set != nil) {
				t.Errorf("%s: %v", text, problems)
			}
			if !may && !codes(problems)[definition.Misplaced] && !codes(problems)[definition.UnknownKey] {
				t.Errorf("%s: %v, want misplaced", text, problems)
			}
			if may && set.Definitions[0].States[0].Transitions[0].Executor.Tier != auth.High {
				t.Errorf("%s: the tier was lost", text)
			}
		}
	}
}

func codes(problems definition.Problems) map[definition.Code]bool {
	found := map[definition.Code]bool{}
	for _, p := range problems {
		found[p.Code] = true
	}
	return found
}

// TestIgnored: keys that only decorate are warnings, each by name, and leave the hash as it is.
func TestIgnored(t *testing.T) {
	t.Parallel()
	plain := loaded(t, write(t, "a.yaml", "version: \"1\"\nworkflows: { w: { initialState: s, states: { s: { transitions: { go: { target: s, executor: { kind: noop } } } } } } }\n")).Definition("w")
	text := `version: "1"
gateway: { trust_meta_principal: false, allow_ephemeral: true, cost: { x: 1 }, models_yaml: m.yaml }
store: { kind: sqlite, path: x.db }
audit: { sink: file, path: logs, rotation: daily }
repos: [ { path: ., writable: true, name: here } ]
registries: [ x ]
embeddings: { backend: none }
connections: {}
discovery: { index: memory, registry: packs.yaml }
praxec:
  agents: { a: 1 }
  embeddings: { enabled: true }
  repair_surface: [ x ]
  authoring: { write_enabled: true, lexicon_dir: lex, preferred_script_language: bash }
workflows:
  w:
    lifecycle: stable
    process: p
    orchestrator: true
    verb: build
    stack: rust
    enable_halt: true
    reliability: {}
    initialState: s
    states:
      s:
        tools: [ x ]
        affinity: coding
        reasoning_effort: high
        requires_file_write: true
        role: writer
        transitions: { go: { target: s, purpose: p, reliability: {}, executor: { kind: noop, idempotencyKey: true } } }
`
	_, problems := definition.Load(write(t, "a.yaml", text), kinds, own...)
	if len(problems) != 1+28 || !problems.Fail() {
		t.Errorf("%d problems: %v", len(problems), problems)
	}
	set, problems := definition.Load(write(t, "a.yaml", strings.Replace(text, "    reliability: {}\n", "", 1)), kinds, own...)
	if set == nil || len(codes(problems)) != 1 || !codes(problems)[definition.Ignored] {
		t.Fatalf("problems %v", problems)
	}
	for _, name := range []string{"trust_meta_principal", "/store", "/audit", "/repos", "registries", "write_enabled", "orchestrator", "enable_halt", "affinity", "/role", "purpose", "idempotencyKey"} {
		told(t, lineOne(problems), definition.Ignored, name, "is ignored: ")
	}
	if d := set.Definition("w"); d.Hash != plain.Hash {
		t.Errorf("decorations are part of the definition: %s", d.Text)
	}
	if it := set.Items[0]; it.Lifecycle != "stable" || !strings.HasPrefix(it.Text, "p ") {
		t.Errorf("item %+v", it)
	}
}

func lineOne(problems definition.Problems) (list definition.Problems) {
	for _, p := range problems {
		p.Line = 1
		list = append(list, p)
	}
	return list
}
