package praxec_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"prax/auth"
	"prax/tools/definition"
	"prax/tools/praxec"
)

// TestDiscovery: what can be found, and how well it matches.
func TestDiscovery(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	ids := func(a answer) (found []string) {
		for _, one := range a["items"].([]any) {
			found = append(found, fmt.Sprintf("%s %.4g", answer(one.(map[string]any)).text("item.id"), one.(map[string]any)["score"]))
		}
		return found
	}
	for _, tt := range []struct {
		name, arguments string
		want            []string
	}{
		{"by the words of states and transitions", `{"query":"classify"}`, []string{"ticket 1"}},
		{"by a word with letters changed around", `{"query":"tickte"}`, []string{"ticket 2.167"}},
		{"nothing", `{"query":"zzzz"}`, nil},
		{"signs alone", `{"query":"!!!"}`, nil},
		{"everything, so many", `{"query":"","limit":1}`, []string{"allauto 1"}},
		{"one kind", `{"query":"","kind":"capability"}`, []string{"hello.echo 1", "sys.date 1"}},
		{"connections, of which there are none", `{"query":"","kind":"connection"}`, nil},
		{"by another name", `{"query":"parrot","kind":"capability"}`, []string{"hello.echo 3"}},
		{"skills only when they are asked for", `{"query":"basket"}`, nil},
		{"scripts with everything", `{"query":"all-rows"}`, []string{"build.all-rows 28", "allauto 11"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := h.query(agent, tt.arguments)
			equal(t, "items", ids(a), tt.want)
			equal(t, "links", a.rels(), "home")
			for n := range tt.want {
				if member := a.text(fmt.Sprintf("items.%d.ranking", n)) + a.text(fmt.Sprintf("items.%d.item.text", n)); member != "" {
					t.Errorf("the item shows %s", member)
				}
			}
		})
	}
	parrot := h.query(agent, `{"query":"parrot","kind":"capability"}`)
	equal(t, "its link", show(parrot.at("items.0.item.links.0.args")), `{"definitionId":"proxy_default","input":{"capability":"hello.echo"}}`)
	equal(t, "its schema", show(parrot.at("items.0.item.links.0.input_schema.required")), `["msg"]`)
	workflows := h.query(agent, `{"query":"","kind":"workflow"}`)
	equal(t, "the kind is repeated", workflows.text("kind"), "workflow")
	for _, one := range workflows["items"].([]any) {
		equal(t, "kind", answer(one.(map[string]any)).text("item.kind"), "workflow")
	}
}

// TestDescribe: what is known of a subject.
func TestDescribe(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	ticket := h.query(agent, `{"subject":"ticket"}`)
	equal(t, "a workflow", ticket.text("id")+" "+ticket.text("item.kind")+": "+ticket.rels(), "ticket workflow: home search read_definition")
	nothing := h.query(agent, `{"subject":"nope"}`)
	equal(t, "nothing", show(map[string]any(nothing)["item"])+" "+nothing.rels(), "null home search")
	for subject, kind := range map[string]string{"plan.order-line": "guidance", "build.all-rows": "script"} {
		a := h.query(agent, `{"subject":"`+subject+`"}`)
		equal(t, subject, a.text("kind")+" "+a.text("subject")+" "+a.rels(), kind+" "+subject+" home search")
		if a.text("body") == "" || a.text("verb") == "" || !strings.HasPrefix(a.text("hash"), "sha256:") {
			t.Errorf("%s: %s", subject, show(a))
		}
	}
	equal(t, "the terms that it is about", show(h.query(agent, `{"subject":"plan.order-line"}`)["lexicon"]), `{"order-line":{"definition_short":"One product row of an order."}}`)

	read := h.query(agent, `{"definitionId":"release"}`)
	equal(t, "a definition", read.text("definition.initialState")+" "+read.rels(), "ready home start")
	if text := show(read); strings.Contains(text, "executor") || strings.Contains(text, "queue") || strings.Contains(text, "ops") || !strings.HasPrefix(read.text("hash"), "sha256:") {
		t.Errorf("a definition shows too much: %s", text)
	}
	if text := h.raw(agent, praxec.Query, `{"definitionId":"g"}`); strings.Contains(text, "ghost") || strings.Contains(text, "guard") {
		t.Errorf("a definition shows its guards: %s", text)
	}
	equal(t, "in the order of the file", order(h.raw(agent, praxec.Query, `{"definitionId":"g"}`), `"ok"`, `"no"`, `"unset"`, `"isnull"`, `"either"`, `"set"`, `"nope"`), true)
	equal(t, "what asks a person", operation(h.query(agent, `{"definitionId":"nope"}`)), "DEFINITION_NOT_FOUND")
}

// order tells whether a text has these parts one after the other.
func order(text string, parts ...string) bool {
	for _, part := range parts {
		_, after, found := strings.Cut(text, part)
		if !found {
			return false
		}
		text = after
	}
	return true
}

// TestGuidanceLists: skills and scripts without their bodies.
func TestGuidanceLists(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	equal(t, "skills", show(h.query(agent, `{"kind":"skill"}`)["items"]),
		`[{"source":"config","subject":"plan.order-line","title":"plan.order-line","verb":"plan"},{"source":"config","subject":"review.basket","title":"review.basket","verb":"review"}]`)
	equal(t, "those that match", show(h.query(agent, `{"kind":"skill","query":"basket","limit":5}`).at("items.0.subject")), `"review.basket"`)
	equal(t, "scripts", show(h.query(agent, `{"kind":"script"}`).at("items.0.subject")), `"build.all-rows"`)
}

// TestLargeFloat: what was written with an exponent is a float on purpose, and is kept, shown and read again, although
// its canonical form is an integer beyond 2⁵³.
func TestLargeFloat(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	h.put(written(t, `workflows:
  sums:
    initialState: open
    states:
      open: { transitions: { add: { target: open, guards: [ { kind: expr, expr: "$.workflow.input.n > 1" } ], output: { n: $.arguments.n } } } }
`))
	a := h.start(agent, "sums", `{"n":1e20}`)
	a = h.submit(agent, a, "add", `{"n":-1e20}`)
	equal(t, "the move", a.brief(), "open 2 executed")
	equal(t, "one more", h.submit(agent, h.get(agent, a.id()), "add", `{"n":1e21}`).brief(), "open 3 executed")
}

// TestStart: a new workflow, and those that are refused.
func TestStart(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	a := h.start(agent, "ticket", `{"subject":"Printer"}`)
	equal(t, "where it is", a.brief(), "open 1 started")
	equal(t, "links", a.rels(), "classify drop")
	if !regexp.MustCompile(`^wf_[0-9a-z]{26}$`).MatchString(a.id()) {
		t.Errorf("id %q", a.id())
	}
	classify := a.link("classify")
	equal(t, "classify", classify.text("title")+" "+classify.text("actor")+" "+show(classify.at("inputSchema.required")), `Classify agent ["category"]`)
	equal(t, "its arguments", show(classify["args"]), fmt.Sprintf(
		`{"arguments":{"fixed":"abc","missing":null,"note":"Printer"},"expectedVersion":1,"transition":"classify","workflowId":"%s"}`, a.id()))
	equal(t, "drop", show(a.link("drop")["args"])+show(a.link("drop")["inputSchema"]), fmt.Sprintf(
		`{"expectedVersion":1,"transition":"drop","workflowId":"%s"}{"type":"object"}`, a.id()))
	equal(t, "guidance", show(a["guidance"]), `{"goal":"Classify Printer","instructions":"Attempts so far: 0; owner (owner: unset)"}`)
	equal(t, "evidence and chain", show([]any{a["evidence"], a["chain"]}), `[[],null]`)

	got := h.get(agent, a.id())
	equal(t, "it is read", got.brief()+": "+got.rels(), "open 1 waiting_for_action: classify drop")
	equal(t, "defaults", show(got["input"]), `{"priority":"low","subject":"Printer"}`)
	equal(t, "context", show(got["context"]), `{"attempts":0}`)

	refused := h.command(agent, `{"definitionId":"ticket","input":{}}`)
	equal(t, "an input that does not fit", operation(refused)+": "+refused.rels(), "INVALID_INPUT: start read_definition home")
	if !strings.Contains(refused.text("error.message")+show(refused.at("error.violations")), "subject") {
		t.Errorf("the refusal does not name what is missing: %s", show(refused))
	}
	if text := show(refused.link("start")["inputSchema"]); !strings.Contains(text, "subject") {
		t.Errorf("the way back has no schema: %s", text)
	}
	equal(t, "nothing was made", len(h.query(agent, `{"kind":"instance"}`)["items"].([]any)), 1)
	unknown := h.command(agent, `{"definitionId":"nope","input":{}}`)
	equal(t, "nothing of that name", operation(unknown)+": "+unknown.rels(), "DEFINITION_NOT_FOUND: list_workflows home")
	if !strings.Contains(unknown.text("error.message"), "nope") {
		t.Errorf("the refusal does not name it: %s", show(unknown))
	}
}

// TestRunID: a run id is used once, by one user, whatever became of the workflow.
func TestRunID(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	first := h.command(agent, `{"definitionId":"ticket","input":{"subject":"x"},"runId":"r-1","traceId":"t-1"}`)
	for _, again := range []string{`{"definitionId":"ticket","input":{"subject":"x"},"runId":"r-1"}`, `{"definitionId":"build","runId":"r-1"}`} {
		a := h.command(agent, again)
		equal(t, "again", operation(a)+" "+a.text("links.0.rel")+" "+a.text("links.0.args.workflowId"), "RUN_ID_ALREADY_RUNNING get "+first.id())
	}
	h.submit(agent, first, "drop", `{}`)
	equal(t, "after it ended", operation(h.command(agent, `{"definitionId":"build","runId":"r-1"}`)), "RUN_ID_ALREADY_RUNNING")
	equal(t, "somebody else's", operation(h.command(bob, `{"definitionId":"build","runId":"r-1"}`)), "get")
	narrow := granting(agent, "build")
	a := h.command(narrow, `{"definitionId":"build","runId":"r-1"}`)
	equal(t, "one that the caller may not see", operation(a)+" "+a.rels(), "RUN_ID_ALREADY_RUNNING list_instances home")
	if strings.Contains(show(a), first.id()) {
		t.Errorf("its id is told: %s", show(a))
	}
}

// TestSubmit: moves, those that are refused, and what comes of them.
func TestSubmit(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	a := h.start(agent, "ticket", `{"subject":"Printer"}`)
	stale := h.command(agent, fmt.Sprintf(`{"workflowId":%q,"expectedVersion":100,"transition":"drop"}`, a.id()))
	equal(t, "a version that is none", stale.brief()+" "+stale.rels()+" "+stale.text("links.0.args.expectedVersion"), "open 1 rejected STALE_WORKFLOW_VERSION classify drop 1")

	sorted := h.submit(agent, a, "classify", `{"category":"hw"}`)
	equal(t, "a move", sorted.brief(), "sorted 2 executed")
	equal(t, "context", show(sorted["context"]), `{"attempts":1,"category":"hw","note":"none"}`)
	equal(t, "links", sorted.rels(), "approve(ACTOR_MISMATCH) escalate(GUARD_REJECTED) again")
	equal(t, "an agent at a gate", h.submit(agent, sorted, "approve", `{}`).brief(), "sorted 2 rejected ACTOR_MISMATCH")
	equal(t, "identity never comes from arguments", h.submit(agent, sorted, "approve", `{"subject":"x","roles":["human"],"actor":"human","confirm":true}`).brief(), "sorted 2 rejected ACTOR_MISMATCH")
	equal(t, "who waits", sorted.text("pending_human.transition")+" "+show(sorted.at("pending_human.resolve.args")),
		fmt.Sprintf(`approve {"expectedVersion":2,"transition":"approve","workflowId":"%s"}`, a.id()))
	equal(t, "without the permission", h.submit(agent, sorted, "escalate", `{}`).brief(), "sorted 2 rejected GUARD_REJECTED")
	equal(t, "of another state", h.submit(agent, sorted, "classify", `{}`).brief(), "sorted 2 rejected INVALID_TRANSITION")
	equal(t, "a permission", h.submit(permitting(agent, "ticket.escalate"), sorted, "escalate", `{}`).brief(), "closed 3 completed")

	b := h.submit(agent, h.start(agent, "ticket", `{"subject":"x"}`), "classify", `{"category":"sw"}`)
	closed := h.submit(person, b, "approve", `{}`)
	equal(t, "a person at the gate", closed.brief()+" ["+closed.rels()+"]", "closed 3 completed []")
	over := h.submit(agent, closed, "drop", `{}`)
	equal(t, "after the end", over.brief()+" ["+over.rels()+"]", "closed 3 completed INVALID_TRANSITION []")

	misfit := h.submit(agent, h.start(agent, "ticket", `{"subject":"x"}`), "classify", `{}`)
	equal(t, "arguments that do not fit", misfit.brief()+" "+misfit.text("error.attemptedTransition"), "open 1 rejected INPUT_SCHEMA_VIOLATION classify")
}

// TestSummary: what a caller says of a move is kept.
func TestSummary(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	a := h.start(agent, "ticket", `{"subject":"x"}`)
	done := h.command(agent, fmt.Sprintf(`{"workflowId":%q,"expectedVersion":1,"transition":"drop","summary":"dup of 7"}`, a.id()))
	equal(t, "in the answer", done.text("summary"), "dup of 7")
	got := h.get(agent, a.id())
	equal(t, "and later", got.text("summary")+" "+show(got["context"]), `dup of 7 {"attempts":0}`)
}

// TestCancel: a workflow is ended where it is, once.
func TestCancel(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	a := h.start(agent, "ticket", `{"subject":"x"}`)
	cancel := fmt.Sprintf(`{"intent":"cancel","workflowId":%q,"summary":"oops"}`, a.id())
	for range 2 {
		c := h.command(agent, cancel)
		equal(t, "cancelled", c.text("workflowId")+" "+c.text("status")+" "+c.text("reason")+" "+c.rels(), a.id()+" cancelled oops get home")
	}
	got := h.get(agent, a.id())
	equal(t, "it is read", got.brief()+" "+got.text("result.reason")+" "+got.text("error.cancelled_reason")+" ["+got.rels()+"]", "open 2 cancelled oops oops []")
	refused := h.submit(agent, got, "drop", `{}`)
	equal(t, "a move", refused.brief()+" "+refused.rels(), "open 2 cancelled WORKFLOW_CANCELLED start home")
	equal(t, "an unknown one", operation(h.command(agent, `{"intent":"cancel","workflowId":"wf_x"}`)), "WORKFLOW_NOT_FOUND")
	done := h.submit(agent, h.start(agent, "ticket", `{"subject":"x"}`), "drop", `{}`)
	late := h.command(agent, fmt.Sprintf(`{"intent":"cancel","workflowId":%q}`, done.id()))
	equal(t, "one that is over", late.brief(), "closed 2 completed WORKFLOW_COMPLETED")
}

// TestChain: what the server does by itself.
func TestChain(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	build := h.start(agent, "build", `{}`)
	equal(t, "a chain", build.brief()+": "+build.rels(), "c 3 started: ship stop")
	equal(t, "its hops", show(build["chain"]), `[{"fromState":"a","toState":"b","transition":"lint","version":2},{"fromState":"b","toState":"c","transition":"test","version":3}]`)
	equal(t, "to the end", h.start(agent, "allauto", `{}`).brief(), "b 2 completed")
	mixed := h.start(agent, "mixed", `{}`)
	equal(t, "beside another way", mixed.brief()+": "+mixed.rels()+show(mixed["chain"]), "a 1 started: manualnull")
	equal(t, "by hand", h.submit(agent, mixed, "auto", `{}`).brief(), "b 2 completed")
	equal(t, "the one without a guard", h.start(agent, "switch", `{"kind":"one"}`).brief(), "y 2 completed")
	stuck := h.submit(agent, h.start(agent, "stuck", `{}`), "go", `{}`)
	equal(t, "one that cannot go on", stuck.brief()+" "+stuck.text("error.errorClass"), "b 2 failed CHAIN_FAILED selection_error")
	equal(t, "its recovery", stuck.rels()+" "+stuck.text("links.0.actor")+" "+stuck.text("links.0.args.expectedVersion"), "boom(GUARD_REJECTED) deterministic 2")
}

// TestGuards: what holds, what does not, and why.
func TestGuards(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	fresh := func() answer { return h.start(agent, "g", `{"ok":1}`) }
	equal(t, "shown", fresh().rels(), "ok isnull either set")
	equal(t, "one that is hidden", h.submit(agent, fresh(), "no", `{}`).brief(), "s 1 rejected GUARD_REJECTED")
	equal(t, "a slot that is not set", h.submit(agent, fresh(), "unset", `{}`).brief(), "s 1 rejected GUARD_UNSET_SLOT")
	equal(t, "null is set", h.submit(agent, fresh(), "isnull", `{}`).brief(), "t 2 completed")
	equal(t, "beside one that cannot be judged", h.submit(agent, fresh(), "either", `{}`).brief(), "t 2 completed")
	equal(t, "the opposite", h.submit(agent, fresh(), "nope", `{}`).brief(), "s 1 rejected GUARD_REJECTED")
	equal(t, "set, and then shown", h.submit(agent, fresh(), "set", `{}`).rels(), "ok unset isnull either set")

	a := fresh()
	why := h.query(agent, fmt.Sprintf(`{"workflowId":%q,"transition":"either"}`, a.id()))
	equal(t, "why", show(why["why"]), `[{"guard":"any_of","passed":true,"value":{"$.context.n":5}}]`)
	equal(t, "explained", show(why["legalTransitionsNow"])+" "+why.rels(), `["ok","no","unset","isnull","either","set","nope"] either get home`)
	no := h.query(agent, fmt.Sprintf(`{"workflowId":%q,"transition":"no"}`, a.id()))
	equal(t, "what speaks against it", no.text("allowedFromCurrentState")+" "+no.text("blocked.code")+" "+show(no["why"]), `true GUARD_REJECTED [{"guard":"expr","passed":false,"value":{"$.workflow.input.ok":1}}]`)
	other := h.query(agent, fmt.Sprintf(`{"workflowId":%q,"transition":"bogus"}`, a.id()))
	equal(t, "what there is not", other.text("allowedFromCurrentState")+" "+other.text("actor")+" "+other.text("blocked.code"), "false agent INVALID_TRANSITION")
	if text := show(why) + show(no); strings.Contains(text, "==") || strings.Contains(text, ">=") {
		t.Errorf("the text of a guard is shown: %s", text)
	}
}

// TestProxy: capabilities, each a transition of one definition.
func TestProxy(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	a := h.start(agent, "proxy_default", `{}`)
	equal(t, "those that the caller may use", a.brief()+": "+a.rels(), "ready 1 started: hello.echo sys.date")
	b := h.submit(agent, a, "hello.echo", `{"msg":"hi"}`)
	equal(t, "one is used", b.brief()+": "+b.rels()+" "+show(b["context"]), `ready 2 executed: hello.echo sys.date {"lastResult":{}}`)
	equal(t, "without what it needs", h.submit(agent, b, "hello.echo", `{}`).brief(), "ready 2 rejected INPUT_SCHEMA_VIOLATION")
	equal(t, "one that takes nothing", h.submit(agent, b, "sys.date", `{"day":"mon"}`).brief(), "ready 2 rejected INPUT_SCHEMA_VIOLATION")
	equal(t, "one alone", h.start(agent, "proxy_default", `{"capability":"sys.date"}`).rels(), "sys.date")
	equal(t, "none of that name", h.start(agent, "proxy_default", `{"capability":"nope"}`).rels(), "")
	equal(t, "with the permission", h.start(permitting(agent, "ops"), "proxy_default", `{}`).rels(), "hello.echo sys.date ops.drain")
	equal(t, "it is found then", h.query(permitting(agent, "ops"), `{"subject":"ops.drain"}`).text("item.id"), "ops.drain")
	equal(t, "and not before", show(map[string]any(h.query(agent, `{"subject":"ops.drain"}`))["item"]), "null")
}

// TestTimeout: what is late is not done.
func TestTimeout(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	a, b := h.start(agent, "late", `{}`), h.start(agent, "late", `{}`)
	h.clock.add(100 * time.Millisecond)
	got := h.get(agent, a.id())
	equal(t, "it is read", got.brief()+" ["+got.rels()+"]", "expired 2 completed []")
	equal(t, "again", h.get(agent, a.id()).brief(), "expired 2 completed")
	equal(t, "a move as the first touch", h.submit(agent, b, "go", `{}`).brief(), "expired 2 completed WORKFLOW_TIMED_OUT")
	equal(t, "a move after that", h.submit(agent, got, "go", `{}`).brief(), "expired 2 completed INVALID_TRANSITION")
}

// TestReading: guidance to read, outcomes, and a workflow that others may move.
func TestReading(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	h.settings.Store(&praxec.Settings{}) // within a workflow what it refers to can be read all the same
	a := h.start(agent, "reading", `{}`)
	equal(t, "links", a.rels(), "begin(GUARD_REJECTED) end")
	equal(t, "what to read", a.text("guidance.refs.0.subject")+" "+a.text("guidance.refs.1.subject")+" "+a.text("links.0.guidance.refs.0.subject"), "plan.order-line review.basket plan.order-line")
	equal(t, "delegate and outcomes", a.text("delegate")+" "+show(a["outcomes"]), `planner [{"id":"sure","met":false,"statement":"It is certain."}]`)
	equal(t, "terms", show(h.get(agent, a.id())["lexicon"]), `{"basket":{"definition_short":"What a visitor has chosen so far."}}`)

	shown := h.query(agent, fmt.Sprintf(`{"workflowId":%q,"subject":"plan.order-line"}`, a.id()))
	equal(t, "it is read", shown.text("kind")+" "+shown.text("hash")+" "+shown.rels(), "guidance "+a.text("guidance.refs.0.hash")+" home get")
	after := h.get(agent, a.id())
	equal(t, "and then", after.rels(), "begin end")
	begun := h.submit(bob, after, "begin", `{}`)
	equal(t, "another user takes it", begun.brief()+" "+begun.text("outcomes.0.met"), "s 2 executed true")
	equal(t, "what is not part of it", show(map[string]any(h.query(agent, fmt.Sprintf(`{"workflowId":%q,"subject":"build.all-rows"}`, a.id())))["item"]), "null")
	equal(t, "a workflow within it", h.query(agent, fmt.Sprintf(`{"workflowId":%q,"subject":"ticket"}`, a.id())).rels(), "home search read_definition get")
	equal(t, "outside it", show(map[string]any(h.query(agent, `{"subject":"plan.order-line"}`))["item"]), "null")
}

// TestInstances: the caller's own workflows, newest first.
func TestInstances(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	var ids []string
	for n := range 7 {
		ids = append(ids, h.command(agent, fmt.Sprintf(`{"definitionId":"build","runId":"run-number-%d"}`, n)).id())
	}
	h.start(bob, "reading", `{}`) // shared, and still not Ann's own
	ticket := h.start(person, "ticket", `{"subject":"x"}`)
	h.submit(person, ticket, "drop", `{}`)
	var seen []string
	page := h.query(agent, `{"query":"build","kind":"instance","limit":3}`)
	for pages := 0; ; pages++ {
		for _, one := range page["items"].([]any) {
			seen = append(seen, answer(one.(map[string]any)).text("workflow.id"))
		}
		next := page.link("next")
		if next == nil || pages > 5 {
			break
		}
		page = h.query(agent, show(next["args"]))
	}
	for n := range ids {
		equal(t, "newest first", seen[n], ids[len(ids)-1-n])
	}
	equal(t, "all of them once", len(seen), len(ids))
	all := h.query(agent, `{"kind":"instance"}`)
	equal(t, "those of the user", len(all["items"].([]any)), 8)
	equal(t, "the newest", all.text("items.0.result.status")+" "+all.text("items.0.workflow.state")+" "+all.text("items.0.links.0.args.workflowId"), "completed closed "+ticket.id())
	equal(t, "by a run id", h.query(agent, `{"kind":"instance","query":"RUN-number-5 build"}`).text("items.0.workflow.id"), ids[5])
	equal(t, "nobody's", len(h.query(client("new", "new"), `{"kind":"instance"}`)["items"].([]any)), 0)
}

// TestReload: who may has the configuration read again, and what started goes on as it started.
func TestReload(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	a := h.start(agent, "ticket", `{"subject":"x"}`)
	read := 0
	h.reload = func() definition.Status {
		read++
		return definition.Status{OK: read == 1, Definitions: 3, Digest: "d", Problems: definition.Problems{{Text: "secret text"}}}
	}
	equal(t, "who may not", operation(h.command(agent, `{"reload":true}`)), "RELOAD_UNAVAILABLE")
	admin := permitting(agent, praxec.Reload)
	equal(t, "who may", h.command(admin, `{"reload":true}`).text("status"), "reloaded")
	broken := h.command(admin, `{"reload":true}`)
	equal(t, "a broken one", broken.text("status")+" "+broken.text("reason")+" "+fmt.Sprint(strings.Contains(show(broken), "secret")), "failed load_error false")
	operator := client("operator:0", "operator:0", "human")
	operator.Allow, operator.Oversees = auth.Everything(), auth.Everything()
	equal(t, "the operator", h.command(operator, `{"reload":true}`).text("status"), "failed")
	equal(t, "so often", read, 3)

	h.put(written(t, "workflows: { ticket: { initialState: other, states: { other: { terminal: true } } } }\n"))
	equal(t, "what started goes on", h.submit(agent, a, "classify", `{"category":"x"}`).brief(), "sorted 2 executed")
	again := h.start(agent, "ticket", `{}`)
	equal(t, "a new one is a new one", again.brief()+" "+again.text("workflow.definitionVersion"), "other 1 completed 2")
	equal(t, "what is found is new too", show(map[string]any(h.query(agent, `{"subject":"build"}`))["item"]), "null")
	h.put(&definition.Set{})
	equal(t, "when nothing is left", h.get(agent, a.id()).brief(), "sorted 2 waiting_for_action")
}
