package runner_test

import (
	"context"
	"errors"
	"testing"

	"prax/auth"
	"prax/store"
	"prax/tools/runner"
)

// everyWay is every way to name an instance, and what each says of one that is not there.
var everyWay = map[string]struct {
	try  func(*house, auth.Principal, string) error
	want error
}{
	"get": {func(h *house, p auth.Principal, id string) error {
		_, err := h.Get(context.Background(), work(p), id)
		return err
	}, runner.ErrUnknownInstance},
	"submit": {func(h *house, p auth.Principal, id string) error {
		_, err := h.Submit(context.Background(), work(p), runner.SubmitRequest{InstanceID: id, Transition: "leave", ExpectedVersion: 2})
		return err
	}, runner.ErrUnknownInstance},
	"reject": {func(h *house, p auth.Principal, id string) error {
		_, err := h.Submit(context.Background(), work(p), runner.SubmitRequest{InstanceID: id, Transition: "buy", ExpectedVersion: 2, Reject: true})
		return err
	}, runner.ErrUnknownInstance},
	"cancel": {func(h *house, p auth.Principal, id string) error {
		_, err := h.Cancel(context.Background(), work(p), id, "mine")
		return err
	}, runner.ErrUnknownInstance},
	"history": {func(h *house, p auth.Principal, id string) error {
		_, err := h.History(context.Background(), work(p), id, 0, 10)
		return err
	}, runner.ErrUnknownInstance},
	"acknowledge": {func(h *house, p auth.Principal, id string) error {
		return h.Acknowledge(context.Background(), work(p), id, "plan.all", "sha256:00")
	}, runner.ErrUnknownInstance},
	"approval": {func(h *house, p auth.Principal, id string) error {
		_, err := h.Approval(context.Background(), work(p), h.asked(id))
		return err
	}, runner.ErrUnknownApproval},
	"resolve": {func(h *house, p auth.Principal, id string) error {
		_, err := h.Resolve(context.Background(), work(p), runner.ResolveRequest{ApprovalID: h.asked(id), Approve: true})
		return err
	}, runner.ErrUnknownApproval},
}

// asked is the id of the instance's approval, or one that is not there.
func (h *house) asked(id string) string {
	a, err := h.Get(context.Background(), work(agent), id)
	if err != nil || len(a.Approvals) == 0 {
		return "ap_" + store.NewID()
	}
	return a.Approvals[0].ID
}

// strangers are those who may not know of Ann's order.
var strangers = map[string]auth.Principal{
	"another user":                       bob,
	"another person":                     client("bob", "bob", "human"),
	"an overseer of somebody else":       overseeing(client("boss", "zoe", "human"), "carl"),
	"an overseer who is no person":       fake,
	"Ann's, for other definitions":       few,
	"Ann's, for none":                    granting(client("ann-none", "ann", "human")),
	"an overseer, for other definitions": granting(boss, "board"),
	"nobody":                             {Workflows: auth.Everything()},
	"a user without a client":            {User: "ann", Workflows: auth.Everything(), Roles: auth.Names("human")},
	"a client without a user":            {Client: "ann-agent", Workflows: auth.Everything(), Roles: auth.Names("human"), Oversees: auth.Everything()},
}

// TestLaw9ForeignIsUnknown: on every way an instance of somebody else, or of a definition that the client may not use,
// is what was never there, by the very same error; whether the runner has just used it or never has.
func TestLaw9ForeignIsUnknown(t *testing.T) {
	t.Parallel()
	warm := open(t)
	a := warm.must(agent, warm.begin(agent, "order", run("r-1")), "buy", `{"item":"tea"}`, "cart 2")
	cold := warm.restart()
	for who, p := range strangers {
		for way, w := range everyWay {
			for name, h := range map[string]*house{"warm": warm, "cold": cold} {
				if err := w.try(h, p, a.Stored.ID); err != w.want {
					t.Errorf("%s by %s, %s: %v", way, who, name, err)
				}
				if err := w.try(h, p, "wf_"+store.NewID()); err != w.want {
					t.Errorf("%s by %s of what is not there, %s: %v", way, who, name, err)
				}
			}
		}
		page, err := warm.List(context.Background(), work(p), store.InstanceFilter{})
		if err != nil || len(page.Instances) > 0 {
			t.Errorf("list of %s: %+v, %v", who, page, err)
		}
		if gates, err := warm.Gates(context.Background(), work(p), 0); err != nil || len(gates) > 0 {
			t.Errorf("gates of %s: %+v, %v", who, gates, err)
		}
	}
	equal(t, "stored", warm.restart().get(agent, a.Stored.ID).Stored, a.Stored)
	if _, refusals := warm.events(a.Stored.ID); len(refusals) != 0 {
		t.Errorf("a stranger's doings are told of the instance: %+v", refusals)
	}
}

// TestOverseer reads, answers what waits for a person, and cancels; nothing else.
func TestOverseer(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.begin(agent, "ticket")
	seen := h.get(boss, a.Stored.ID)
	if !seen.Caller.Overseer || h.get(agent, a.Stored.ID).Caller.Overseer {
		t.Errorf("callers: %+v", seen.Caller)
	}
	_, got := h.submit(boss, seen, "classify", `{"category":"hw"}`)
	equal(t, "an agent's move", got, "ACTOR_MISMATCH")
	a = h.must(agent, a, "classify", `{"category":"hw"}`, "sorted 2")
	h.must(boss, a, "approve", "", "closed 3")
	b, err := h.Cancel(context.Background(), work(boss), h.begin(agent, "ticket").Stored.ID, "no")
	equal(t, "cancel", outcome(b, err), "open 2")
	equal(t, "steps that it sees", len(h.history(boss, a.Stored.ID)), 3)

	g := h.begin(agent, "guided")
	if err := h.Acknowledge(context.Background(), work(boss), g.Stored.ID, "plan.all", g.Definition.Library["plan.all"].Hash); err != nil {
		t.Errorf("acknowledge: %v", err)
	}
	_, got = h.submit(agent, g, "go", "")
	equal(t, "what an overseer was shown is not shown to the owner's side", got, "GUARD_REJECTED")
}

// TestShared: an instance of a shared definition is every client's that may use it, and nobody else's.
func TestShared(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.begin(agent, "board")
	b := h.must(bob, h.get(bob, a.Stored.ID), "note", "", "open 2")
	equal(t, "owner", b.Stored.User, "ann")
	equal(t, "who moved it", h.history(agent, a.Stored.ID)[1].User, "bob")
	if _, err := h.Get(context.Background(), work(granting(bob, "ticket")), a.Stored.ID); !errors.Is(err, runner.ErrUnknownInstance) {
		t.Errorf("get by a client that may not use the definition: %v", err)
	}
	page, err := h.List(context.Background(), work(bob), store.InstanceFilter{})
	if err != nil || len(page.Instances) != 1 {
		t.Errorf("list: %+v, %v", page, err)
	}
}

// TestNarrowed: what a client may use is judged with every call.
func TestNarrowed(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.begin(agent, "ticket")
	for _, way := range everyWay {
		if err := way.try(h, granting(agent, "tick.*", "ticket.*", "Ticket", ""), a.Stored.ID); err != way.want {
			t.Errorf("a client whose grant does not have the definition: %v", err)
		}
	}
	h.must(granting(agent, "ticket"), a, "again", "", "open 2")
}
