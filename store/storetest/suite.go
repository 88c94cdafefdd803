package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"prax/auth"
	"prax/store"
)

// Opener opens the store of one installation. Opened again with the same place after Close, it
// finds what was there. It ends the test when it cannot.
type Opener func(t testing.TB, place string) store.Store

// Verifier is what a store with a chain also does; the suite uses it where it is there.
type Verifier interface {
	Verify(ctx context.Context) (store.Report, error)
}

// Run runs the whole suite against the store.
func Run(t *testing.T, open Opener) {
	t.Run("documents", func(t *testing.T) { t.Parallel(); documents(t, open) })
	t.Run("search", func(t *testing.T) { t.Parallel(); search(t, open) })
	t.Run("isolation", func(t *testing.T) { t.Parallel(); isolation(t, open) })
	t.Run("numbers", func(t *testing.T) { t.Parallel(); numbers(t, open) })
	t.Run("epochs", func(t *testing.T) { t.Parallel(); epochs(t, open) })
	t.Run("uses", func(t *testing.T) { t.Parallel(); uses(t, open) })
	t.Run("update", func(t *testing.T) { t.Parallel(); update(t, open) })
	t.Run("events", func(t *testing.T) { t.Parallel(); events(t, open) })
	t.Run("life", func(t *testing.T) { t.Parallel(); life(t, open) })
	t.Run("workflows", func(t *testing.T) { t.Parallel(); workflows(t, open) })
	t.Run("model", func(t *testing.T) { t.Parallel(); model(t, open) })
}

// fixture is an open store with the few things that every test does with it.
type fixture struct {
	testing.TB
	store.Store
	open  Opener
	place string
}

func start(t testing.TB, open Opener) *fixture {
	t.Helper()
	place := t.TempDir()
	f := &fixture{TB: t, Store: open(t, place), open: open, place: place}
	t.Cleanup(func() {
		f.verify()
		if err := f.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return f
}

// reopen closes the store and opens it again.
func (f *fixture) reopen() {
	f.Helper()
	if err := f.Close(); err != nil {
		f.Fatalf("close: %v", err)
	}
	f.Store = f.open(f.TB, f.place)
}

func (f *fixture) verify() {
	f.Helper()
	v, able := f.Store.(Verifier)
	if !able {
		return
	}
	report, err := v.Verify(context.Background())
	if err != nil || !report.OK() {
		f.Errorf("verify: %v, problems %q", err, report.Problems)
	}
}

// must runs an update that has to succeed.
func (f *fixture) must(change func(store.Tx) error) {
	f.Helper()
	if err := f.Update(context.Background(), change); err != nil {
		f.Fatalf("update: %v", err)
	}
}

// look runs a view that has to succeed.
func (f *fixture) look(read func(store.Tx) error) {
	f.Helper()
	if err := f.View(context.Background(), read); err != nil {
		f.Fatalf("view: %v", err)
	}
}

// told is the event that stands beside a change: a chain without any, beside documents, was emptied.
var told = store.Event{Kind: store.EventServer, Outcome: "ok"}

func (f *fixture) put(d store.Document) store.Document {
	f.Helper()
	var stored store.Document
	f.must(func(t store.Tx) (err error) {
		t.AddEvent(told)
		stored, err = t.PutDocument(d)
		return err
	})
	return stored
}

// tryPut is a put that may fail.
func (f *fixture) tryPut(d store.Document) error {
	return f.Update(context.Background(), func(t store.Tx) error {
		t.AddEvent(told)
		_, err := t.PutDocument(d)
		return err
	})
}

func (f *fixture) list(user string, filter store.Filter) []store.Document {
	f.Helper()
	var all []store.Document
	f.look(func(t store.Tx) (err error) {
		all, err = t.ListDocuments(scope(user), filter)
		return err
	})
	return all
}

func (f *fixture) search(user string, q store.Query) []store.Document {
	f.Helper()
	var all []store.Document
	f.look(func(t store.Tx) (err error) {
		all, err = t.SearchDocuments(scope(user), q)
		return err
	})
	return all
}

// eventually waits, at most ten seconds, for what another goroutine brings about.
func (f *fixture) eventually(what string, done func() bool) {
	f.Helper()
	deadline := time.NewTimer(10 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-deadline.C:
			f.Fatalf("%s: not within ten seconds", what)
		case <-tick.C:
		}
	}
}

func scope(user string) auth.Scope { return auth.Principal{User: user}.Scope() }

func bodies(documents []store.Document) []string {
	all := make([]string, len(documents))
	for i, d := range documents {
		all[i] = d.Body
	}
	return all
}

func memory(user, body string) store.Document {
	return store.Document{User: user, Kind: store.Memory, Body: body}
}

func numbered(prefix string, n int) string { return fmt.Sprintf("%s%05d", prefix, n) }
