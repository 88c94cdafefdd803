package runner_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store"
	"prax/tools/runner"
)

// buy parks an order on a person: the second version of it.
func (h *house) buy(arguments string) *runner.Answer {
	h.Helper()
	a := h.must(agent, h.begin(agent, "order"), "buy", arguments, "cart 2")
	if len(a.Approvals) != 1 || a.Instance.Parked == nil {
		h.Fatalf("not parked: %+v", a)
	}
	return a
}

// resolve answers the approval of an answer.
func (h *house) resolve(p auth.Principal, a *runner.Answer, approve bool, change ...func(*runner.ResolveRequest)) (*runner.Answer, string) {
	h.Helper()
	q := runner.ResolveRequest{ApprovalID: a.Approvals[0].ID, Digest: a.Approvals[0].Digest, Approve: approve}
	for _, c := range change {
		c(&q)
	}
	b, err := h.Resolve(context.Background(), work(p), q)
	return b, outcome(b, err)
}

// approval is what the store has of one.
func (h *house) approval(a *runner.Answer) store.Approval {
	h.Helper()
	found, err := h.Approval(context.Background(), work(agent), a.Approvals[0].ID)
	if err != nil {
		h.Fatal(err)
	}
	return found
}

// TestParked: a move that a person has to allow is a step that opens an approval, bound to all that the answer is about.
func TestParked(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.buy(`{"item":"tea"}`)
	p := a.Approvals[0]
	equal(t, "stored", h.approval(a), p)
	if !strings.HasPrefix(p.ID, "ap_") || p.Version != 2 || p.Instance != a.Stored.ID || p.Hash != a.Definition.Hash || p.Queue != "buyers" ||
		p.Tier != "low" || p.Client != "ann-agent" || !p.Expires.Equal(morning.Add(store.ApprovalLife)) {
		t.Errorf("approval: %+v", p)
	}
	equal(t, "arguments", string(p.Arguments), `{"count":1,"item":"tea"}`)
	if p.Digest != hash(p.Material) || !strings.Contains(string(p.Material), `"arguments":{"count":1,"item":"tea"}`) {
		t.Errorf("material: %s", p.Material)
	}
	again := h.restart().get(agent, a.Stored.ID)
	equal(t, "approvals of a later look", again.Approvals, a.Approvals)
	equal(t, "parked of a later look", again.Instance.Parked, a.Instance.Parked)
	step := h.history(agent, a.Stored.ID)[1]
	equal(t, "step", []string{step.Kind, step.From, step.To}, []string{"request", "cart", "cart"})
	changes, _ := h.events(a.Stored.ID)
	if e := changes[1]; !strings.Contains(e.types(), "human.approval.requested") || !strings.Contains(e.Event.Detail, p.ID) || strings.Contains(e.Event.Detail, "tea") {
		t.Errorf("event: %s", e.Event.Detail)
	}
}

// TestApproved: a person's yes takes the very move, under the person, and cannot be said twice.
func TestApproved(t *testing.T) {
	t.Parallel()
	h := open(t)
	for name, yes := range map[string]func(*runner.Answer) (*runner.Answer, string){
		"by answering": func(a *runner.Answer) (*runner.Answer, string) { return h.resolve(person, a, true) },
		"by submitting the same": func(a *runner.Answer) (*runner.Answer, string) {
			return h.submit(person, a, "buy", `{"item":"tea","count":1}`)
		},
		"by who oversees": func(a *runner.Answer) (*runner.Answer, string) { return h.resolve(boss, a, true) },
	} {
		a := h.buy(`{"item":"tea"}`)
		b, got := yes(a)
		equal(t, name, got, "bought 3")
		equal(t, name+": context", contextOf(b), `{"count":1,"item":"tea"}`)
		p := h.approval(a)
		equal(t, name+": approval", []string{string(p.Status), p.By}, []string{"consumed", b.Caller.Client})
		step := h.history(agent, a.Stored.ID)[2]
		equal(t, name+": step", []string{step.Kind, step.Actor, step.Client}, []string{"transition", "human", b.Caller.Client})
		_, got = h.resolve(person, a, true)
		equal(t, name+": again", got, "APPROVAL_NOT_OPEN")
		_, got = yes(a)
		if got == "bought 4" {
			t.Errorf("%s: twice", name)
		}
	}
}

// TestApprovalIsBound (B098): whatever is not exactly what was asked about is not what was approved.
func TestApprovalIsBound(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.buy(`{"item":"tea"}`)
	other := func(q *runner.ResolveRequest) { q.Digest = strings.Repeat("0", 64) }
	_, got := h.resolve(person, a, true, other)
	equal(t, "another digest", got, "APPROVAL_DIGEST_MISMATCH")
	_, got = h.resolve(person, a, false, other)
	equal(t, "no, with another digest", got, "APPROVAL_DIGEST_MISMATCH")
	_, got = h.resolve(agent, a, true)
	equal(t, "an agent's yes (B099)", got, "ACTOR_MISMATCH")
	_, got = h.submit(agent, a, "buy", `{"item":"tea","count":1,"confirm":true}`)
	equal(t, "an agent that submits again asks again", got, "cart 3")

	b := h.buy(`{"item":"tea"}`)
	c, got := h.submit(person, b, "buy", `{"item":"gold"}`)
	equal(t, "one argument changed", got, "cart 3")
	equal(t, "what the first became", string(h.approval(b).Status), "void")
	_, got = h.resolve(person, b, true)
	equal(t, "the first, then", got, "APPROVAL_NOT_OPEN")
	_, got = h.resolve(person, c, true)
	equal(t, "the new one", got, "bought 4")
}

// TestApprovalIsVoided by any other change of the instance.
func TestApprovalIsVoided(t *testing.T) {
	t.Parallel()
	h := open(t)
	for transition, want := range map[string]string{"look": "cart 3", "leave": "left 3"} {
		a := h.buy(`{"item":"tea"}`)
		b := h.must(agent, a, transition, "", want)
		if len(b.Approvals) != 0 || b.Instance.Parked != nil || h.approval(a).Status != store.ApprovalVoid {
			t.Errorf("%s: the approval is there still: %+v", transition, b)
		}
		_, got := h.resolve(person, a, true)
		if got != "APPROVAL_NOT_OPEN" && got != "WORKFLOW_COMPLETED" {
			t.Errorf("%s: resolve: %s", transition, got)
		}
	}
}

// TestApprovalExpires: after a day nobody can say yes any more; the move can be asked for again.
func TestApprovalExpires(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.buy(`{"item":"tea"}`)
	h.clock.add(store.ApprovalLife - time.Millisecond)
	equal(t, "just before", len(h.get(person, a.Stored.ID).Approvals), 1)
	h.clock.add(time.Millisecond)
	_, got := h.resolve(person, a, true)
	equal(t, "yes", got, "APPROVAL_EXPIRED")
	_, got = h.resolve(person, a, false)
	equal(t, "no", got, "APPROVAL_EXPIRED")
	equal(t, "open ones", len(h.get(person, a.Stored.ID).Approvals), 0)
	b, got := h.submit(person, a, "buy", `{"item":"tea"}`)
	equal(t, "the same submitted", got, "cart 3")
	_, got = h.resolve(person, b, true)
	equal(t, "and approved", got, "bought 4")
}

// TestRejected: a person's no is a step that leaves the state, by either way, and no longer asks.
func TestRejected(t *testing.T) {
	t.Parallel()
	h := open(t)
	reject := func(p auth.Principal, a *runner.Answer) (*runner.Answer, string) {
		q := request(a, "buy", "")
		q.Reject, q.Summary = true, strings.Repeat("no ", 4<<10)
		b, err := h.Submit(context.Background(), work(p), q)
		return b, outcome(b, err)
	}
	for name, no := range map[string]func(*runner.Answer) (*runner.Answer, string){
		"by answering": func(a *runner.Answer) (*runner.Answer, string) {
			return h.resolve(person, a, false, func(q *runner.ResolveRequest) { q.Note = strings.Repeat("é", 10<<10) })
		},
		"by submitting": func(a *runner.Answer) (*runner.Answer, string) { return reject(person, a) },
	} {
		a := h.buy(`{"item":"tea"}`)
		b, got := no(a)
		equal(t, name, got, "cart 3")
		equal(t, name+": approval", string(h.approval(a).Status), "rejected")
		equal(t, name+": step", h.history(agent, a.Stored.ID)[2].Kind, "rejection")
		_, got = h.submit(agent, b, "pay", "")
		equal(t, name+": what needs an approval", got, "GUARD_REJECTED")
		b.Approvals = a.Approvals
		_, got = no(b)
		equal(t, name+": again", got, "APPROVAL_NOT_OPEN")
	}
	a := h.buy(`{"item":"tea"}`)
	_, got := reject(agent, a)
	equal(t, "by an agent", got, "ACTOR_MISMATCH")
	_, got = reject(person, h.begin(agent, "order"))
	equal(t, "when nothing was asked", got, "APPROVAL_NOT_OPEN")
	a.Stored.Version--
	_, got = reject(person, a)
	equal(t, "too late", got, "STALE_WORKFLOW_VERSION")
}

// TestApprovalEvidence: what a person allowed is evidence, by who allowed it, for guards that count it.
func TestApprovalEvidence(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.catalog.set(written(t, `
  order:
    initialState: cart
    states:
      cart:
        transitions:
          check: { target: cart, executor: { kind: human } }
          pay: { target: paid, guards: [ { kind: evidence, requires: [ { kind: human_approval, count: 1 } ] } ] }
      paid: { terminal: true }
`)...)
	a := h.begin(agent, "order")
	_, got := h.submit(agent, a, "pay", "")
	equal(t, "before", got, "GUARD_REJECTED")
	a = h.must(agent, a, "check", "", "cart 2")
	_, got = h.submit(agent, a, "pay", "")
	equal(t, "asked", got, "GUARD_REJECTED")
	a, got = h.resolve(person, a, true, func(q *runner.ResolveRequest) { q.Note = "fine" })
	equal(t, "approved", got, "cart 3")
	cold := h.restart().get(agent, a.Stored.ID)
	equal(t, "evidence of a later look", cold.Instance.Evidence, a.Instance.Evidence)
	last := cold.Instance.Evidence[1]
	equal(t, "evidence", []string{last.Kind, last.Client, last.User, last.Summary, fmt.Sprint(last.Seq)}, []string{"human_approval", "ann", "ann", "fine", "3"})
	h.must(agent, a, "pay", "", "paid 4")
}

// TestDamagedApproval: an approval that is not what its material shows can be used by nobody.
func TestDamagedApproval(t *testing.T) {
	t.Parallel()
	h := open(t)
	for name, damage := range map[string]func(*store.Approval){
		"arguments":  func(a *store.Approval) { a.Arguments = jsontext.Value(`{"count":1000,"item":"gold"}`) },
		"no JSON":    func(a *store.Approval) { a.Arguments = jsontext.Value(`{`) },
		"material":   func(a *store.Approval) { a.Material = jsontext.Value(`{"transition":"buy"}`) },
		"digest":     func(a *store.Approval) { a.Digest = strings.Repeat("0", 64) },
		"transition": func(a *store.Approval) { a.Transition = "leave" },
		"version":    func(a *store.Approval) { a.Version = 1 },
		"definition": func(a *store.Approval) { a.Hash = strings.Repeat("0", 64) },
		"instance":   func(a *store.Approval) { a.Instance = "wf_other" },
	} {
		a := h.buy(`{"item":"tea"}`)
		w := work(person)
		w.On = reading{h.db, func(tx store.Tx) store.Tx { return damagedApproval{tx, damage} }}
		seen, err := h.Get(context.Background(), w, a.Stored.ID)
		if err != nil || len(seen.Approvals) != 0 || seen.Instance.Parked != nil {
			t.Errorf("%s: %+v, %v", name, seen, err)
			continue
		}
		if b, err := h.Submit(context.Background(), w, request(a, "buy", `{"item":"tea"}`)); outcome(b, err) != "cart 3" {
			t.Errorf("%s: submit: %s", name, outcome(b, err))
		}
	}
}

type damagedApproval struct {
	store.Tx
	damage func(*store.Approval)
}

func (d damagedApproval) OpenApprovals(s auth.Scope, instance string, now time.Time, limit int) ([]store.Approval, error) {
	all, err := d.Tx.OpenApprovals(s, instance, now, limit)
	for n := range all {
		d.damage(&all[n])
	}
	return all, err
}
