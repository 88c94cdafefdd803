package runner_test

import (
	"context"
	"strings"
	"testing"

	"prax/auth"
	"prax/store"
	"prax/tools/runner"
)

// TestApprovalAttacks: each way to get past a person's yes is refused, runs nothing, and is in the audit.
func TestApprovalAttacks(t *testing.T) {
	t.Parallel()
	resolve := func(h *house, p auth.Principal, a store.Approval) string {
		b, err := h.Resolve(context.Background(), work(p), runner.ResolveRequest{ApprovalID: a.ID, Digest: a.Digest, Approve: true})
		return outcome(b, err)
	}
	for name, tt := range map[string]struct {
		attack func(h *house, p *probe, a *runner.Answer) string
		want   string // the answer
		code   string // in the audit; "": who may not see it is told nothing, and the pipeline has recorded the call
	}{
		"an agent's token": {func(h *house, _ *probe, a *runner.Answer) string { return resolve(h, agent, a.Approvals[0]) }, "ACTOR_MISMATCH", "ACTOR_MISMATCH"},
		"an agent's submit": {func(h *house, _ *probe, a *runner.Answer) string {
			_, got := h.submit(agent, a, "fire", `{"at":"noon"}`)
			return got
		}, "ACTOR_MISMATCH", "ACTOR_MISMATCH"},
		"somebody else": {func(h *house, _ *probe, a *runner.Answer) string { return resolve(h, bob, a.Approvals[0]) }, "error: unknown approval", ""},
		"who oversees and is no person": {func(h *house, _ *probe, a *runner.Answer) string {
			return resolve(h, fake, a.Approvals[0])
		}, "error: unknown approval", ""},
		"the digest of something else": {func(h *house, _ *probe, a *runner.Answer) string {
			other := a.Approvals[0]
			other.Digest = strings.Repeat("a", 64)
			return resolve(h, person, other)
		}, "APPROVAL_DIGEST_MISMATCH", "APPROVAL_DIGEST_MISMATCH"},
		"a connection that was edited": {func(h *house, p *probe, a *runner.Answer) string {
			p.set(func(p *probe) { p.to = "elsewhere" })
			return resolve(h, person, a.Approvals[0])
		}, "ready 3 APPROVAL_DIGEST_MISMATCH", "APPROVAL_DIGEST_MISMATCH"},
		"an old approval after a change": {func(h *house, _ *probe, a *runner.Answer) string {
			h.must(agent, a, "wait", "", "ready 3")
			return resolve(h, person, a.Approvals[0])
		}, "APPROVAL_NOT_OPEN", "APPROVAL_NOT_OPEN"},
		"an approval too late": {func(h *house, _ *probe, a *runner.Answer) string {
			h.clock.add(store.ApprovalLife)
			return resolve(h, person, a.Approvals[0])
		}, "APPROVAL_EXPIRED", "APPROVAL_EXPIRED"},
		"a replay after a restore": {func(h *house, _ *probe, a *runner.Answer) string {
			err := h.db.Update(context.Background(), func(tx store.Tx) error { // as a restore does
				_, err := tx.VoidApprovals(h.clock.now())
				return err
			})
			if err != nil {
				h.Fatal(err)
			}
			return resolve(h, person, a.Approvals[0])
		}, "APPROVAL_NOT_OPEN", "APPROVAL_NOT_OPEN"},
		"who asked is out": {func(h *house, _ *probe, a *runner.Answer) string {
			h.people.revoke(person.Client)
			return resolve(h, boss, a.Approvals[0])
		}, "CLIENT_REVOKED", "CLIENT_REVOKED"},
	} {
		h, p, _ := effects(t, launch)
		a := h.must(person, h.begin(agent, "launch"), "fire", `{"at":"noon"}`, "ready 2")
		equal(t, name, tt.attack(h, p, a), tt.want)
		equal(t, name+": runs", p.count(), 0)
		if tt.code == "" {
			continue
		}
		changes, refusals := h.events(a.Stored.ID)
		found := false
		for _, e := range append(changes, refusals...) {
			found = found || e.Code == tt.code
		}
		if !found {
			t.Errorf("%s: %s is not in the audit", name, tt.code)
		}
	}
}

// TestReplayAfterUse: a yes that was given is no yes to anything after it.
func TestReplayAfterUse(t *testing.T) {
	t.Parallel()
	h, p, _ := effects(t, strings.Replace(launch, "target: fired", "target: ready", 1))
	a := h.must(person, h.begin(agent, "launch"), "fire", `{"at":"noon"}`, "ready 2")
	equal(t, "approved", h.answer(person, a), "ready 3")
	equal(t, "replayed", h.answer(person, a), "APPROVAL_NOT_OPEN")
	equal(t, "runs", p.count(), 1)
}
