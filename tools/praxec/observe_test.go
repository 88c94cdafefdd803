package praxec_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"prax/auth"
	"prax/store"
	"prax/tools/praxec"
)

// types are the events of an answer, in order.
func types(a answer) (names []string) {
	for _, e := range a["events"].([]any) {
		names = append(names, answer(e.(map[string]any)).text("event_type"))
	}
	return names
}

// eventually asks again until an answer is as it must be, a minute at most.
func (h *house) eventually(p auth.Principal, arguments string, met func(answer) bool) answer {
	h.Helper()
	deadline := time.NewTimer(time.Minute)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if a := h.query(p, arguments); met(a) {
			return a
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			h.Fatalf("%s: never as it must be: %s", arguments, show(h.query(p, arguments)))
		}
	}
}

// TestObserve: what happened, in order, to the own workflows.
func TestObserve(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	a := h.command(agent, `{"definitionId":"ticket","input":{"subject":"x"},"traceId":"t","runId":"r"}`)
	h.clock.add(time.Second)
	h.submit(agent, a, "drop", `{}`)
	events := h.query(agent, `{"observe":true}`)
	equal(t, "a start and a move", types(events), []string{
		"workflow.started", "transition.requested", "workflow.transition", "workflow.transitioned", "workflow.completed",
	})
	for _, one := range events["events"].([]any) {
		e := answer(one.(map[string]any))
		equal(t, "each has", e.text("workflow_id")+" "+e.text("trace_id")+" "+e.text("run_id")+" "+e.text("actor"), a.id()+" t r ann-agent")
	}
	if events.text("events.1.correlation_id") != events.text("events.4.correlation_id") || events.text("events.0.correlation_id") == events.text("events.1.correlation_id") {
		t.Errorf("one correlation a call: %s", show(events))
	}
	equal(t, "no value in it", strings.Contains(show(events), `"x"`), false)

	late := h.query(agent, `{"observe":true,"since":"2026-03-02T08:00:00.500Z"}`)
	equal(t, "since", len(types(late)), 4)
	next := h.query(agent, show(late.link("observe_next")["args"]))
	equal(t, "nothing after that", next.text("count")+" "+next.text("next_since"), "0 "+late.text("next_since"))
	equal(t, "nobody else's", h.query(bob, `{"observe":true}`).text("count"), "0")
	equal(t, "not whom one oversees", h.query(boss, `{"observe":true}`).text("count"), "0")
}

// TestObserveInPages: with since the oldest come first, and nothing is left out or told twice.
func TestObserveInPages(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	var want []string
	for range 12 {
		want = append(want, h.start(agent, "mixed", `{}`).id())
		h.clock.add(time.Millisecond)
	}
	var got []string
	page := h.query(agent, `{"observe":true,"since":"2026-01-01T00:00:00Z","limit":5}`)
	for pages := 0; page.text("count") != "0"; pages++ {
		for _, e := range page["events"].([]any) {
			got = append(got, answer(e.(map[string]any)).text("workflow_id"))
		}
		equal(t, "truncated", page.at("truncated"), any(len(got) < len(want)))
		args := page.link("observe_next")["args"].(map[string]any)
		args["limit"] = 5
		if page = h.query(agent, show(args)); pages > 5 {
			t.Fatal("no end")
		}
	}
	equal(t, "each once, in order", got, want)
	newest := h.query(agent, `{"observe":true,"limit":2}`)
	equal(t, "without since the newest", newest.text("events.1.workflow_id")+" "+newest.text("truncated"), want[11]+" true")
}

// TestRefusalsAreObserved: what was refused is an event, and so is what was described.
func TestRefusalsAreObserved(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	a := h.start(agent, "ticket", `{"subject":"x"}`)
	h.submit(agent, a, "approve", `{}`)
	h.query(agent, `{"subject":"ticket"}`)
	h.query(agent, fmt.Sprintf(`{"subject":"ticket","workflowId":%q}`, a.id()))
	h.query(agent, `{"subject":"nope"}`)
	events := h.eventually(agent, `{"observe":true}`, func(a answer) bool { return len(types(a)) == 6 })
	at := slices.Index(types(events), "transition.rejected")
	equal(t, "rejected", show(events.at(fmt.Sprintf("events.%d.payload", at))), `{"code":"INVALID_TRANSITION","fromState":"open","transition":"approve"}`)
	equal(t, "requested before", types(events)[at-1], "transition.requested")
	var described []string
	for _, one := range events["events"].([]any) {
		if e := answer(one.(map[string]any)); e["event_type"] == "guidance.describe_requested" {
			described = append(described, e.text("payload.subject")+" "+e.text("payload.workflowId")+" "+e.text("payload.outcome"))
		}
	}
	equal(t, "described", described, []string{"ticket  ok", "ticket " + a.id() + " ok", "nope  ok"})
}

// TestTermsAreObserved: a definition is one fact with its event.
func TestTermsAreObserved(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	h.command(person, `{"subject":"lexicon:basket","definition":{"definition_short":"a secret definition"}}`)
	h.command(person, `{"subject":"lexicon:basket","definition":{"aliases_add":["cart"]}}`)
	h.command(agent, `{"intent":"cancel_pending_subject","unknown_subject":"order-lines"}`)
	events := h.query(agent, `{"observe":true}`)
	equal(t, "events", types(events), []string{"lexicon.defined", "lexicon.alias_added", "lexicon.pending_cancelled"})
	equal(t, "the text is not in it", strings.Contains(show(events), "secret"), false)
}

// TestChangesAreAuditedOnce: a change and its call are in the chain together; what is read is there as a call.
func TestChangesAreAuditedOnce(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	a := h.start(agent, "ticket", `{"subject":"x"}`)
	h.submit(agent, a, "drop", `{}`)
	var kinds []string
	err := h.db.View(context.Background(), func(tx store.Tx) error {
		kinds = nil
		all, err := tx.EventsAfter(0, 100)
		for _, e := range all {
			if e.Kind == store.EventCall || e.Kind == store.EventWorkflow {
				kinds = append(kinds, fmt.Sprintf("%s %s", e.Kind, e.Tool))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "in the chain", kinds, []string{"workflow ", "call " + praxec.Command, "workflow ", "call " + praxec.Command})
}
