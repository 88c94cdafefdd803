package praxec_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"prax/tools/praxec"
)

// TestQuorum: every request for a vote is evidence, and a guard counts it.
func TestQuorum(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	a := h.start(agent, "quorum", `{}`)
	for _, step := range []struct{ transition, want string }{
		{"pass", "collect 1 rejected GUARD_REJECTED"},
		{"vote", "collect 2 waiting_for_action"},
		{"pass", "collect 2 rejected GUARD_REJECTED"},
		{"vote", "collect 3 waiting_for_action"},
		{"pass", "done 4 completed"},
	} {
		a = h.submit(agent, a, step.transition, `{}`)
		equal(t, step.transition, a.brief(), step.want)
		if step.transition == "vote" {
			equal(t, "evidence", a.text("evidence.0.kind")+" "+a.text("evidence.0.id")[:3], "human_request ev_")
			equal(t, "queue", a.text("pending_human.approval.queue"), "board")
		}
	}
}

// TestApproval: a person says yes to exactly what was asked, or no.
func TestApproval(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	a := h.submit(agent, h.start(agent, "release", `{}`), "ship", `{"to":"rome"}`)
	equal(t, "asked", a.brief()+" "+a.text("pending_human.source")+" "+show(a.at("pending_human.resolve.args.arguments")), `ready 2 waiting_for_action approval {"to":"rome"}`)
	equal(t, "the agent's links", a.rels(), "ship wait")
	equal(t, "its answer is for a person", a.text("pending_human.resolve.blocked.code")+" "+a.text("pending_human.reject.blocked.code"), "ACTOR_MISMATCH ACTOR_MISMATCH")

	theirs := h.get(person, a.id())
	equal(t, "the person's", theirs.rels()+" "+show(theirs.link("ship").at("args.arguments")), `ship reject wait {"to":"rome"}`)
	list := h.query(person, `{"approvals":true}`)
	equal(t, "the list", list.text("count")+" "+list.text("pending.0.transition")+" "+list.text("pending.0.approval.asked_by"), "1 ship ann-agent")

	other := h.submit(person, theirs, "ship", `{"to":"oslo"}`)
	equal(t, "other arguments are another question", other.brief(), "ready 3 waiting_for_action")
	stale := h.command(person, show(theirs.link("ship")["args"]))
	equal(t, "what was asked first is gone", stale.brief(), "ready 3 rejected STALE_WORKFLOW_VERSION")

	no := h.command(person, withSummary(h.get(person, a.id()).link("reject")["args"], "not today"))
	equal(t, "a no", no.brief()+" "+show(no["pending_human"]), "ready 4 executed null")
	equal(t, "no longer to be answered", h.command(person, fmt.Sprintf(`{"workflowId":%q,"expectedVersion":4,"transition":"ship","intent":"reject"}`, a.id())).brief(), "ready 4 rejected APPROVAL_NOT_OPEN")

	again := h.submit(agent, no, "ship", `{"to":"rome"}`)
	denied := h.command(agent, fmt.Sprintf(`{"workflowId":%q,"expectedVersion":%d,"transition":"ship","intent":"reject"}`, a.id(), again.version()))
	equal(t, "an agent cannot say no", denied.brief(), "ready 5 rejected ACTOR_MISMATCH")
	yes := h.command(person, show(h.query(person, `{"approvals":true}`).at("pending.0.resolve.args")))
	equal(t, "a yes", yes.brief()+" "+yes.text("evidence.0.kind")+" "+show(yes["context"]), `shipped 6 completed human_approval {"to":"rome"}`)
	equal(t, "nothing waits", h.query(person, `{"approvals":true}`).text("count"), "0")
}

func withSummary(args any, text string) string {
	a := args.(map[string]any)
	a["summary"] = text
	return show(a)
}

// TestApprovalExpires: what nobody answers in a day must be asked again.
func TestApprovalExpires(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	a := h.submit(agent, h.start(agent, "release", `{}`), "ship", `{"to":"rome"}`)
	link := h.get(person, a.id()).link("ship")
	h.clock.add(25 * time.Hour)
	equal(t, "nothing waits any more", h.query(person, `{"approvals":true}`).text("count"), "0")
	args := link["args"].(map[string]any)
	equal(t, "a yes that comes too late", h.command(person, show(args)).brief(), "ready 2 rejected APPROVAL_NOT_OPEN")
	args["digest"] = strings.Repeat("0", 64)
	equal(t, "to something else", h.command(person, show(args)).brief(), "ready 2 rejected APPROVAL_NOT_OPEN")
	delete(args, "digest")
	equal(t, "that names nothing asks anew", h.command(person, show(args)).brief(), "ready 3 waiting_for_action")
	args["expectedVersion"], args["digest"] = 3, strings.Repeat("0", 64)
	equal(t, "to something else again", h.command(person, show(args)).brief(), "ready 3 rejected APPROVAL_DIGEST_MISMATCH")
}

// TestGate: a state that only a person leaves, with what it shows and the options that there are.
func TestGate(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	a := h.start(agent, "review", `{}`)
	equal(t, "links", a.rels(), "choose(ACTOR_MISMATCH) refuse(ACTOR_MISMATCH)")
	equal(t, "the first gate", a.text("pending_human.transition")+" "+show(a.at("pending_human.presented"))+" "+show(a.at("pending_human.choices")),
		`choose {"text":"The draft"} {"field":"pick","options":[{"title":"Red","value":"red"},{"title":"Blue","value":"blue"}]}`)
	equal(t, "the others", a.text("pending_human.also.0.transition")+" "+show(a.at("pending_human.also.1")), "refuse null")
	equal(t, "since", a.text("pending_human.since"), "2026-03-02T08:00:00.000Z")
	equal(t, "another option", h.submit(person, a, "choose", `{"pick":"green"}`).brief(), "look 1 rejected CHOICE_MISMATCH")
	done := h.submit(person, a, "choose", `{"pick":"blue"}`)
	equal(t, "an option", done.brief()+" "+done.text("context.picked"), "done 2 completed blue")

	h.start(agent, "review", `{}`)
	h.clock.add(time.Second)
	h.submit(agent, h.start(agent, "release", `{}`), "ship", `{"to":"rome"}`)
	list := h.query(person, `{"approvals":true}`)
	var order []string
	for _, p := range list["pending"].([]any) {
		order = append(order, answer(p.(map[string]any)).text("transition"))
	}
	equal(t, "oldest first", strings.Join(order, " "), "choose refuse ship")
	equal(t, "some of them", h.query(person, `{"approvals":true,"limit":1}`).text("count"), "1")
	equal(t, "nobody else's", h.query(bob, `{"approvals":true}`).text("count"), "0")
}

// TestOverseer: who oversees reads, answers gates and cancels, nothing else.
func TestOverseer(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	a := h.start(agent, "review", `{}`)
	b := h.submit(agent, h.start(agent, "release", `{}`), "ship", `{"to":"rome"}`)
	equal(t, "reads", h.get(boss, a.id()).rels(), "choose refuse")
	equal(t, "an agent's moves are not theirs", h.get(boss, b.id()).rels(), "ship reject wait(ACTOR_MISMATCH)")
	equal(t, "the list", h.query(boss, `{"approvals":true}`).text("count"), "3")
	equal(t, "nothing else", h.submit(boss, b, "wait", `{}`).brief(), "ready 2 rejected ACTOR_MISMATCH")
	equal(t, "answers a gate", h.submit(boss, a, "refuse", `{}`).brief(), "refused 2 completed")
	equal(t, "says no", h.command(boss, show(h.get(boss, b.id()).link("reject")["args"])).brief(), "ready 3 executed")
	equal(t, "cancels", h.command(boss, fmt.Sprintf(`{"intent":"cancel","workflowId":%q}`, b.id())).text("status"), "cancelled")
	equal(t, "their list is their own", len(h.query(boss, `{"kind":"instance"}`)["items"].([]any)), 0)
	notHuman := overseeing(client("fake", "zoe"), "ann")
	equal(t, "it takes a person", operation(h.get(notHuman, a.id())), "WORKFLOW_NOT_FOUND")
}

// TestSpelling: links are spelled as the caller sees the tools, and either spelling can be called.
func TestSpelling(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	p := agent
	p.Spelling = 1
	for _, arguments := range []string{`{}`, `{"query":"ticket"}`, `{"subject":"ticket"}`, `{"approvals":true}`, `{"observe":true}`, `{"workflowId":"x"}`} {
		if text := h.raw(p, "praxec_query", arguments); strings.Contains(text, "praxec.query") || strings.Contains(text, "praxec.command") || !strings.Contains(text, "praxec_query") {
			t.Errorf("%s: %s", arguments, text)
		}
	}
	a := h.ask(p, "praxec_command", `{"definitionId":"release"}`)
	b := h.ask(p, "praxec_command", submission(a, "ship", `{"to":"x"}`))
	equal(t, "methods", b.text("links.0.method")+" "+b.text("pending_human.resolve.method"), "praxec_command praxec_command")
}

// TestReadOnlyClient: who may only read is told of each move why it is not theirs, and of nothing that they may not see.
func TestReadOnlyClient(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	a := h.start(agent, "ticket", `{"subject":"x"}`)
	reader := agent
	reader.Allow = permitting(agent, praxec.Query).Permissions
	equal(t, "a workflow", h.get(reader, a.id()).rels(), "classify(TOOL_NOT_GRANTED) drop(TOOL_NOT_GRANTED)")
	equal(t, "an item", h.query(reader, `{"subject":"ticket"}`).text("item.links.0.blocked.code"), "TOOL_NOT_GRANTED")
	equal(t, "home", h.query(reader, `{}`).rels(), "search list_workflows list_capabilities")
	if _, err := h.call(reader, praxec.Command, `{}`); err == nil {
		t.Error("it can be called")
	}
	writer := agent
	writer.Allow = permitting(agent, praxec.Command).Permissions
	equal(t, "who may not read", h.command(writer, `{"definitionId":"nope"}`).rels(), "list_workflows(TOOL_NOT_GRANTED) home(TOOL_NOT_GRANTED)")
}
