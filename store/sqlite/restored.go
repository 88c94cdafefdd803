package sqlite

import (
	"time"

	"github.com/go-json-experiment/json"

	"prax/store"
)

// restoreEvent is the detail of the event that tells of a restore.
type restoreEvent struct {
	Backup   string `json:"backup"` // SHA-256 of its manifest
	Taken    string `json:"taken"`
	Version  string `json:"version"`           // that took it
	Events   int64  `json:"events"`            // in the chain then
	Problems int    `json:"problems,omitzero"` // of the chain, which the operator accepted
	Voided   int64  `json:"voided,omitzero"`   // open approvals
	Doubted  int64  `json:"doubted,omitzero"`  // attempts that ran
	Raised   int64  `json:"raised,omitzero"`   // epochs of signed tokens
	Dropped  int64  `json:"dropped,omitzero"`  // notices that waited
}

// restored is all that a restore does to the data that it put back, in one transaction: the chain tells of it.
// The world went on since the backup: an approval that was open then may have been answered, so none is any more; and
// an attempt that ran may have had its effect, so a person has to find out. A signed token may have been revoked, so none
// of before is good any more, whether the backup knows it or not. What the operator was to be told of then is old by now.
// Documents and events allow nothing and have begun nothing: they stay as they are.
func restored(t *tx, b *Backup, problems int) error {
	m := b.Manifest
	voided, err := t.VoidApprovals(t.db.now())
	if err != nil {
		return err
	}
	doubted, err := t.DoubtAttempts(t.db.now())
	if err != nil {
		return err
	}
	raised, err := t.RaiseEpochs("", t.db.now())
	if err != nil {
		return err
	}
	dropped, err := t.DropNotices()
	if err != nil {
		return err
	}
	text, err := json.Marshal(restoreEvent{
		b.SHA256, m.At.UTC().Format(time.RFC3339Nano), store.SafeString(m.Version), m.Head.Count, problems, voided, doubted, raised, dropped,
	}, json.Deterministic(true))
	if err != nil {
		return err
	}
	t.AddEvent(store.Event{Kind: store.EventRestore, Outcome: "ok", Detail: string(text)})
	return nil
}
