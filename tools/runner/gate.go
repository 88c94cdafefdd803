package runner

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"prax/store"
	"prax/tools/workflow"
)

// Gate is something that waits for a person.
type Gate struct {
	Answer                      // the instance that waits
	Gate     workflow.HumanGate // the transition, and what a person is shown
	Approval *store.Approval    // the open approval; nil: the gate is answered by taking the transition
	Since    time.Time          // when it began to wait
}

// waiting is an instance that may wait for a person.
type waiting struct {
	id    string
	since time.Time
}

// maxWaiting bounds how many open instances are looked through for gates: as many as one user can have.
const maxWaiting = store.MaxInstances

// Gates is what waits for a person among the open instances that the caller may see, oldest first: at most limit
// (50 for 0, store.MaxPage at most), fewer when they are large. Of more open instances than one user can have the
// newest are looked through.
func (r *Runner) Gates(ctx context.Context, w Work, limit int) ([]Gate, error) {
	c := r.call(w)
	all, err := r.waiters(ctx, c)
	if err != nil {
		return nil, err
	}
	var gates []Gate
	limit = store.PageSize(limit)
	bytes := int64(0)
	for _, one := range all {
		if len(gates) >= limit || bytes > store.MaxCandidateBytes {
			break
		}
		found, err := r.gatesOf(ctx, c, one)
		if err != nil {
			return nil, err
		}
		if len(found) > 0 {
			gates, bytes = append(gates, found...), bytes+found[0].Stored.Bytes()
		}
	}
	return gates[:min(len(gates), limit)], nil
}

// waiters are the instances that may wait for a person, those that wait the longest first.
func (r *Runner) waiters(ctx context.Context, c *call) ([]waiting, error) {
	approvals, err := c.openApprovals(ctx)
	if err != nil {
		return nil, err
	}
	since := map[string]time.Time{}
	err = r.eachOpen(ctx, c, func(i store.Instance) { since[i.ID] = i.Updated })
	if err != nil {
		return nil, err
	}
	for _, a := range approvals {
		since[a.Instance] = a.Created
	}
	all := make([]waiting, 0, len(since))
	for id, at := range since {
		all = append(all, waiting{id, at})
	}
	slices.SortFunc(all, func(a, b waiting) int {
		return cmp.Or(a.since.Compare(b.since), cmp.Compare(a.id, b.id))
	})
	return all, nil
}

func (c *call) openApprovals(ctx context.Context) (all []store.Approval, err error) {
	err = c.view(ctx, func(tx store.Tx) (err error) {
		all, err = tx.OpenApprovals(c.scope, "", c.now, store.MaxPage)
		return err
	})
	return all, err
}

// eachOpen calls f with every open instance whose state has a transition that is a person's.
func (r *Runner) eachOpen(ctx context.Context, c *call, f func(store.Instance)) error {
	filter := store.InstanceFilter{Status: store.Open, Limit: store.MaxPage}
	for scanned := 0; scanned < maxWaiting; {
		rows, err := c.list(ctx, filter)
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, row := range rows {
			if c.granted(row.DefinitionID) && r.hasGate(ctx, c, row.Instance) {
				f(row.Instance)
			}
		}
		scanned += len(rows)
		filter.Before = rows[len(rows)-1].Number
	}
	return nil
}

// hasGate tells whether the state of an instance waits for a person by itself. What cannot be read waits for nobody.
func (r *Runner) hasGate(ctx context.Context, c *call, i store.Instance) bool {
	if e := r.ready(i); e != nil {
		e, err := e.compiled()
		return err == nil && e.needs.gates[i.State]
	}
	s, err := r.look(ctx, c, i.ID)
	return err == nil && s.needs.gates[i.State]
}

// gatesOf are the gates of one instance; none when it has moved on, or cannot be read.
func (r *Runner) gatesOf(ctx context.Context, c *call, one waiting) ([]Gate, error) {
	s, err := r.look(ctx, c, one.id)
	var corrupt *Corrupt
	if errors.Is(err, ErrUnknownInstance) || errors.As(err, &corrupt) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var gates []Gate
	for _, g := range s.d.PendingHuman(s.i) {
		gate := Gate{Answer: *s.answer(), Gate: g, Since: s.stored.Updated}
		if g.Parked != nil && len(s.approvals) > 0 {
			gate.Approval, gate.Since = &s.approvals[0], s.approvals[0].Created
		}
		gates = append(gates, gate)
	}
	return gates, nil
}
