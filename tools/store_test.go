package tools_test

import (
	"context"
	"sync"
	"testing"

	"prax/store"
)

// journal keeps events in memory.
type journal struct {
	store.Store
	mu     sync.Mutex
	events []store.Event
}

type journalTx struct {
	store.Tx
	events []store.Event
}

func (tx *journalTx) AddEvent(e store.Event) { tx.events = append(tx.events, e) }

func (j *journal) Update(ctx context.Context, f func(store.Tx) error) error {
	tx := &journalTx{}
	if err := f(tx); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.events = append(j.events, tx.events...)
	return nil
}

func (j *journal) Record(e store.Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.events = append(j.events, e)
}

func open(testing.TB) store.Store { return &journal{} }

// events are the first n calls of the chain, blocks opened.
func events(t *testing.T, db store.Store, n int) []store.Event {
	j := db.(*journal)
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.events
}
