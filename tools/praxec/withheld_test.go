package praxec_test

import (
	"strings"
	"testing"

	"prax/tools/praxec"
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

// TestCapabilityWithheld: a capability whose guards keep a caller out answers by every door like one that does not exist;
// for who is let through it is there.
func TestCapabilityWithheld(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	run := h.start(agent, "proxy_default", `{}`)
	const real, none = "ops.drain", "ops.zzzzz"
	for _, call := range [][2]string{
		{praxec.Query, `{"definitionId":"proxy_default"}`},
		{praxec.Query, `{"subject":"NAME"}`},
		{praxec.Query, `{"query":"drain"}`},
		{praxec.Query, `{"workflowId":"` + run.id() + `","transition":"NAME"}`},
		{praxec.Query, `{"workflowId":"` + run.id() + `","transition":"sys.date"}`},
		{praxec.Command, submission(run, "NAME", `{}`)},
		{praxec.Command, submission(run, "NAME", `{"wrong":1}`)},
	} {
		got := h.raw(agent, call[0], strings.ReplaceAll(call[1], "NAME", real))
		equal(t, call[1], strings.ReplaceAll(got, real, none), h.raw(agent, call[0], strings.ReplaceAll(call[1], "NAME", none)))
		if strings.Contains(strings.ReplaceAll(call[1], "NAME", real), real) {
			continue
		}
		equal(t, call[1]+" tells", strings.Contains(got, real), false)
	}
	ops := permitting(agent, "ops")
	equal(t, "it is read", strings.Contains(h.raw(ops, praxec.Query, `{"definitionId":"proxy_default"}`), `"ops.drain":{"title":"Drain"`), true)
	equal(t, "it is legal", h.query(ops, `{"workflowId":"`+run.id()+`","transition":"ops.drain"}`).text("allowedFromCurrentState"), "true")
	equal(t, "it is taken", h.submit(ops, run, real, `{}`).brief(), "ready 2 executed")
}

// TestAuditEscapes: what a caller wrote, and the audit has as a name, is a line of what can be seen.
func TestAuditEscapes(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	a := h.start(agent, "ticket", `{"subject":"x"}`)
	h.submit(agent, a, "a\u202eb", `{}`)
	h.command(agent, `{"workflowId":"`+a.id()+`","intent":"cancel","summary":"c\u202e\u0007d"}`)
	b := h.start(agent, "reading", `{}`)
	h.submit(agent, b, "end", `{"e\u2066f":1}`)
	told := show(h.eventually(agent, `{"observe":true}`, func(a answer) bool { return strings.Contains(show(a), "INVALID_TRANSITION") }))
	for _, want := range []string{`a\\u202eb`, `c\\u202e\\ad`, `e\\u2066f`} {
		equal(t, want, strings.Contains(told, want), true)
	}
	equal(t, "nothing is hidden", strings.ContainsAny(told, "\u202e\u2066"), false)
}
