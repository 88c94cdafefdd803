package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"prax/store"
)

// anchor is up to where the chain was archived; nil when nothing of it was, or the file is older than
// archives.
func (c *connection) anchor() (*store.Anchor, error) {
	var able bool
	if err := c.row(`SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'anchor')`, nil, &able); err != nil || !able {
		return nil, err
	}
	a := store.Anchor{Chain: store.MainChain, Kind: store.KindAnchor}
	err := c.row(`SELECT seq, hash, at, signature FROM anchor WHERE chain = ?`, []any{store.MainChain}, &a.Count, &a.Hash, &a.At, &a.Signature)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return &a, err
}

// anchorLink is the last event that was archived.
func (c *connection) anchorLink() (link, error) {
	a, err := c.anchor()
	if err != nil || a == nil {
		return link{}, err
	}
	return link{seq: a.Count, hash: a.Hash}, nil
}

func (t *tx) setAnchor(a store.Anchor) error {
	_, err := t.exec(`INSERT INTO anchor (chain, seq, hash, at, signature) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (chain) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, at = excluded.at, signature = excluded.signature`,
		a.Chain, a.Count, a.Hash, a.At, a.Signature)
	return err
}

// stretch is one step of a walk along the chain.
type stretch struct {
	anchor *store.Anchor
	stored []storedEvent
}

// stretchAfter is one step of events after a number, in a snapshot of its own.
func (db *DB) stretchAfter(ctx context.Context, after int64) (next stretch, err error) {
	err = db.View(ctx, next.after(after))
	return next, err
}

// after reads the events after a number into it.
func (next *stretch) after(number int64) func(store.Tx) error {
	return func(s store.Tx) error {
		t, ours := s.(*tx)
		if !ours {
			return errNotOurs
		}
		c, err := t.reader(true)
		if err != nil {
			return err
		}
		if next.anchor, err = c.anchor(); err != nil {
			return t.failed(err)
		}
		if next.stored, err = t.storedEvents(number, verifyStep); err != nil || len(next.stored) == 0 {
			return err
		}
		return t.attachLeads(next.stored)
	}
}

// anchored is where a walk goes on: at the anchor, when the events up to there have been archived, before
// the walk or while it was under way.
func (db *DB) anchored(walk link, a *store.Anchor, report *store.Report) link {
	if a == nil || report.Anchor != nil && *report.Anchor == *a {
		return walk
	}
	report.Anchor = a
	switch {
	case db.key == nil:
		report.Problem("the signature of the anchor cannot be checked without the installation key")
	case !a.Genuine(db.key.Public()):
		report.Problem("the anchor at event %d was not signed by this installation", a.Count)
	}
	if a.Count < walk.seq {
		return walk
	}
	return link{seq: a.Count, hash: a.Hash}
}
