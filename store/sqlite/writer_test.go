package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"prax/auth"
	"prax/store"
	"prax/store/sqlite"
)

// opened is a store of its own, closed with the test, whole at the end.
func opened(t *testing.T, config sqlite.Config) *sqlite.DB {
	t.Helper()
	if config.Dir == "" {
		config.Dir = t.TempDir()
	}
	db := open(t, config)
	t.Cleanup(func() {
		report, err := db.Verify(context.Background())
		if err != nil || !report.OK() {
			t.Errorf("verify: %v, problems %q", err, report.Problems)
		}
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return db
}

func put(db *sqlite.DB, user, body string) error {
	return db.Update(context.Background(), func(t store.Tx) error {
		t.AddEvent(store.Event{Kind: store.EventCall, User: user, Tool: "memory_remember"})
		_, err := t.PutDocument(store.Document{User: user, Kind: store.Memory, Body: body})
		return err
	})
}

// TestFiftyWriters: nobody is told that anything is locked.
func TestFiftyWriters(t *testing.T) {
	t.Parallel()
	db := opened(t, sqlite.Config{})
	var group sync.WaitGroup
	for i := range 50 {
		group.Go(func() {
			for n := range 4 {
				if err := put(db, fmt.Sprintf("user%d", i), fmt.Sprintf("d%d", n)); err != nil {
					t.Errorf("writer %d: %v", i, err)
				}
			}
		})
	}
	group.Wait()
	for i := range 50 {
		if got := newest(t, db, fmt.Sprintf("user%d", i)); len(got) != 4 {
			t.Errorf("writer %d left %d documents", i, len(got))
		}
	}
}

// TestOthersAreRunAgain: when the shared transaction dies under one function, the functions before
// it are run again and succeed, and those after it never notice.
func TestOthersAreRunAgain(t *testing.T) {
	t.Parallel()
	for name, breaks := range map[string]func(store.Tx) error{
		"reported": sqlite.Break,
		"hidden":   func(tx store.Tx) error { _ = sqlite.Break(tx); return nil },
		"goexit":   sqlite.EndGoroutine,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := opened(t, sqlite.Config{})
			hold, held := make(chan struct{}), make(chan struct{})
			once := sync.OnceFunc(func() { close(held) })
			var group sync.WaitGroup
			group.Go(func() {
				if err := db.Update(context.Background(), func(store.Tx) error { once(); <-hold; return nil }); err != nil {
					t.Errorf("holding: %v", err)
				}
			})
			<-held
			const callers = 90
			errs := make([]error, callers)
			for i := range callers {
				group.Go(func() {
					errs[i] = db.Update(context.Background(), func(tx store.Tx) error {
						if i%30 == 17 {
							return breaks(tx)
						}
						tx.AddEvent(store.Event{Kind: store.EventServer, RequestID: fmt.Sprint(i)})
						_, err := tx.PutDocument(store.Document{User: "alice", Kind: store.Memory, Body: fmt.Sprint(i)})
						return err
					})
				})
			}
			close(hold)
			group.Wait()
			for i, err := range errs {
				if broke := i%30 == 17; broke != (err != nil) {
					t.Errorf("caller %d: %v", i, err)
				}
			}
			if got := newest(t, db, "alice"); len(got) != callers-3 {
				t.Errorf("%d documents, want %d", len(got), callers-3)
			}
			if err := db.Health(context.Background()); err != nil {
				t.Errorf("health afterwards: %v", err)
			}
		})
	}
}

// TestEveryCallerIsAnswered: though one function breaks the shared transaction, and another, which did well
// at first, ends the goroutine when it is run again.
func TestEveryCallerIsAnswered(t *testing.T) {
	t.Parallel()
	db := opened(t, sqlite.Config{})
	hold, held, runs := make(chan struct{}), make(chan struct{}), 0
	once := sync.OnceFunc(func() { close(held) })
	functions := []func(store.Tx) error{
		func(store.Tx) error { once(); <-hold; return nil },
		func(tx store.Tx) error { tx.AddEvent(store.Event{Kind: store.EventServer}); return nil },
		func(tx store.Tx) error {
			if runs++; runs > 1 {
				return sqlite.EndGoroutine(tx)
			}
			return nil
		},
		func(tx store.Tx) error { tx.AddEvent(store.Event{Kind: store.EventServer}); return nil },
		sqlite.Break,
	}
	errs := make([]error, len(functions))
	var group sync.WaitGroup
	for i, f := range functions {
		group.Go(func() { errs[i] = db.Update(context.Background(), f) })
		if i == 0 {
			<-held
		}
		eventually(t, "it waits its turn", func() bool { return db.Queued() == i })
	}
	close(hold)
	group.Wait()
	for i, err := range errs {
		if broke := i == 2 || i == 4; broke != (err != nil) {
			t.Errorf("function %d: %v", i, err)
		}
	}
}

// TestUsedTooLate: a transaction that a function kept does nothing any more.
func TestUsedTooLate(t *testing.T) {
	t.Parallel()
	db := opened(t, sqlite.Config{})
	var kept store.Tx
	for name, run := range map[string]func(context.Context, func(store.Tx) error) error{"update": db.Update, "view": db.View} {
		if err := run(context.Background(), func(tx store.Tx) error { kept = tx; return nil }); err != nil {
			t.Fatal(err)
		}
		_, putErr := kept.PutDocument(store.Document{User: "alice", Kind: store.Memory})
		_, getErr := kept.LastEvent()
		if putErr == nil || getErr == nil || errors.Is(getErr, store.ErrNotFound) {
			t.Errorf("after %s: put %v, read %v", name, putErr, getErr)
		}
	}
}

// TestQuota: a user's documents and bytes are counted through every change, and only that user's.
func TestQuota(t *testing.T) {
	t.Parallel()
	db := opened(t, sqlite.Config{Quota: store.Quota{Documents: 3, Bytes: 100}})
	update := func(f func(store.Tx) error) error { return db.Update(context.Background(), f) }
	for i := range 3 {
		if err := put(db, "alice", strings.Repeat("x", 10*i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := put(db, "alice", ""); !errors.Is(err, store.ErrQuota) || !strings.Contains(err.Error(), "3 documents") {
		t.Errorf("a fourth document: %v", err)
	}
	if err := put(db, "bob", "fits"); err != nil {
		t.Errorf("another user's: %v", err)
	}
	kept := newest(t, db, "alice")[0]
	grown := kept
	grown.Body = strings.Repeat("x", 91)
	replace := func(d store.Document) error {
		return update(func(tx store.Tx) error { _, err := tx.PutDocument(d); return err })
	}
	if err := replace(grown); !errors.Is(err, store.ErrQuota) || !strings.Contains(err.Error(), "100 bytes") {
		t.Errorf("grown beyond the bytes: %v", err)
	}
	grown.Body = grown.Body[:90]
	if err := replace(grown); err != nil {
		t.Errorf("grown to the limit: %v", err)
	}
	err := update(func(tx store.Tx) error { return tx.DeleteDocument(auth.Principal{User: "alice"}.Scope(), kept.ID) })
	if err != nil {
		t.Fatal(err)
	}
	if err := put(db, "alice", strings.Repeat("x", 90)); err != nil {
		t.Errorf("after a delete made room: %v", err)
	}
	// A function may go on after a refusal: what was refused is not counted.
	if err := update(func(tx store.Tx) error {
		keyed := store.Document{User: "carol", Kind: store.Note, Key: "k", Body: strings.Repeat("z", 40)}
		first, err := tx.PutDocument(keyed)
		for range 5 {
			if _, again := tx.PutDocument(keyed); !errors.Is(again, store.ErrConflict) {
				t.Errorf("the same key again: %v, want ErrConflict", again)
			}
		}
		first.Body = strings.Repeat("z", 100)
		_, grow := tx.PutDocument(first)
		return errors.Join(err, grow)
	}); err != nil {
		t.Errorf("after conflicts that the function ignored: %v", err)
	}
	// What failed in between left no trace in the counters.
	if err := update(func(tx store.Tx) error {
		_, err := tx.PutDocument(store.Document{User: "bob", Kind: store.Memory, Body: strings.Repeat("y", 90)})
		return errors.Join(err, errors.New("taken back"))
	}); err == nil {
		t.Error("the function's error is lost")
	}
	if err := put(db, "bob", strings.Repeat("y", 96)); err != nil {
		t.Errorf("after an update that was taken back: %v", err)
	}
}

// TestSettings: a commit is on the disk when it is answered.
func TestSettings(t *testing.T) {
	t.Parallel()
	db := opened(t, sqlite.Config{})
	for name, want := range map[string]string{
		"synchronous": "2", "journal_mode": "wal", "foreign_keys": "1", "application_id": "1886544248", "temp_store": "2",
	} {
		if got, err := db.Pragma(name); err != nil || got != want {
			t.Errorf("%s is %q, %v; want %q", name, got, err, want)
		}
	}
}
