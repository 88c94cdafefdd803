package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"prax/auth"
	"prax/store"
	"prax/store/digest"
)

// workflows are the nouns of workflows.
func workflows(t *testing.T, open Opener) {
	for name, test := range map[string]func(*testing.T, Opener){
		"definitions":      definitions,
		"instances":        instances,
		"refused starts":   refusedStarts,
		"one run id":       oneRunID,
		"lists":            instanceLists,
		"large lists":      largeLists,
		"due":              due,
		"moves":            moves,
		"refused moves":    refusedMoves,
		"one winner":       oneWinner,
		"change and event": changeAndEvent,
		"acknowledgements": acknowledgements,
		"approvals":        approvals,
		"answers":          answers,
		"refused answers":  refusedAnswers,
		"open approvals":   openApprovals,
		"attempts":         attempts,
		"refused attempts": refusedAttempts,
		"one attempt":      oneAttempt,
		"closings":         closings,
		"kept attempts":    keptAttempts,
		"approved":         approvedAttempts,
		"blocked timers":   blockedTimers,
		"claims":           claims,
		"direct attempts":  directAttempts,
		"attempt lists":    attemptLists,
		"large attempts":   largeAttempts,
		"terms":            terms,
		"subjects":         subjects,
		"observed":         observed,
		"notices":          notices,
		"notice bounds":    noticeBounds,
		"refused notices":  refusedNotices,
		"notice or none":   noticeAndChange,
		"foreign":          foreignInstances,
		"read-only":        readOnlyWorkflows,
		"model":            workflowModel,
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); test(t, open) })
	}
}

// dawn is when these tests take place: the nouns of workflows take their times from the caller.
var dawn = time.UnixMilli(1_700_000_000_123).UTC()

// plain is a definition with this id.
func plain(id string) store.Definition {
	text := fmt.Appendf(nil, `{"id":%q,"initialState":"a"}`, id)
	return store.Definition{ID: id, Version: 1, Hash: digest.Hex(text), Text: text, Created: dawn}
}

// newInstance is one that may start.
func newInstance(user, definition string) store.Instance {
	d := plain(definition)
	return store.Instance{
		ID: "wf_" + store.NewID(), User: user, Client: user + "-agent",
		Grant: `{"id":"started"}`, DefinitionID: d.ID, DefinitionVersion: d.Version, DefinitionHash: d.Hash,
		State: "a", Version: 1, Status: store.Open, Created: dawn, Updated: dawn,
		Input: []byte(`{"in":1}`), Context: []byte(`{"n":1}`), Memo: []byte(`{"hops":0}`),
	}
}

func firstStep(i store.Instance) store.Step {
	return store.Step{Seq: 1, Kind: "start", To: i.State, Actor: "agent", Client: i.Client, User: i.User, At: i.Created}
}

// begin starts an instance, with its definition and an event.
func (f *fixture) begin(i store.Instance) store.Instance {
	f.Helper()
	f.must(func(tx store.Tx) error {
		if _, err := tx.PutDefinition(plain(i.DefinitionID)); err != nil {
			return err
		}
		tx.AddEvent(told)
		return tx.CreateInstance(i, firstStep(i), nil)
	})
	return i
}

// after is the move by one step that change makes of the instance.
func after(i store.Instance, change func(*store.Instance)) store.Move {
	next := i
	next.Version++
	next.Updated = i.Updated.Add(time.Second)
	if change != nil {
		change(&next)
	}
	step := store.Step{
		Seq: next.Version, Kind: "transition", Transition: "go", From: i.State, To: next.State, Actor: "agent",
		Client: i.Client, User: i.User, Correlation: "cor_1", At: next.Updated,
	}
	return store.Move{Next: next, From: i.Version, Steps: []store.Step{step}}
}

// move makes a move that has to succeed.
func (f *fixture) move(m store.Move) store.Instance {
	f.Helper()
	if err := f.tryMove(m); err != nil {
		f.Fatalf("move: %v", err)
	}
	return m.Next
}

func (f *fixture) tryMove(m store.Move) error {
	return f.Update(context.Background(), func(tx store.Tx) error {
		tx.AddEvent(told)
		return tx.Move(m)
	})
}

// instance is what the store has of one.
func (f *fixture) instance(s auth.Scope, id string) store.Instance {
	f.Helper()
	i, err := f.Instance(context.Background(), s, id)
	if err != nil {
		f.Fatalf("instance: %v", err)
	}
	return i
}

func (f *fixture) steps(s auth.Scope, id string) (all []store.Step) {
	f.Helper()
	f.look(func(tx store.Tx) (err error) {
		all, err = tx.Steps(s, id, 0, store.MaxSteps)
		return err
	})
	return all
}

func (f *fixture) listed(s auth.Scope, filter store.InstanceFilter) (all []store.ListedInstance) {
	f.Helper()
	f.look(func(tx store.Tx) (err error) {
		all, err = tx.ListInstances(s, filter)
		return err
	})
	return all
}

// ids are those of a list.
func ids(all []store.ListedInstance) []string {
	got := make([]string, len(all))
	for n, i := range all {
		got[n] = i.ID
	}
	return got
}

// anApproval is one that a move of the instance may open.
func anApproval(m store.Move) *store.Approval {
	material := []byte(`{"arguments":{"x":1},"transition":"approve"}`)
	return &store.Approval{
		ID: "ap_" + store.NewID(), User: m.Next.User, Instance: m.Next.ID, Version: m.Next.Version,
		Definition: m.Next.DefinitionID, Hash: m.Next.DefinitionHash, Transition: "approve",
		Arguments: []byte(`{"x":1}`), Material: material, Digest: digest.Hex(material), Tier: "low", Queue: "people",
		Client: m.Next.Client, Grant: `{"id":"asked"}`, Status: store.ApprovalOpen, Created: m.Next.Updated, Expires: m.Next.Updated.Add(store.ApprovalLife),
	}
}

// ask makes a move that opens an approval.
func (f *fixture) ask(i store.Instance) (store.Instance, store.Approval) {
	f.Helper()
	m := after(i, nil)
	m.Approval = anApproval(m)
	return f.move(m), *m.Approval
}

func (f *fixture) approval(s auth.Scope, id string) (a store.Approval) {
	f.Helper()
	f.look(func(tx store.Tx) (err error) {
		a, err = tx.Approval(s, id)
		return err
	})
	return a
}

func (f *fixture) asked(s auth.Scope, instance string, now time.Time) []string {
	f.Helper()
	got := []string{}
	f.look(func(tx store.Tx) error {
		all, err := tx.OpenApprovals(s, instance, now, 0)
		for _, a := range all {
			got = append(got, a.ID)
		}
		return err
	})
	return got
}
