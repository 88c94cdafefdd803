package sqlite

import (
	"database/sql"
	"fmt"

	"prax/auth"
	"prax/store"
)

const (
	stepColumns     = `seq, kind, transition, from_state, to_state, actor, client, user, correlation, at, arguments, output, delta`
	evidenceColumns = `id, seq, kind, uri, summary, digest, confidence, client, user, at`

	stepsAfter = `SELECT ` + stepColumns + ` FROM step WHERE instance = ? AND seq > ? ORDER BY seq LIMIT ?`
	evidenceOf = `SELECT ` + evidenceColumns + ` FROM evidence WHERE instance = ? ORDER BY pos`
	shownIn    = `SELECT subject, hash, at FROM acknowledgement WHERE instance = ? ORDER BY subject`
)

// keepHistory adds what a change brought, after so many pieces of evidence.
func (t *tx) keepHistory(instance, evidence int64, m store.Move) error {
	for _, s := range m.Steps {
		if _, err := t.writer(); err != nil {
			return err
		}
		if err := t.failed(t.c.insertStep(instance, s)); err != nil {
			return err
		}
	}
	for n, e := range m.Evidence {
		_, err := t.exec(`INSERT INTO evidence (instance, pos, `+evidenceColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			instance, evidence+int64(n)+1, e.ID, e.Seq, e.Kind, e.URI, e.Summary, e.Digest, e.Confidence, e.Client, e.User, e.At.UnixMilli())
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *connection) insertStep(instance int64, s store.Step) error {
	_, err := c.exec(`INSERT INTO step (instance, `+stepColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		instance, s.Seq, s.Kind, s.Transition, s.From, s.To, s.Actor, s.Client, s.User, s.Correlation, s.At.UnixMilli(),
		optional(s.Arguments), optional(s.Output), optional(s.Delta))
	return err
}

// Steps implements [store.Instances].
func (t *tx) Steps(s auth.Scope, id string, after int64, limit int) ([]store.Step, error) {
	i, err := t.coveredList(s, id)
	if err != nil {
		return nil, err
	}
	var all []store.Step
	room := pageRoom{}
	err = t.list(func(rows *sql.Rows) error {
		var s store.Step
		var at int64
		err := rows.Scan(&s.Seq, &s.Kind, &s.Transition, &s.From, &s.To, &s.Actor, &s.Client, &s.User, &s.Correlation, &at,
			(*[]byte)(&s.Arguments), (*[]byte)(&s.Output), (*[]byte)(&s.Delta))
		if err != nil {
			return err
		}
		if !room.take(s.Bytes()) {
			return errEnough
		}
		s.At = moment(at)
		all = append(all, s)
		return nil
	}, stepsAfter, i.Number, after, max(0, min(limit, store.MaxSteps)))
	return all, err
}

// coveredList is covered before a long read.
func (t *tx) coveredList(s auth.Scope, id string) (store.ListedInstance, error) {
	if err := t.turn(s.User()); err != nil {
		return store.ListedInstance{}, err
	}
	if _, err := t.reader(true); err != nil {
		return store.ListedInstance{}, err
	}
	return t.covered(s, id)
}

// pageRoom bounds what one answer holds: the first row always fits.
type pageRoom struct{ rows, bytes int64 }

func (r *pageRoom) take(bytes int64) bool {
	r.rows++
	r.bytes += bytes
	return r.rows == 1 || r.bytes <= store.MaxCandidateBytes
}

// EvidenceOf implements [store.Instances].
func (t *tx) EvidenceOf(s auth.Scope, id string) ([]store.Evidence, error) {
	i, err := t.covered(s, id)
	if err != nil {
		return nil, err
	}
	var all []store.Evidence
	err = t.few(func(rows *sql.Rows) error {
		var e store.Evidence
		var at int64
		err := rows.Scan(&e.ID, &e.Seq, &e.Kind, &e.URI, &e.Summary, &e.Digest, &e.Confidence, &e.Client, &e.User, &at)
		e.At = moment(at)
		all = append(all, e)
		return err
	}, evidenceOf, i.Number)
	return all, err
}

// Acknowledge implements [store.Instances].
func (t *tx) Acknowledge(s auth.Scope, id string, a store.Acknowledgement) error {
	if !t.writable() {
		return store.ErrReadOnly
	}
	if err := a.Check(); err != nil {
		return err
	}
	i, err := t.covered(s, id)
	if err != nil || !store.Owns(s, i.Instance) {
		return err
	}
	n, err := t.exec(`UPDATE acknowledgement SET hash = ?, at = ? WHERE instance = ? AND subject = ?`, a.Hash, a.At.UnixMilli(), i.Number, a.Subject)
	if err != nil || n > 0 {
		return err
	}
	return t.acknowledgeFirst(i, a)
}

func (t *tx) acknowledgeFirst(i store.ListedInstance, a store.Acknowledgement) error {
	var shown int64
	if err := t.row(`SELECT count(*) FROM acknowledgement WHERE instance = ?`, []any{i.Number}, &shown); err != nil {
		return err
	}
	if shown >= store.MaxShown {
		return fmt.Errorf("%w: an instance has at most %d acknowledged subjects", store.ErrQuota, store.MaxShown)
	}
	_, bytes, err := t.instancesOf(i.User)
	if err != nil {
		return err
	}
	if err := t.instanceRoom(bytes, a.Bytes()); err != nil {
		return err
	}
	_, err = t.exec(`INSERT INTO acknowledgement (instance, subject, hash, at) VALUES (?, ?, ?, ?)`, i.Number, a.Subject, a.Hash, a.At.UnixMilli())
	if err != nil {
		return err
	}
	if _, err := t.exec(`UPDATE instance SET bytes = bytes + ? WHERE number = ?`, a.Bytes(), i.Number); err != nil {
		return t.whole(err)
	}
	return t.whole(t.chargeInstances(i.User, 0, a.Bytes()))
}

// Acknowledgements implements [store.Instances].
func (t *tx) Acknowledgements(s auth.Scope, id string) ([]store.Acknowledgement, error) {
	i, err := t.covered(s, id)
	if err != nil {
		return nil, err
	}
	var all []store.Acknowledgement
	err = t.few(func(rows *sql.Rows) error {
		var a store.Acknowledgement
		var at int64
		err := rows.Scan(&a.Subject, &a.Hash, &at)
		a.At = moment(at)
		all = append(all, a)
		return err
	}, shownIn, i.Number)
	return all, err
}
