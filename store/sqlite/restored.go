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
}

// restored is all that a restore does to the data that it put back, in one transaction: the chain tells of it.
// Documents and events allow nothing and have begun nothing, so that none of them has to be made void although
// the world went on since the backup.
func restored(t *tx, b *Backup, problems int) error {
	m := b.Manifest
	text, err := json.Marshal(restoreEvent{
		b.SHA256, m.At.UTC().Format(time.RFC3339Nano), store.SafeString(m.Version), m.Head.Count, problems,
	}, json.Deterministic(true))
	if err != nil {
		return err
	}
	t.AddEvent(store.Event{Kind: store.EventRestore, Outcome: "ok", Detail: string(text)})
	return nil
}
