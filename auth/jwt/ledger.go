package jwt

import (
	"context"
	"time"
)

// Ledger keeps, durably, which tokens are good. What an [Authority] has in memory is what a ledger has kept.
type Ledger interface {
	// Keep stores a change, all of it or nothing.
	Keep(ctx context.Context, c Change) error
}

// Change is what an act changes. One that changes nothing is kept all the same: a ledger may tell of it.
type Change struct {
	Token   string // the id of the token that is made or revoked; "" when none is
	Epochs  []Epoch
	Revoked []Revoked
}

// Epoch says which tokens of a client are good: those of this number, for as long as the client is the one of the seal.
type Epoch struct {
	Client string
	Number int64
	Seal   string // "": none is good
}

// Revoked is a token that is none any more.
type Revoked struct {
	ID    string
	Until time.Time // from when on it has lapsed anyway
}

// book is what of the ledger is in memory, with the keys. It is not changed once it is in force.
type book struct {
	keys    keyring
	epochs  map[string]Epoch
	revoked map[string]time.Time
	changed chan struct{} // closed when another book, or another registry of clients, comes into force
}

func newBook(keys keyring, kept Change) *book {
	b := &book{keys: keys, epochs: map[string]Epoch{}, revoked: map[string]time.Time{}, changed: make(chan struct{})}
	b.apply(kept)
	return b
}

// next is a copy to change.
func (b *book) next() *book {
	n := newBook(b.keys, Change{})
	for client, e := range b.epochs {
		n.epochs[client] = e
	}
	for id, until := range b.revoked {
		n.revoked[id] = until
	}
	return n
}

func (b *book) apply(c Change) {
	for _, e := range c.Epochs {
		b.epochs[e.Client] = e
	}
	for _, r := range c.Revoked {
		b.revoked[r.ID] = r.Until
	}
}

// forget drops what has lapsed anyway.
func (b *book) forget(now time.Time) {
	for id, until := range b.revoked {
		if !now.Before(until) {
			delete(b.revoked, id)
		}
	}
}
