package control

import (
	"context"
	"log/slog"
	"time"

	"prax/store"
	"prax/tools"
)

// Use says when a client last used one of its tokens. The token is known by its mark, digest.Key.Mark of its hash.
type Use struct {
	Client string    `json:"client"`
	Token  string    `json:"token"`
	At     time.Time `json:"at"`
}

// Uses tells when clients used their tokens last, by client, the last one first; clients that are gone too.
func (o *Operator) Uses(ctx context.Context) ([]Use, error) {
	if o.cfg.NoteUses != nil {
		if err := o.cfg.NoteUses(ctx); err != nil {
			o.cfg.Log.Warn("operator's socket: when tokens were used last could not be written", slog.Any("error", err))
		}
	}
	act := o.begin("uses", "", "")
	list := []Use{}
	err := o.cfg.Audit.View(ctx, func(tx store.Tx) error {
		all, err := tx.Uses()
		if err != nil {
			return err
		}
		list = make([]Use, len(all))
		for i, u := range all {
			list[i] = Use(u)
		}
		return nil
	})
	outcome := tools.OutcomeOK
	if err != nil {
		outcome = tools.OutcomeError
	}
	o.end(act, outcome, "")
	return list, err
}
