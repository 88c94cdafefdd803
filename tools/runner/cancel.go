package runner

import (
	"context"
	"errors"

	"prax/store"
	"prax/tools/workflow"
)

// Cancel ends an instance where it is, for its owner or who oversees it. One that was cancelled already stays as it is,
// and is no error; one that has completed is a Refusal. An instance whose definition cannot be read any more can be
// cancelled, too.
func (r *Runner) Cancel(ctx context.Context, w Work, id, reason string) (*Answer, error) {
	c := r.call(w)
	reason = clip(reason, store.MaxTextBytes)
	a, err := r.change(ctx, c, id, "", triesOfCancel, func(s *sight) workflow.Decision {
		return s.d.Cancel(s.i, s.caller, reason, c.now)
	})
	var corrupt *Corrupt
	if errors.As(err, &corrupt) {
		return r.cancelCorrupt(ctx, c, id, reason, err)
	}
	return a, err
}

// cancelCorrupt cancels an instance without its definition: the engine needs none for it.
func (r *Runner) cancelCorrupt(ctx context.Context, c *call, id, reason string, cause error) (*Answer, error) {
	s, err := r.look(ctx, c, id)
	var corrupt *Corrupt
	if s == nil || !errors.As(err, &corrupt) {
		return nil, cause
	}
	if s.d == nil {
		s.d = &workflow.Definition{ID: s.stored.DefinitionID, Hash: s.stored.DefinitionHash, Version: s.stored.DefinitionVersion}
	}
	return r.carryOut(ctx, c, s, "", s.d.Cancel(s.i, s.caller, reason, c.now))
}
