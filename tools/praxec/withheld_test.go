package praxec_test

import (
	"strings"
	"testing"
)

// TestObserveNotGranted: what happened in workflows of a definition that a client was not granted, or is not granted any
// more, it is not told, though they are its user's.
func TestObserveNotGranted(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	a := h.start(agent, "release", `{}`)
	a = h.submit(agent, a, "ship", `{"to":"x"}`)
	h.submit(agent, a, "bogus", `{}`)
	h.query(agent, `{"subject":"release"}`)
	h.query(agent, `{"subject":"plan.order-line","workflowId":"`+a.id()+`"}`)
	own := h.start(agent, "ticket", `{"subject":"x"}`)
	h.command(agent, `{"definitionId":"quorum","input":{"x":1},"runId":"r"}`)
	h.submit(agent, own, "bogus", `{}`)
	all := h.eventually(agent, `{"observe":true}`, func(a answer) bool { return strings.Count(show(a), "bogus") == 4 })
	told := show(h.query(granting(client("few", "ann"), "ticket"), `{"observe":true}`))
	for _, word := range []string{"release", "ship", "quorum", "plan.order-line", a.id()} {
		equal(t, word+" is told to who may use all", strings.Contains(show(all), word), true)
		equal(t, word+" is told to who may not use it", strings.Contains(told, word), false)
	}
	equal(t, "refusals of its own are told", strings.Count(told, "bogus"), 2)
}

// TestGateBlocked: the call that answers a gate says that its caller could not send it: for a guard, for want of options,
// because it was used up; and nothing else says so of a person who can.
func TestGateBlocked(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	h.put(written(t, `
workflows:
  pay:
    linkFilter: byGuards
    initialState: s
    states:
      s:
        transitions:
          pay: { target: t, actor: human, guards: [ { kind: permission, permission: finance } ] }
          ask: { target: t, executor: { kind: human }, guards: [ { kind: permission, permission: finance } ] }
          pick: { target: t, actor: human, choices: { field: p, from: "$.context.none" } }
          once: { target: s, actor: human, max_fires_per_visit: 1 }
      t: { terminal: true }
`))
	a := h.start(agent, "pay", `{}`)
	a = h.submit(person, a, "once", `{}`)
	h.submit(permitting(agent, "finance"), a, "ask", `{}`)
	treasurer := permitting(person, "finance")
	for _, tt := range []struct {
		name string
		a    answer
		want string
	}{
		{"a person", h.get(person, a.id()), "pay GUARD_REJECTED, ask GUARD_REJECTED, pick CHOICE_MISMATCH, once TRANSITION_FIRE_CAP_EXCEEDED"},
		{"one who may", h.get(treasurer, a.id()), "pay, ask, pick CHOICE_MISMATCH, once TRANSITION_FIRE_CAP_EXCEEDED"},
		{"an agent", h.get(agent, a.id()), "pay ACTOR_MISMATCH, ask ACTOR_MISMATCH, pick ACTOR_MISMATCH, once ACTOR_MISMATCH"},
	} {
		equal(t, tt.name, gatesOf(tt.a), tt.want)
	}
}

// gatesOf are the gates of a workflow, each with why its answer is blocked.
func gatesOf(a answer) string {
	first, _ := a["pending_human"].(map[string]any)
	all, _ := first["also"].([]any)
	var names []string
	for _, one := range append([]any{first}, all...) {
		g := answer(one.(map[string]any))
		names = append(names, strings.TrimSpace(g.text("transition")+" "+g.text("resolve.blocked.code")))
	}
	return strings.Join(names, ", ")
}
