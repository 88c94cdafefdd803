package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/store"
)

func update(t *testing.T, open Opener) {
	t.Run("all or nothing", func(t *testing.T) { t.Parallel(); allOrNothing(t, open) })
	t.Run("one failure harms nobody", func(t *testing.T) { t.Parallel(); oneFailure(t, open) })
	t.Run("compare and set", func(t *testing.T) { t.Parallel(); compareAndSet(t, open) })
	t.Run("view is read-only", func(t *testing.T) { t.Parallel(); readOnly(t, open) })
	t.Run("snapshot", func(t *testing.T) { t.Parallel(); snapshot(t, open) })
	t.Run("context", func(t *testing.T) { t.Parallel(); contexts(t, open) })
	t.Run("busy", func(t *testing.T) { t.Parallel(); busy(t, open) })
}

var errOwn = errors.New("the function's own")

// allOrNothing: what a failing function did is gone, its events too, and its error is the answer.
func allOrNothing(t *testing.T, open Opener) {
	f := start(t, open)
	kept := f.put(memory("alice", "kept"))
	err := f.Update(context.Background(), func(tx store.Tx) error {
		if _, err := tx.PutDocument(memory("alice", "gone")); err != nil {
			return err
		}
		if err := tx.DeleteDocument(scope("alice"), kept.ID); err != nil {
			return err
		}
		tx.AddEvent(store.Event{Kind: store.EventCall, User: "alice", RequestID: "gone"})
		return fmt.Errorf("wrapped: %w", errOwn)
	})
	if !errors.Is(err, errOwn) {
		t.Errorf("update: %v, want the function's error", err)
	}
	if diff := cmp.Diff([]string{"kept"}, bodies(f.list("alice", store.Filter{}))); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
	if got := f.search("alice", store.Query{Words: store.QueryWords("gone")}); len(got) != 0 {
		t.Errorf("the index has %q", bodies(got))
	}
	if got := f.chain(); len(got) != 1 || got[0].Kind != told.Kind {
		t.Errorf("the chain has %+v", got)
	}
}

// oneFailure: among many callers at once, some fail and some panic; the others lose nothing, and
// the chain has exactly the events of those that succeeded.
func oneFailure(t *testing.T, open Opener) {
	f := start(t, open)
	const callers = 60
	errs := make([]error, callers)
	var group sync.WaitGroup
	for i := range callers {
		group.Go(func() {
			errs[i] = f.Update(context.Background(), func(tx store.Tx) error {
				if _, err := tx.PutDocument(memory("alice", numbered("d", i))); err != nil {
					return err
				}
				tx.AddEvent(store.Event{Kind: store.EventCall, User: "alice", RequestID: numbered("d", i)})
				switch i % 3 {
				case 1:
					return errOwn
				case 2:
					panic("the function's own panic")
				}
				return nil
			})
		})
	}
	group.Wait()
	var want []string
	for i, err := range errs {
		if (i%3 == 0) != (err == nil) || i%3 == 1 && !errors.Is(err, errOwn) {
			t.Errorf("caller %d: %v", i, err)
		}
		if i%3 == 0 {
			want = append(want, numbered("d", i))
		}
	}
	got := bodies(f.list("alice", store.Filter{}))
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	var ids []string
	for _, e := range f.told() {
		ids = append(ids, e.RequestID)
	}
	slices.Sort(ids)
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// compareAndSet: of many that change one version, one succeeds.
func compareAndSet(t *testing.T, open Opener) {
	f := start(t, open)
	first := f.put(memory("alice", "start"))
	const callers = 40
	var mu sync.Mutex
	won := 0
	var group sync.WaitGroup
	for i := range callers {
		group.Go(func() {
			d := first
			d.Body = numbered("by ", i)
			err := f.tryPut(d)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won++
			} else if !errors.Is(err, store.ErrConflict) {
				t.Errorf("caller %d: %v", i, err)
			}
		})
	}
	group.Wait()
	if got := f.list("alice", store.Filter{}); won != 1 || len(got) != 1 || got[0].Version != 2 {
		t.Errorf("%d succeeded, kept %+v", won, got)
	}
}

func readOnly(t *testing.T, open Opener) {
	f := start(t, open)
	d := f.put(memory("alice", "kept"))
	for name, attempt := range map[string]func(store.Tx) error{
		"put":    func(tx store.Tx) error { _, err := tx.PutDocument(memory("alice", "new")); return err },
		"delete": func(tx store.Tx) error { return tx.DeleteDocument(scope("alice"), d.ID) },
		"event":  func(tx store.Tx) error { tx.AddEvent(store.Event{Kind: store.EventServer}); return nil },
	} {
		if err := f.View(context.Background(), attempt); !errors.Is(err, store.ErrReadOnly) {
			t.Errorf("%s within a view: %v, want ErrReadOnly", name, err)
		}
	}
	if err := f.View(context.Background(), func(store.Tx) error { return errOwn }); !errors.Is(err, errOwn) {
		t.Errorf("view: %v, want the function's error", err)
	}
	if len(f.list("alice", store.Filter{})) != 1 || len(f.chain()) != 1 {
		t.Error("a view changed something")
	}
}

// snapshot: a view sees one state, whatever is written meanwhile; the next view sees what was
// answered before it.
func snapshot(t *testing.T, open Opener) {
	f := start(t, open)
	f.put(memory("alice", "one"))
	f.look(func(tx store.Tx) error {
		before, err := tx.ListDocuments(scope("alice"), store.Filter{})
		if err != nil {
			return err
		}
		f.put(memory("alice", "two"))
		after, err := tx.ListDocuments(scope("alice"), store.Filter{})
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("one view, two states (-before +after):\n%s", diff)
		}
		return err
	})
	for i := range 50 {
		d := f.put(memory("alice", numbered("d", i)))
		f.look(func(tx store.Tx) error {
			_, err := tx.Document(scope("alice"), d.ID)
			return err
		})
	}
}

// contexts: an ended context keeps a function from starting, and does nothing to one that started.
func contexts(t *testing.T, open Opener) {
	f := start(t, open)
	ended, end := context.WithCancel(context.Background())
	end()
	never := func(store.Tx) error { t.Error("the function of an ended context ran"); return nil }
	if err := f.Update(ended, never); !errors.Is(err, context.Canceled) {
		t.Errorf("update: %v", err)
	}
	if err := f.View(ended, never); !errors.Is(err, context.Canceled) {
		t.Errorf("view: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	err := f.Update(ctx, func(tx store.Tx) error {
		cancel()
		tx.AddEvent(told)
		_, err := tx.PutDocument(memory("alice", "done"))
		return err
	})
	if err != nil || len(f.list("alice", store.Filter{})) != 1 {
		t.Errorf("a function that had started: %v", err)
	}
	leaveQueue(t, f, never)
}

// leaveQueue: a caller whose context ends while it waits is answered at once, and its function
// never runs.
func leaveQueue(t *testing.T, f *fixture, never func(store.Tx) error) {
	hold, held := make(chan struct{}), make(chan struct{})
	once := sync.OnceFunc(func() { close(held) })
	var group sync.WaitGroup
	group.Go(func() {
		if err := f.Update(context.Background(), func(store.Tx) error { once(); <-hold; return nil }); err != nil {
			t.Errorf("the one that holds: %v", err)
		}
	})
	<-held
	ctx, cancel := context.WithCancel(context.Background())
	waits := make(chan error)
	go func() { waits <- f.Update(ctx, never) }()
	cancel()
	if err := <-waits; !errors.Is(err, context.Canceled) {
		t.Errorf("while waiting: %v", err)
	}
	close(hold)
	group.Wait()
	f.put(memory("alice", "after it")) // the writer has passed the place where the caller stood
}

// busy: while the writer is held up, callers beyond the queue are told at once, and one whose
// context ends leaves; the others are served.
func busy(t *testing.T, open Opener) {
	f := start(t, open)
	hold, held := make(chan struct{}), make(chan struct{})
	once := sync.OnceFunc(func() { close(held) })
	var group sync.WaitGroup
	group.Go(func() {
		if err := f.Update(context.Background(), func(store.Tx) error { once(); <-hold; return nil }); err != nil {
			t.Errorf("the one that holds: %v", err)
		}
	})
	<-held
	const callers = 6000
	answers := make(chan error, callers)
	for range callers {
		group.Go(func() {
			answers <- f.Update(context.Background(), func(tx store.Tx) error { return nil })
		})
	}
	if err := <-answers; !errors.Is(err, store.ErrBusy) {
		t.Errorf("first answer while the writer is held: %v, want ErrBusy", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := f.Update(ctx, func(store.Tx) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("with an ended context: %v", err)
	}
	close(hold)
	group.Wait()
	close(answers)
	served := 0
	for err := range answers {
		if err == nil {
			served++
		} else if !errors.Is(err, store.ErrBusy) {
			t.Errorf("answer: %v", err)
		}
	}
	if served == 0 {
		t.Error("nobody was served")
	}
}
