package runner

import (
	"context"
	"errors"

	"prax/store"
	"prax/tools/workflow"
)

// Get is an instance as it is. When its time is over the timeout is applied first, by the server, if that can be now.
// Errors are [ErrUnknownInstance], a [*Corrupt], and what the store says.
func (r *Runner) Get(ctx context.Context, w Work, id string) (*Answer, error) {
	c := r.reading(w)
	s, err := r.look(ctx, c, id)
	switch {
	case err != nil:
		return nil, err
	case s.d.Expire(s.i, c.now).Idle():
		a := s.answer()
		a.form = s.form
		return a, nil
	}
	return r.getLate(ctx, w, id)
}

// getLate is an instance whose time is over, with the timeout applied if that can be now.
func (r *Runner) getLate(ctx context.Context, w Work, id string) (*Answer, error) {
	c := r.call(w)
	c.looks = true
	a, err := r.try(ctx, c, id, "", triesOfMove, func(s *sight) workflow.Decision { return s.d.Expire(s.i, c.now) })
	switch {
	case err == nil && a.Refusal != nil && a.Change == nil: // who reads has asked for nothing that could be refused
	case errors.Is(err, store.ErrReadOnly), errors.Is(err, store.ErrConflict), errors.Is(err, store.ErrBusy), errors.Is(err, store.ErrClosed):
	default:
		return a, err
	}
	s, err := r.look(ctx, c, id)
	if err != nil {
		return nil, err
	}
	return s.answer(), nil
}

// Page is a part of a list.
type Page struct {
	Instances []store.ListedInstance
	Next      int64 // Before of the filter for the next page; 0: there is none
}

// maxScanned bounds how many instances one list looks at. A caller who may use few of its user's definitions gets
// short pages.
const maxScanned = 2000

// List is the newest instances that the caller may see, of definitions that it may use. Only Next tells whether there
// are more.
func (r *Runner) List(ctx context.Context, w Work, f store.InstanceFilter) (Page, error) {
	c := r.reading(w)
	var page Page
	if f.DefinitionID != "" && !c.granted(f.DefinitionID) {
		return page, nil
	}
	want := store.PageSize(f.Limit)
	for scanned := 0; ; {
		rows, err := c.list(ctx, f)
		if err != nil || len(rows) == 0 {
			return page, err
		}
		for _, row := range rows {
			f.Before = row.Number
			if c.granted(row.DefinitionID) {
				page.Instances = append(page.Instances, row)
			}
			if scanned++; len(page.Instances) == want || scanned == maxScanned {
				page.Next = row.Number
				return page, nil
			}
		}
		if bytesOf(page.Instances) > store.MaxCandidateBytes {
			page.Next = f.Before
			return page, nil
		}
	}
}

func (c *call) list(ctx context.Context, f store.InstanceFilter) (rows []store.ListedInstance, err error) {
	err = c.view(ctx, func(tx store.Tx) (err error) {
		rows, err = tx.ListInstances(c.scope, f)
		return err
	})
	return rows, err
}

func bytesOf(all []store.ListedInstance) (n int64) {
	for _, i := range all {
		n += i.StartBytes() + i.Bytes()
	}
	return n
}

// History is the steps of an instance after a version, oldest first: at most limit (50 for 0) and store.MaxSteps, fewer
// when they are large. The list is at its end when there is none.
func (r *Runner) History(ctx context.Context, w Work, id string, after int64, limit int) ([]store.Step, error) {
	c := r.reading(w)
	if limit <= 0 {
		limit = store.PageSize(0)
	}
	var steps []store.Step
	err := c.view(ctx, func(tx store.Tx) (err error) {
		if steps, err = tx.Steps(c.scope, id, after, limit); err != nil {
			return err
		}
		_, err = c.usable(tx, id)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil, ErrUnknownInstance
	}
	return steps, err
}

// usable is an instance; the error is store.ErrNotFound for one that the caller may not see, or of a definition that it
// may not use.
func (c *call) usable(tx store.Tx, id string) (store.Instance, error) {
	i, err := tx.Instance(c.scope, id)
	if err == nil {
		err = c.covers(i)
	}
	return i, err
}

// covers is store.ErrNotFound for an instance of a definition that the caller may not use.
func (c *call) covers(i store.Instance) error {
	if !c.granted(i.DefinitionID) {
		return store.ErrNotFound
	}
	return nil
}

// Acknowledge notes that a subject was shown to the caller within an instance, for the guards that demand it. What is
// noted already is not written again.
func (r *Runner) Acknowledge(ctx context.Context, w Work, id, subject, hash string) error {
	c := r.reading(w)
	var shown []store.Acknowledgement
	err := c.view(ctx, func(tx store.Tx) (err error) {
		if shown, err = tx.Acknowledgements(c.scope, id); err != nil {
			return err
		}
		_, err = c.usable(tx, id)
		return err
	})
	if err == nil && shownOf(shown)[subject] != hash {
		a := store.Acknowledgement{Subject: subject, Hash: hash, At: c.now}
		err = c.On.Update(ctx, func(tx store.Tx) error { return tx.Acknowledge(c.scope, id, a) })
	}
	if errors.Is(err, store.ErrNotFound) {
		return ErrUnknownInstance
	}
	return err
}
