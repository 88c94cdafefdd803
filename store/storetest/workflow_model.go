package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"prax/auth"
	"prax/store"
)

// workflowModel does the same random starts, moves, answers and attempts on the store and on a list, and compares what
// every scope reads. Some of them share one Update, and some of those fail as a whole.
func workflowModel(t *testing.T, open Opener) {
	rapid.Check(t, func(r *rapid.T) {
		m := &workflowMachine{fixture: &fixture{TB: t, open: open, place: t.TempDir()}, now: dawn}
		m.Store = open(t, m.place)
		defer func() {
			m.verify()
			if err := m.Close(); err != nil {
				r.Fatalf("close: %v", err)
			}
		}()
		m.must(func(tx store.Tx) error {
			tx.AddEvent(told)
			return errors.Join(second(tx.PutDefinition(plain("x.one"))), second(tx.PutDefinition(plain("y"))))
		})
		r.Repeat(map[string]func(*rapid.T){
			"change": m.change,
			"reopen": m.maybeReopen,
			"":       m.check,
		})
		m.checkAll(r)
	})
}

// maybeReopen reopens the store now and then: that takes longer than anything else here.
func (m *workflowMachine) maybeReopen(r *rapid.T) {
	if rapid.IntRange(0, 9).Draw(r, "reopen") == 0 {
		m.reopen()
	}
}

// workflowMachine is the store and what it should hold.
type workflowMachine struct {
	*fixture
	kept   []run // oldest first
	now    time.Time
	events int
}

// run is one instance as the model has it.
type run struct {
	store.Instance
	steps     []store.Step
	evidence  []store.Evidence
	approvals []store.Approval // oldest first
	attempts  []tried          // oldest first
}

// runStep is one operation: next is the state after it, want the error that it should give.
type runStep struct {
	do   func(store.Tx) error
	next []run
	want error
}

func (m *workflowMachine) change(r *rapid.T) {
	state := m.kept
	var steps []runStep
	for range rapid.IntRange(1, 3).Draw(r, "operations") {
		m.now = m.now.Add(time.Duration(rapid.IntRange(0, 10).Draw(r, "hours")) * time.Hour)
		s := m.start(r, state)
		if what := rapid.IntRange(0, 8).Draw(r, "what"); len(state) > 0 && what > 4 {
			s = m.drawAttempt(r, state)
		} else if len(state) > 0 && what > 0 {
			s = m.draw(r, state)
		}
		steps = append(steps, s)
		state = s.next
	}
	fail := rapid.IntRange(0, 4).Draw(r, "fail") == 0
	err := m.Update(context.Background(), func(tx store.Tx) error {
		for n, s := range steps {
			if err := s.do(tx); !errors.Is(err, s.want) {
				return fmt.Errorf("operation %d: got %w, want %v", n, err, s.want)
			}
			if s.want == nil {
				tx.AddEvent(store.Event{Kind: store.EventWorkflow, User: "alice"})
			}
		}
		if fail {
			return errOwn
		}
		return nil
	})
	switch {
	case fail && errors.Is(err, errOwn):
	case !fail && err == nil:
		m.kept = state
		for _, s := range steps {
			if s.want == nil {
				m.events++
			}
		}
	default:
		r.Fatalf("update: %v", err)
	}
}

func (m *workflowMachine) start(r *rapid.T, state []run) runStep {
	i := newInstance(rapid.SampledFrom([]string{"alice", "bob"}).Draw(r, "user"), rapid.SampledFrom([]string{"x.one", "y"}).Draw(r, "definition"))
	i.RunID = rapid.SampledFrom([]string{"", "", "r1", "r2"}).Draw(r, "run")
	i.Shared = rapid.Bool().Draw(r, "shared")
	i.Created, i.Updated = m.now, m.now
	if rapid.Bool().Draw(r, "timer") {
		i.Due = m.now.Add(time.Hour)
	}
	evidence := []store.Evidence{{ID: "ev_" + i.ID, Seq: 1, Kind: "k", At: m.now}}
	s := runStep{next: state, do: func(tx store.Tx) error { return tx.CreateInstance(i, firstStep(i), evidence) }}
	if i.RunID != "" && slices.ContainsFunc(state, func(o run) bool { return o.User == i.User && o.RunID == i.RunID }) {
		s.want = store.ErrConflict
		return s
	}
	s.next = append(slices.Clone(state), run{Instance: i, steps: []store.Step{firstStep(i)}, evidence: evidence})
	return s
}

// draw is a move of some instance, now and then by another user, from another version, or with an approval
// that cannot be used.
func (m *workflowMachine) draw(r *rapid.T, state []run) runStep {
	which := rapid.IntRange(0, len(state)-1).Draw(r, "which")
	was := state[which]
	from := was.Instance
	from.User = rapid.SampledFrom([]string{was.User, was.User, was.User, "alice", "carol"}).Draw(r, "by")
	from.Version = max(1, was.Version+rapid.SampledFrom([]int64{0, 0, 0, 0, 1, -1}).Draw(r, "stale"))
	move := m.drawMove(r, from)
	var answered *store.Approval
	if id := drawApproval(r, state); id != "" {
		if move.Consumed = id; rapid.Bool().Draw(r, "reject") {
			move.Consumed, move.Rejected = "", id
		}
		for n, a := range was.approvals {
			if a.ID == id && a.Status == store.ApprovalOpen && move.Next.Updated.Before(a.Expires) {
				answered = &was.approvals[n]
			}
		}
	}
	s := runStep{next: state, do: func(tx store.Tx) error { return tx.Move(move) }}
	_, blocked := was.blocking()
	switch {
	case from.User != was.User:
		s.want = store.ErrNotFound
	case from.Version != was.Version || was.Status != store.Open || blocked && move.Next.Status != store.Cancelled || move.Consumed+move.Rejected != "" && answered == nil:
		s.want = store.ErrConflict
	default:
		s.next = slices.Clone(state)
		s.next[which] = was.moved(move, answered)
	}
	return s
}

func (m *workflowMachine) drawMove(r *rapid.T, from store.Instance) store.Move {
	n := rapid.IntRange(1, 3).Draw(r, "steps")
	move := store.Move{From: from.Version, Next: from}
	for range n {
		move.Next.Version++
		delta := fmt.Appendf(nil, `{"n":%d}`, move.Next.Version)
		move.Steps = append(move.Steps, store.Step{Seq: move.Next.Version, Kind: "transition", Client: "by", Delta: delta, At: m.now})
		move.Next.Context = delta
	}
	move.Next.Updated = m.now
	move.Next.Status = rapid.SampledFrom([]store.Status{store.Open, store.Open, store.Open, store.Open, store.Completed, store.Cancelled}).Draw(r, "status")
	move.Next.State = rapid.SampledFrom([]string{"a", "b"}).Draw(r, "state")
	move.Next.Due = rapid.SampledFrom([]time.Time{{}, m.now.Add(time.Minute)}).Draw(r, "due")
	if move.Next.Status == store.Open && rapid.Bool().Draw(r, "ask") {
		move.Approval = anApproval(move)
	}
	move.Evidence = []store.Evidence{{ID: "ev_" + store.NewID(), Seq: move.Next.Version, Kind: "k", At: m.now}}
	return move
}

// drawApproval is the id of some approval, of whatever instance; mostly none.
func drawApproval(r *rapid.T, state []run) string {
	ids := []string{"", "", ""}
	for _, i := range state {
		for _, a := range i.approvals {
			ids = append(ids, a.ID)
		}
	}
	return rapid.SampledFrom(ids).Draw(r, "approval")
}

// moved is the run after a move that succeeds.
func (i run) moved(m store.Move, answered *store.Approval) run {
	next := i
	next.Instance = m.Next
	if m.Next.Status != store.Open {
		next.Ended = m.Next.Updated
	}
	next.steps = append(slices.Clone(i.steps), m.Steps...)
	next.evidence = append(slices.Clone(i.evidence), m.Evidence...)
	next.attempts = slices.Clone(i.attempts)
	for n := range next.attempts {
		next.attempts[n].Output = nil
	}
	next.approvals = slices.Clone(i.approvals)
	for n := range next.approvals {
		a := &next.approvals[n]
		switch {
		case answered != nil && a.ID == answered.ID:
			a.Status, a.By, a.Resolved = store.ApprovalConsumed, m.Steps[0].Client, m.Next.Updated
			if m.Rejected != "" {
				a.Status = store.ApprovalRejected
			}
		case a.Status == store.ApprovalOpen:
			a.Status, a.Resolved = store.ApprovalVoid, m.Next.Updated
		}
	}
	if m.Approval != nil {
		next.approvals = append(next.approvals, *m.Approval)
	}
	return next
}

// modelScope is a scope with what it should cover.
type modelScope struct {
	scope  auth.Scope
	covers func(store.Instance) bool
}

var modelScopes = []modelScope{
	{scope("alice"), func(i store.Instance) bool { return i.User == "alice" }},
	{auth.Principal{User: "bob", Workflows: auth.Names("x.*")}.Scope(), func(i store.Instance) bool {
		return i.User == "bob" || i.Shared && strings.HasPrefix(i.DefinitionID, "x.")
	}},
	{auth.Principal{User: "carol", Workflows: auth.Names("y"), Oversees: auth.Names("alice")}.Scope(), func(i store.Instance) bool {
		return i.User == "alice" || i.Shared && i.DefinitionID == "y"
	}},
	{auth.Principal{User: "root", Oversees: auth.Everything()}.Scope(), func(store.Instance) bool { return true }},
	{scope("dora"), func(store.Instance) bool { return false }},
}

// check looks, after every step, at what one of the scopes covers, and at the history of one run.
func (m *workflowMachine) check(r *rapid.T) {
	s := rapid.SampledFrom(modelScopes).Draw(r, "scope")
	m.checkScope(r, s)
	m.checkAttempts(r, s)
	if len(m.kept) > 0 {
		i := rapid.SampledFrom(m.kept).Draw(r, "run")
		m.checkRun(r, s.scope, i, s.covers(i.Instance))
	}
	m.checkTimers(r)
}

// checkAll looks at everything, once.
func (m *workflowMachine) checkAll(r *rapid.T) {
	for _, s := range modelScopes {
		m.checkScope(r, s)
		m.checkAttempts(r, s)
		for _, i := range m.kept {
			m.checkRun(r, s.scope, i, s.covers(i.Instance))
		}
	}
	added := 0
	for _, e := range m.chain() {
		if e.Kind == store.EventWorkflow {
			added++
		}
	}
	if added != m.events {
		r.Fatalf("the chain has %d events of changes, want %d", added, m.events)
	}
}

func (m *workflowMachine) checkScope(r *rapid.T, s modelScope) {
	var want []store.Instance
	var open []string
	for _, i := range slices.Backward(m.kept) {
		if s.covers(i.Instance) {
			want = append(want, i.Instance)
		}
	}
	var got []store.Instance
	for _, l := range m.listed(s.scope, store.InstanceFilter{Limit: store.MaxPage}) {
		got = append(got, l.Instance)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		r.Fatalf("list of %s (-want +got):\n%s", s.scope.User(), diff)
	}
	for _, i := range m.kept {
		for _, a := range i.approvals {
			if s.covers(i.Instance) && a.Status == store.ApprovalOpen && m.now.Before(a.Expires) {
				open = append(open, a.ID)
			}
		}
	}
	asked := m.asked(s.scope, "", m.now)
	slices.Sort(open) // the model does not keep their order across instances
	slices.Sort(asked)
	if diff := cmp.Diff(open, asked, cmpopts.EquateEmpty()); diff != "" {
		r.Fatalf("open approvals of %s (-want +got):\n%s", s.scope.User(), diff)
	}
}

func (m *workflowMachine) checkRun(r *rapid.T, s auth.Scope, i run, covered bool) {
	m.look(func(tx store.Tx) error {
		steps, err := tx.Steps(s, i.ID, 0, store.MaxSteps)
		evidence, evidenceErr := tx.EvidenceOf(s, i.ID)
		m.checkWaiting(r, tx, s, i, covered)
		m.checkPoint(r, tx, s, i, covered)
		if !covered {
			if !errors.Is(err, store.ErrNotFound) || !errors.Is(evidenceErr, store.ErrNotFound) {
				r.Fatalf("%s reads %s: %v, %v", s.User(), i.ID, err, evidenceErr)
			}
			return nil
		}
		if diff := cmp.Diff([]any{i.steps, i.evidence}, []any{steps, evidence}); diff != "" {
			r.Fatalf("history of %s (-want +got):\n%s", i.ID, diff)
		}
		for _, want := range i.approvals {
			got, err := tx.Approval(s, want.ID)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				r.Fatalf("approval: %v (-want +got):\n%s", err, diff)
			}
		}
		return errors.Join(err, evidenceErr)
	})
}

// checkPoint reads one instance twice, from wherever the store has it then, and in the snapshot.
func (m *workflowMachine) checkPoint(r *rapid.T, tx store.Tx, s auth.Scope, i run, covered bool) {
	ways := map[string]func() (store.Instance, error){
		"snapshot": func() (store.Instance, error) { return tx.Instance(s, i.ID) },
		"first":    func() (store.Instance, error) { return m.Instance(context.Background(), s, i.ID) },
		"again":    func() (store.Instance, error) { return m.Instance(context.Background(), s, i.ID) },
	}
	want, wantErr := i.Instance, error(nil)
	if !covered {
		want, wantErr = store.Instance{}, store.ErrNotFound
	}
	for name, read := range ways {
		got, err := read()
		if diff := cmp.Diff(want, got); diff != "" || !errors.Is(err, wantErr) {
			r.Fatalf("%s reads %s (%s): %v (-want +got):\n%s", s.User(), i.ID, name, err, diff)
		}
	}
}

func (m *workflowMachine) checkTimers(r *rapid.T) {
	var due []string
	next := time.Time{}
	for _, i := range m.kept {
		if _, blocked := i.blocking(); blocked || i.Status != store.Open || i.Due.IsZero() {
			continue
		}
		if next.IsZero() || i.Due.Before(next) {
			next = i.Due
		}
		if !i.Due.After(m.now) {
			due = append(due, i.ID)
		}
	}
	m.look(func(tx store.Tx) error {
		first, err := tx.NextDue()
		all, dueErr := tx.DueInstances(m.now, store.MaxPage)
		var got []string
		for _, i := range all {
			got = append(got, i.ID)
		}
		slices.Sort(due)
		slices.Sort(got)
		if diff := cmp.Diff(due, got, cmpopts.EquateEmpty()); diff != "" || !first.Equal(next) {
			r.Fatalf("next timer %v, want %v; due (-want +got):\n%s", first, next, diff)
		}
		return errors.Join(err, dueErr)
	})
}
