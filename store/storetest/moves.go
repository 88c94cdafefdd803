package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/store"
)

// moves: an instance is what its last move made of it, but for what it has from its start, and its history
// has each version once.
func moves(t *testing.T, open Opener) {
	f := start(t, open)
	i := newInstance("alice", "demo")
	i.RunID, i.Due = "r", dawn.Add(time.Hour)
	f.begin(i)
	first := f.move(after(i, func(i *store.Instance) {
		i.State, i.Context, i.Memo, i.Summary, i.Due = "b", []byte(`{"n":2}`), []byte(`{"hops":1}`), "one", dawn.Add(time.Minute)
	}))
	long := after(first, func(i *store.Instance) {
		i.Version, i.State, i.Status, i.Due = 5, "end", store.Completed, time.Time{}
		i.Client, i.Grant, i.RunID, i.TraceID, i.DefinitionVersion, i.Shared, i.Input, i.Created = "x", "x", "x", "x", 9, true, []byte(`{"x":1}`), dawn.Add(time.Hour)
	})
	long.Steps = nil
	for n := int64(3); n <= 5; n++ {
		long.Steps = append(long.Steps, store.Step{
			Seq: n, Kind: "chain", Transition: "hop", From: "b", To: "end", Actor: "deterministic",
			Output: []byte(`{}`), Delta: fmt.Appendf(nil, `{"n":%d,"gone":null}`, n), At: dawn.Add(time.Duration(n) * time.Second),
		})
	}
	long.Evidence = []store.Evidence{{ID: "ev_1", Seq: 4, Kind: "k", At: dawn}, {ID: "ev_2", Seq: 5, Kind: "k", At: dawn}}
	f.move(long)
	f.reopen()
	want := first
	want.Version, want.State, want.Status, want.Due, want.Updated, want.Ended = 5, "end", store.Completed, time.Time{}, long.Next.Updated, long.Next.Updated
	s := scope("alice")
	if diff := cmp.Diff(want, f.instance(s, i.ID)); diff != "" {
		t.Errorf("instance (-want +got):\n%s", diff)
	}
	steps := append([]store.Step{firstStep(i), after(i, func(i *store.Instance) { i.State = "b" }).Steps[0]}, long.Steps...)
	if diff := cmp.Diff(steps, f.steps(s, i.ID)); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	f.look(func(tx store.Tx) error {
		some, err := tx.Steps(s, i.ID, 2, 2)
		if diff := cmp.Diff(steps[2:4], some); diff != "" {
			t.Errorf("two steps after the second (-want +got):\n%s", diff)
		}
		none, noneErr := tx.Steps(s, i.ID, 5, 10)
		kept, keptErr := tx.EvidenceOf(s, i.ID)
		if diff := cmp.Diff(long.Evidence, kept); diff != "" || len(none) != 0 {
			t.Errorf("steps after the last: %v, evidence (-want +got):\n%s", none, diff)
		}
		return errors.Join(err, noneErr, keptErr)
	})
}

// refusedMoves: a move that is refused changes nothing, even when the function that made it goes on.
func refusedMoves(t *testing.T, open Opener) {
	f := start(t, open)
	i := f.begin(newInstance("alice", "demo"))
	i = f.move(after(i, nil))
	other, used := f.ask(f.begin(newInstance("alice", "demo")))
	f.move(after(other, nil))
	ended := f.move(after(f.begin(newInstance("alice", "demo")), func(i *store.Instance) { i.Status = store.Cancelled }))
	long := func(n int) string { return strings.Repeat("x", n) }
	object := func(n int) []byte { return []byte(`{"x":"` + long(n) + `"}`) }
	tests := map[string]struct {
		change func(*store.Move)
		want   error // nil: any
	}{
		"a version behind":     {func(m *store.Move) { m.From, m.Next.Version, m.Steps[0].Seq = 1, 2, 2 }, store.ErrConflict},
		"a version ahead":      {func(m *store.Move) { m.From, m.Next.Version, m.Steps[0].Seq = 3, 4, 4 }, store.ErrConflict},
		"another's":            {func(m *store.Move) { m.Next.User = "bob" }, store.ErrNotFound},
		"none":                 {func(m *store.Move) { m.Next.ID = "wf_none" }, store.ErrNotFound},
		"one that has ended":   {func(m *store.Move) { m.Next.ID = ended.ID }, store.ErrConflict},
		"no step":              {func(m *store.Move) { m.Steps = nil }, nil},
		"a version too many":   {func(m *store.Move) { m.Next.Version++ }, nil},
		"the same version":     {func(m *store.Move) { m.Next.Version-- }, nil},
		"another step":         {func(m *store.Move) { m.Steps[0].Seq++ }, nil},
		"unknown status":       {func(m *store.Move) { m.Next.Status = "" }, nil},
		"no state":             {func(m *store.Move) { m.Next.State = "" }, nil},
		"context is no JSON":   {func(m *store.Move) { m.Next.Context = []byte(`{"a"`) }, nil},
		"context is no object": {func(m *store.Move) { m.Next.Context = []byte(`1`) }, nil},
		"delta is no JSON":     {func(m *store.Move) { m.Steps[0].Delta = []byte(`{"a"`) }, nil},
		"context too large":    {func(m *store.Move) { m.Next.Context = object(store.MaxContextBytes) }, store.ErrQuota},
		"memo too large":       {func(m *store.Move) { m.Next.Memo = object(store.MaxMemoBytes) }, store.ErrQuota},
		"reason too long":      {func(m *store.Move) { m.Next.Reason = long(store.MaxTextBytes + 1) }, store.ErrQuota},
		"output too large":     {func(m *store.Move) { m.Steps[0].Output = object(store.MaxValueBytes) }, store.ErrQuota},
		"too many steps":       {manySteps, store.ErrQuota},
		"too much at once":     {muchAtOnce, store.ErrQuota},
		"too much evidence":    {func(m *store.Move) { m.Evidence = pieces(store.MaxEvidence + 1) }, store.ErrQuota},
		"evidence of no step":  {func(m *store.Move) { m.Evidence = []store.Evidence{{ID: "ev", Seq: 2, Kind: "k"}} }, nil},
		"evidence of no kind":  {func(m *store.Move) { m.Evidence = []store.Evidence{{ID: "ev", Seq: 3}} }, nil},
		"impossible confidence": {func(m *store.Move) {
			m.Evidence = pieces(1)
			m.Evidence[0].Confidence = new(float64)
			*m.Evidence[0].Confidence = 1.5
		}, nil},
		"unknown approval":     {func(m *store.Move) { m.Consumed = "ap_none" }, store.ErrConflict},
		"two answers":          {func(m *store.Move) { m.Consumed, m.Rejected = "ap_1", "ap_2" }, nil},
		"a foreign approval":   {func(m *store.Move) { m.Approval = anApproval(*m); m.Approval.Instance = "wf_other" }, nil},
		"approval at the end":  {func(m *store.Move) { m.Approval = anApproval(*m); m.Next.Status = store.Completed }, nil},
		"approval of nothing":  {func(m *store.Move) { m.Approval = anApproval(*m); m.Approval.Material = nil }, nil},
		"material is no JSON":  {func(m *store.Move) { m.Approval = anApproval(*m); m.Approval.Material = []byte("{") }, nil},
		"a used approval id":   {func(m *store.Move) { m.Approval = anApproval(*m); m.Approval.ID = used.ID }, store.ErrConflict},
		"approval for no time": {func(m *store.Move) { m.Approval = anApproval(*m); m.Approval.Expires = m.Approval.Created }, nil},
	}
	for name, test := range tests {
		m := after(i, func(i *store.Instance) { i.State = "b" })
		test.change(&m)
		if err := f.tryMove(m); err == nil || test.want != nil && !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
		_ = f.Update(context.Background(), func(tx store.Tx) error { // some of these succeed: there was nothing to undo
			_ = tx.Move(m)
			return nil
		})
	}
	if diff := cmp.Diff(i, f.instance(scope("alice"), i.ID)); diff != "" || len(f.steps(scope("alice"), i.ID)) != 2 {
		t.Errorf("something changed (-want +got):\n%s", diff)
	}
	if got := f.asked(scope("alice"), "", dawn); len(got) != 0 {
		t.Errorf("approvals are left: %v", got)
	}
	f.look(func(tx store.Tx) error {
		kept, err := tx.EvidenceOf(scope("alice"), i.ID)
		if len(kept) != 0 {
			t.Errorf("evidence is left: %v", kept)
		}
		return err
	})
	manyPieces(t, f, i)
}

func manySteps(m *store.Move) {
	for range store.MaxSteps {
		m.Next.Version++
		m.Steps = append(m.Steps, store.Step{Seq: m.Next.Version, Kind: "chain"})
	}
}

func muchAtOnce(m *store.Move) {
	large := []byte(`{"x":"` + strings.Repeat("x", store.MaxValueBytes-10) + `"}`)
	m.Steps[0].Arguments = large
	for range 4 {
		m.Next.Version++
		m.Steps = append(m.Steps, store.Step{Seq: m.Next.Version, Kind: "chain", Delta: large})
	}
}

func pieces(n int) []store.Evidence {
	all := make([]store.Evidence, n)
	for k := range all {
		all[k] = store.Evidence{ID: numbered("ev_", k), Seq: 3, Kind: "k", At: dawn}
	}
	return all
}

// manyPieces: an instance has as much evidence as may be, and then no more.
func manyPieces(t *testing.T, f *fixture, i store.Instance) {
	m := after(i, nil)
	m.Evidence = pieces(store.MaxEvidence)
	full := after(f.move(m), nil)
	full.Evidence = []store.Evidence{{ID: "ev_more", Seq: 4, Kind: "k", At: dawn}}
	if err := f.tryMove(full); !errors.Is(err, store.ErrQuota) {
		t.Errorf("one piece of evidence too many: %v, want ErrQuota", err)
	}
	full.Evidence = nil
	f.move(full)
}

// oneWinner: of many moves from one version, one succeeds.
func oneWinner(t *testing.T, open Opener) {
	f := start(t, open)
	i := f.begin(newInstance("alice", "demo"))
	const callers = 100
	errs := make([]error, callers)
	var group sync.WaitGroup
	for n := range callers {
		group.Go(func() {
			m := after(i, func(i *store.Instance) { i.Summary = numbered("by ", n) })
			m.Steps[0].Transition = m.Next.Summary
			m.Evidence = []store.Evidence{{ID: numbered("ev_", n), Seq: 2, Kind: "k", At: dawn}}
			errs[n] = f.tryMove(m)
		})
	}
	group.Wait()
	won := 0
	for n, err := range errs {
		if err == nil {
			won++
		} else if !errors.Is(err, store.ErrConflict) {
			t.Errorf("caller %d: %v, want ErrConflict", n, err)
		}
	}
	got, steps := f.instance(scope("alice"), i.ID), f.steps(scope("alice"), i.ID)
	if won != 1 || got.Version != 2 || len(steps) != 2 || steps[1].Transition != got.Summary {
		t.Errorf("%d succeeded: %+v, %+v", won, got, steps)
	}
	if n := len(f.chain()); n != 2 {
		t.Errorf("the chain has %d events, want one of the start and one of the move", n)
	}
}

// changeAndEvent is law 5: a change, its history, its evidence, its approval, its attempt and its event are there
// together, or none of them is.
func changeAndEvent(t *testing.T, open Opener) {
	f := start(t, open)
	i := f.begin(newInstance("alice", "demo"))
	other := newInstance("alice", "demo")
	failing := func(tx store.Tx) error {
		m := after(i, nil)
		m.Approval = anApproval(m)
		m.Evidence = []store.Evidence{{ID: "ev_1", Seq: 2, Kind: "k", At: dawn}}
		tx.AddEvent(store.Event{Kind: store.EventWorkflow, User: "alice", RequestID: "gone"})
		return errors.Join(
			tx.Move(m), tx.OpenAttempt(anAttempt(m.Next)), tx.OpenAttempt(aDirectAttempt("dora")), tx.CreateInstance(other, firstStep(other), nil), tx.Acknowledge(scope("alice"), i.ID, store.Acknowledgement{Subject: "s", Hash: "h"}),
			second(tx.PutTerm(store.Term{Term: "t", User: "alice", Entry: []byte(`{}`)})), second(tx.SettleSubject(scope("alice"), "s", dawn)), second(tx.PutDefinition(contentOf("new", 0, `{}`))))
	}
	for what, end := range map[string]func() error{"fails": func() error { return errOwn }, "panics": func() error { panic("its own") }} {
		if err := f.Update(context.Background(), func(tx store.Tx) error {
			if err := failing(tx); err != nil {
				t.Errorf("before it %s: %v", what, err)
			}
			return end()
		}); err == nil {
			t.Errorf("an update that %s succeeded", what)
		}
	}
	s := scope("alice")
	f.look(func(tx store.Tx) error {
		kept, err := tx.EvidenceOf(s, i.ID)
		shown, shownErr := tx.Acknowledgements(s, i.ID)
		terms, termsErr := tx.Terms(s)
		settled, settledErr := tx.SettledSubjects(s)
		if len(kept)+len(shown)+len(terms)+len(settled) != 0 {
			t.Errorf("left: %v, %v, %v, %v", kept, shown, terms, settled)
		}
		if _, err := tx.Definition("new", contentOf("new", 0, `{}`).Hash); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the definition: %v", err)
		}
		return errors.Join(err, shownErr, termsErr, settledErr)
	})
	if diff := cmp.Diff(i, f.instance(s, i.ID)); diff != "" || len(f.steps(s, i.ID)) != 1 || len(f.listed(s, store.InstanceFilter{})) != 1 || len(f.asked(s, "", dawn)) != 0 {
		t.Errorf("a failed update changed something (-want +got):\n%s", diff)
	}
	everybody := auth.Principal{User: "root", Oversees: auth.Everything()}.Scope()
	if got := f.attempts(everybody, store.AttemptFilter{}); len(got) != 0 {
		t.Errorf("attempts are left: %+v", got)
	}
	if n := len(f.chain()); n != 1 {
		t.Errorf("%d events, want the one of the start", n)
	}
	f.must(failing) // and together when it succeeds
	if got := f.chain(); len(got) != 2 || got[1].RequestID != "gone" || len(f.asked(s, i.ID, dawn)) != 1 || len(f.steps(s, i.ID)) != 2 || len(f.attempts(everybody, store.AttemptFilter{})) != 2 {
		t.Errorf("after the one that succeeds: %+v", got)
	}
}

func second[T any](_ T, err error) error { return err }
