package sqlite

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"prax/store"
)

// link is the newest event of the chain.
type link struct {
	seq  int64
	hash string
}

// pending is an event on its way to the chain.
type pending struct {
	store.Event
	shares []store.Share // of a block that was gathered; those of any other event are in it
	size   int           // of a block for which nobody waits, in bytes
}

// appendEvents numbers, hashes and inserts events, in the open transaction, and returns the new
// head.
func (c *connection) appendEvents(head link, events []pending) (link, error) {
	defer func() { c.patient = false }()
	for _, p := range events {
		e := p.Normal()
		if p.shares == nil {
			p.shares = e.Shares()
		}
		c.patient = p.size > 0
		sealed := c.sealer.Seal(e, p.shares, head.seq+1, head.hash)
		c.worked(p.size)
		if err := c.insertEvent(sealed); err != nil {
			return head, err
		}
		head = link{seq: sealed.Seq, hash: sealed.Hash}
		reach("mid-events")
	}
	return head, nil
}

func (c *connection) insertEvent(e store.Sealed) error {
	_, err := c.exec(`INSERT INTO event (chain, seq, prev, hash, at, kind, body) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		store.MainChain, e.Seq, e.Prev, e.Hash, e.At.UnixMilli(), string(e.Kind), e.Body)
	if err != nil {
		return err
	}
	return c.insertShares(e.Seq, e.Shares)
}

// lastLink is the head of the chain in the database.
func (c *connection) lastLink() (link, error) {
	var l link
	err := c.row(`SELECT seq, hash FROM event WHERE chain = ? ORDER BY seq DESC LIMIT 1`,
		[]any{store.MainChain}, &l.seq, &l.hash)
	if errors.Is(err, sql.ErrNoRows) {
		return c.anchorLink()
	}
	return l, err
}

// storedEvent is a row of the table with the rows that belong to it.
type storedEvent struct {
	seq              int64
	prev, hash, kind string
	at               int64
	body             string
	shares           []storedShare // in their order
	leads            []lead        // to those that users share
}

// event puts the parts together again. It does not judge them: that is verifying.
func (s storedEvent) event() (store.Event, error) {
	e, err := store.DecodeEvent([]byte(s.body))
	if err != nil {
		return e, fmt.Errorf("event %d: %w", s.seq, err)
	}
	for _, share := range s.shares {
		if share.Calls == "" {
			continue
		}
		calls, err := store.DecodeCalls([]byte(share.Calls))
		if err != nil {
			return e, fmt.Errorf("event %d: %w", s.seq, err)
		}
		e.Calls = append(e.Calls, calls...)
	}
	e.Hash = s.hash
	return e, nil
}

// storedEvents are up to limit rows after a number, oldest first.
func (t *tx) storedEvents(after int64, limit int) ([]storedEvent, error) {
	var all []storedEvent
	err := t.list(func(rows *sql.Rows) error {
		var s storedEvent
		if err := rows.Scan(&s.seq, &s.prev, &s.hash, &s.at, &s.kind, &s.body); err != nil {
			return err
		}
		all = append(all, s)
		return nil
	}, `SELECT seq, prev, hash, at, kind, body FROM event WHERE chain = ? AND seq > ? ORDER BY seq LIMIT ?`,
		store.MainChain, after, limit)
	if err != nil || len(all) == 0 {
		return all, err
	}
	return all, t.attachCalls(all)
}

func (t *tx) attachCalls(all []storedEvent) error {
	next := 0
	err := t.list(func(rows *sql.Rows) error {
		var seq, pos int64
		var user, calls string
		if err := rows.Scan(&seq, &pos, &user, &calls); err != nil {
			return err
		}
		for next < len(all) && all[next].seq < seq {
			next++
		}
		if next < len(all) && all[next].seq == seq {
			all[next].shares = append(all[next].shares, readShare(pos, user, calls))
		}
		return nil
	}, sharesBetween, store.MainChain, all[0].seq, all[len(all)-1].seq)
	for _, s := range all {
		slices.SortFunc(s.shares, func(a, b storedShare) int { return cmp.Compare(a.place, b.place) })
	}
	return err
}

// sharesBetween are the rows of calls of some events. An empty text, which the store never writes, must not be taken
// for none.
const sharesBetween = `SELECT seq, pos, user, CASE calls WHEN '' THEN 'empty' ELSE coalesce(calls, '') END
	FROM block_user WHERE chain = ? AND seq BETWEEN ? AND ? ORDER BY seq, pos`

// attachLeads adds to some events the leads to the rows of theirs that users share: those that users come by.
func (t *tx) attachLeads(all []storedEvent) error {
	if !slices.ContainsFunc(all, storedEvent.isShared) {
		return nil
	}
	first, last := all[0].seq, all[len(all)-1].seq
	attach := func(l lead) {
		n, found := slices.BinarySearchFunc(all, l.seq, func(s storedEvent, seq int64) int { return cmp.Compare(s.seq, seq) })
		if found {
			all[n].leads = append(all[n].leads, l)
		}
	}
	var after leadsPage
	return t.leadPages(func(page leadsPage) error {
		_ = page.read(func(l lead) { // what cannot be read leads nowhere: verifying says of which events
			if page.shows(l, after) {
				attach(l)
			}
		})
		after = page
		return nil
	}, leadsBetween, first, last)
}

// isShared tells whether users share a row of the event.
func (s storedEvent) isShared() bool {
	return slices.ContainsFunc(s.shares, func(row storedShare) bool { return row.shared })
}

// maxEvents bounds one EventsAfter.
const maxEvents = 1000

// EventsAfter implements [store.Events].
func (t *tx) EventsAfter(seq int64, limit int) ([]store.Event, error) {
	stored, err := t.storedEvents(seq, max(0, min(limit, maxEvents)))
	if err != nil {
		return nil, err
	}
	events := make([]store.Event, 0, len(stored))
	for _, s := range stored {
		events = append(events, s.shown())
	}
	return events, nil
}

// shown is the event, or what stands in its place when it cannot be read. One that claims another
// number than its row's is such a case: whoever reads on reads on from there.
func (s storedEvent) shown() store.Event {
	e, err := s.event()
	switch {
	case err != nil:
	case e.Seq != s.seq:
		err = fmt.Errorf("its number is given as %d", e.Seq)
	case store.SafeString(s.hash) != s.hash:
		err = errors.New("its hash is not one")
	default:
		return e
	}
	return store.Event{
		Kind: store.EventUnreadable, Chain: store.MainChain, Seq: s.seq, At: time.UnixMilli(s.at).UTC(),
		Prev: store.SafeString(s.prev), Hash: store.SafeString(s.hash), Detail: detail("problem", store.SafeString(err.Error())),
	}
}

// LastEvent implements [store.Events].
func (t *tx) LastEvent() (store.Event, error) {
	c, err := t.reader(false)
	if err != nil {
		return store.Event{}, err
	}
	head, err := c.lastLink()
	if err != nil {
		return store.Event{}, t.failed(err)
	}
	if head.seq == 0 {
		return store.Event{}, store.ErrNotFound
	}
	events, err := t.EventsAfter(head.seq-1, 1)
	if err != nil {
		return store.Event{}, err
	}
	return events[0], nil // the head was read in the same snapshot
}

// stamp gives an event of the store itself, or one without a time, the clock's.
func stamp(e store.Event, now time.Time) store.Event {
	if e.At.IsZero() {
		e.At = now
	}
	return e
}
