package storetest

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"prax/auth"
	"prax/store"
)

// tried is an attempt as the model has it.
type tried struct {
	store.Attempt
	order int // in which it was opened, among all
}

// blocking is the attempt that a run waits for.
func (i run) blocking() (a tried, found bool) {
	for _, a := range i.attempts {
		if a.Ended.IsZero() {
			return a, true
		}
	}
	return a, false
}

// drawAttempt is something that is done with attempts.
func (m *workflowMachine) drawAttempt(r *rapid.T, state []run) runStep {
	switch rapid.IntRange(0, 7).Draw(r, "with attempts") {
	case 0:
		return m.claim(r, state)
	case 1:
		return m.renew(r, state)
	case 2, 3, 4:
		return m.close(r, state)
	default:
		return m.open(r, state)
	}
}

// open begins an attempt, now and then by another user, at another version, or with an approval that cannot be used.
func (m *workflowMachine) open(r *rapid.T, state []run) runStep {
	which := rapid.IntRange(0, len(state)-1).Draw(r, "which")
	was := state[which]
	a := anAttempt(was.Instance)
	a.User = rapid.SampledFrom([]string{was.User, was.User, was.User, "alice", "carol"}).Draw(r, "by")
	a.Version = max(1, a.Version+rapid.SampledFrom([]int64{0, 0, 0, 1, -1}).Draw(r, "stale"))
	a.Digest = rapid.SampledFrom([]string{"d1", "d2"}).Draw(r, "digest")
	a.Worker = rapid.SampledFrom([]string{"w1", "w2"}).Draw(r, "worker")
	a.Created, a.Updated, a.Lease = m.now, m.now, m.now.Add(time.Hour)
	a.Approval = drawApproval(r, state)
	approved := slices.IndexFunc(was.approvals, func(p store.Approval) bool {
		return p.ID == a.Approval && p.Status == store.ApprovalOpen && m.now.Before(p.Expires)
	})
	s := runStep{next: state, do: func(tx store.Tx) error { return tx.OpenAttempt(a) }}
	_, blocked := was.blocking()
	switch {
	case a.User != was.User:
		s.want = store.ErrNotFound
	case a.Version != was.Version || was.Status != store.Open || blocked || a.Approval != "" && approved < 0:
		s.want = store.ErrConflict
	default:
		next := was
		next.attempts = append(slices.Clone(was.attempts), tried{a, opened(state)})
		if approved >= 0 {
			next.approvals = slices.Clone(was.approvals)
			p := &next.approvals[approved]
			p.Status, p.By, p.Resolved = store.ApprovalConsumed, a.Client, m.now
		}
		s.next = replaced(state, which, next)
	}
	return s
}

// opened is how many attempts there are.
func opened(state []run) (n int) {
	for _, i := range state {
		n += len(i.attempts)
	}
	return n
}

// replaced is the state with another run in the place of one.
func replaced(state []run, which int, i run) []run {
	next := slices.Clone(state)
	next[which] = i
	return next
}

// retried is the state with an attempt changed, and the run that it is of.
func retried(state []run, id string, change func(*store.Attempt)) []run {
	next := slices.Clone(state)
	for n := range next {
		next[n].attempts = slices.Clone(next[n].attempts)
		for k := range next[n].attempts {
			if a := &next[n].attempts[k]; a.ID == id {
				change(&a.Attempt)
			}
		}
	}
	return next
}

// drawTried is some attempt, mostly one that is not at its end.
func drawTried(r *rapid.T, state []run) (a store.Attempt, found bool) {
	var all, open []store.Attempt
	for _, i := range state {
		for _, a := range i.attempts {
			if all = append(all, a.Attempt); a.Ended.IsZero() || a.Status == store.AttemptKept {
				open = append(open, a.Attempt)
			}
		}
	}
	if len(all) == 0 {
		return a, false
	}
	if len(open) == 0 || rapid.IntRange(0, 3).Draw(r, "any attempt") == 0 {
		return rapid.SampledFrom(all).Draw(r, "attempt"), true
	}
	return rapid.SampledFrom(open).Draw(r, "open attempt"), true
}

// close ends an attempt, in a way that may not be possible.
func (m *workflowMachine) close(r *rapid.T, state []run) runStep {
	a, found := drawTried(r, state)
	if !found {
		return runStep{next: state, want: store.ErrNotFound, do: func(tx store.Tx) error {
			return tx.CloseAttempt(store.Closing{ID: "at_none", Status: store.AttemptDone, At: m.now})
		}}
	}
	c := closed(a, rapid.SampledFrom([]store.AttemptStatus{
		store.AttemptUnknown, store.AttemptDone, store.AttemptKept, store.AttemptFailed, store.AttemptApplied, store.AttemptNotApplied,
	}).Draw(r, "end"))
	c.At = m.now
	c.Fence += rapid.SampledFrom([]int64{0, 0, 0, -1}).Draw(r, "fence")
	s := runStep{next: state, do: func(tx store.Tx) error { return tx.CloseAttempt(c) }}
	follows := strings.Contains(possibleClosings, " "+string(a.Status)+">"+string(c.Status)+" ")
	if c.Fence != a.Fence || !follows {
		s.want = store.ErrConflict
		return s
	}
	s.next = retried(state, a.ID, func(a *store.Attempt) {
		a.Status, a.Output, a.Updated = c.Status, c.Output, c.At
		if c.Class != "" {
			a.Class, a.Message = c.Class, c.Message
		}
		if c.By != "" {
			a.By, a.Note = c.By, c.Note
		}
		if c.Status != store.AttemptUnknown {
			a.Ended, a.Work, a.Grant = c.At, nil, ""
		}
	})
	return s
}

// renew tells that a worker is alive; it may not be the one that it was.
func (m *workflowMachine) renew(r *rapid.T, state []run) runStep {
	a, found := drawTried(r, state)
	tries, lease, now := rapid.IntRange(0, 3).Draw(r, "tries"), m.now.Add(time.Hour), m.now
	fence := a.Fence + rapid.SampledFrom([]int64{0, 0, 0, 1}).Draw(r, "fence")
	s := runStep{next: state, do: func(tx store.Tx) error { return tx.RenewAttempt(a.ID, fence, tries, 1, lease, now) }}
	switch {
	case !found:
		s.want = store.ErrNotFound
	case fence != a.Fence || a.Status != store.AttemptRunning:
		s.want = store.ErrConflict
	default:
		s.next = retried(state, a.ID, func(a *store.Attempt) {
			if a.Lease, a.Updated = lease, now; tries > 0 {
				a.Tries, a.Choice = tries, 1
			}
		})
	}
	return s
}

// claim takes over what another worker has let go of.
func (m *workflowMachine) claim(r *rapid.T, state []run) runStep {
	worker, limit := rapid.SampledFrom([]string{"w1", "w2"}).Draw(r, "claimer"), rapid.IntRange(1, 3).Draw(r, "limit")
	now, lease := m.now, m.now.Add(time.Hour)
	var stale []tried
	for _, i := range state {
		for _, a := range i.attempts {
			if a.Status == store.AttemptRunning && a.Worker != worker && a.Lease.Before(now) {
				stale = append(stale, a)
			}
		}
	}
	slices.SortFunc(stale, func(a, b tried) int { return cmp.Or(a.Lease.Compare(b.Lease), cmp.Compare(a.order, b.order)) })
	next := state
	var want []store.Attempt
	for _, a := range stale[:min(limit, len(stale))] {
		next = retried(next, a.ID, func(a *store.Attempt) {
			a.Worker, a.Lease, a.Updated = worker, lease, now
			a.Fence++
			want = append(want, *a)
		})
	}
	return runStep{next: next, do: func(tx store.Tx) error {
		got, err := tx.ClaimAttempts(worker, now, lease, now, limit)
		if diff := gocmp.Diff(want, got); diff != "" {
			return errors.New("claimed (-want +got):\n" + diff)
		}
		return err
	}}
}

// checkAttempts looks at what a scope reads of all attempts.
func (m *workflowMachine) checkAttempts(r *rapid.T, s modelScope) {
	var seen []tried
	for _, i := range m.kept {
		if s.covers(i.Instance) {
			seen = append(seen, i.attempts...)
		}
	}
	slices.SortFunc(seen, func(a, b tried) int { return cmp.Compare(b.order, a.order) })
	status := rapid.SampledFrom([]store.AttemptStatus{"", store.AttemptRunning, store.AttemptUnknown, store.AttemptKept, store.AttemptDone}).Draw(r, "status")
	var want, got []store.Attempt
	for _, a := range seen {
		if status == "" || a.Status == status {
			want = append(want, a.Attempt)
		}
	}
	for _, l := range m.attempts(s.scope, store.AttemptFilter{Status: status, Limit: store.MaxPage}) {
		got = append(got, l.Attempt)
	}
	if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		r.Fatalf("attempts of %s that are %q (-want +got):\n%s", s.scope.User(), status, diff)
	}
}

// checkWaiting looks at the attempt that a run waits for, and at what it has kept.
func (m *workflowMachine) checkWaiting(r *rapid.T, tx store.Tx, s auth.Scope, i run, covered bool) {
	want, blocked := i.blocking()
	got, err := tx.BlockingAttempt(s, i.ID)
	if found := err == nil; found != (blocked && covered) || !found && !errors.Is(err, store.ErrNotFound) || found && gocmp.Diff(want.Attempt, got) != "" {
		r.Fatalf("%s waits for %+v, %v, want %+v", i.ID, got, err, want)
	}
	for _, digest := range []string{"d1", "d2"} {
		kept := store.Attempt{}
		for _, a := range i.attempts {
			if covered && a.Status == store.AttemptKept && a.Output != nil && a.Version == i.Version && a.Digest == digest {
				kept = a.Attempt
			}
		}
		got, err := tx.KeptAttempt(s, i.ID, i.Version, digest)
		if (err == nil) != (kept.ID != "") || err != nil && !errors.Is(err, store.ErrNotFound) || gocmp.Diff(kept, got) != "" {
			r.Fatalf("%s has kept %+v, %v, want %+v", i.ID, got, err, kept)
		}
	}
}
