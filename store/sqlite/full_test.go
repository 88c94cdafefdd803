package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"prax/store"
	"prax/store/sqlite"
)

// TestFull: a full disk is an error that says so, for the writes that do not fit and for Health;
// nothing is half there; recorded events wait; and once there is room everything goes on without a
// restart.
func TestFull(t *testing.T) {
	t.Parallel()
	var complaints counter
	db := opened(t, sqlite.Config{MaxPages: 150, BlockEvery: 5 * time.Millisecond, Log: slog.New(slog.NewTextHandler(&complaints, nil))})
	kept := 0
	for ; ; kept++ {
		err := put(db, "alice", strings.Repeat("x", 8<<10))
		if errors.Is(err, store.ErrFull) {
			break
		}
		if err != nil || kept > 150 {
			t.Fatalf("document %d: %v", kept, err)
		}
	}
	// Several at once fail each by itself, and quickly.
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			if err := put(db, "alice", strings.Repeat("x", 60<<10)); !errors.Is(err, store.ErrFull) {
				t.Errorf("beside others: %v, want ErrFull", err)
			}
		})
	}
	group.Wait()
	if err := db.Health(context.Background()); err == nil {
		t.Error("health is good while the disk is full")
	}
	if got := newest(t, db, "alice"); len(got) != kept {
		t.Errorf("%d documents, want %d", len(got), kept)
	}
	begin := time.Now()
	for i := range 3000 {
		if i > 2950 {
			time.Sleep(5 * time.Millisecond) // for each to find the store at rest
		}
		db.Record(store.Event{Kind: store.EventCall, User: "bob", Tool: "memory_recall", RequestID: "waits"})
	}
	eventually(t, "health tells of waiting events", func() bool { return db.Health(context.Background()) != nil })
	if said, most := complaints.Load(), 5+int64(time.Since(begin)/time.Second); said > most {
		t.Errorf("%d complaints about events that wait, want at most %d: one a try, and a try a second", said, most)
	}
	if got, err := db.Pragma("integrity_check"); err != nil || got != "ok" {
		t.Errorf("integrity: %q, %v", got, err)
	}
	if err := db.SetMaxPages(100_000); err != nil {
		t.Fatal(err)
	}
	if err := put(db, "alice", strings.Repeat("x", 8<<10)); err != nil {
		t.Errorf("with room again: %v", err)
	}
	eventually(t, "health recovers", func() bool { return db.Health(context.Background()) == nil })
	eventually(t, "all recorded events are in the chain", func() bool {
		report, err := db.Verify(context.Background())
		return err == nil && report.Calls == 3000
	})
}

// TestFailuresAreFewLines: many that fail on a full disk are one line of the log a second.
func TestFailuresAreFewLines(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	db := opened(t, sqlite.Config{MaxPages: 60, Log: slog.New(slog.NewTextHandler(&log, nil))})
	hold, held := make(chan struct{}), make(chan struct{})
	once := sync.OnceFunc(func() { close(held) })
	var group sync.WaitGroup
	group.Go(func() {
		if err := db.Update(context.Background(), func(store.Tx) error { once(); <-hold; return nil }); err != nil {
			t.Error(err)
		}
	})
	<-held
	const callers = 20
	var fit atomic.Int32
	for range callers {
		group.Go(func() {
			if err := put(db, "alice", strings.Repeat("x", 60<<10)); err == nil {
				fit.Add(1)
			} else if !errors.Is(err, store.ErrFull) {
				t.Errorf("got %v, want ErrFull", err)
			}
		})
	}
	eventually(t, "all wait", func() bool { return db.Queued() == callers })
	begin := time.Now()
	close(hold)
	group.Wait()
	if err := db.SetMaxPages(100_000); err != nil { // also: the writer is done with the log
		t.Fatal(err)
	}
	most := 1 + int(time.Since(begin)/time.Second)
	if n := strings.Count(log.String(), "transaction failed"); n < 1 || n > most || callers-fit.Load() < 10 {
		t.Errorf("%d fit, %d lines, want one a second:\n%.2000s", fit.Load(), n, &log)
	}
}

// counter counts the log lines about events that could not be written.
type counter struct{ atomic.Int64 }

func (c *counter) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("could not be written")) {
		c.Add(1)
	}
	return len(line), nil
}

// eventually waits, at most ten seconds, for what another goroutine brings about.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	deadline := time.NewTimer(10 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-deadline.C:
			t.Fatalf("%s: not within ten seconds", what)
		case <-tick.C:
		}
	}
}
