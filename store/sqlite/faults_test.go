package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"prax/store"
	"prax/store/sqlite"
)

// ailing is a store on a disk that fails as it is told, what its writers were told, and how many calls were recorded.
type ailing struct {
	*sqlite.DB
	t    *testing.T
	dir  string
	disk *sqlite.Disk

	mu                sync.Mutex
	acknowledged      map[string]bool
	refused, recorded int
}

func ail(t *testing.T) *ailing {
	t.Helper()
	dir := t.TempDir()
	disk := sqlite.FaultyDisk(dir)
	return &ailing{
		t: t, dir: dir, disk: disk, acknowledged: map[string]bool{},
		DB: opened(t, sqlite.Config{Dir: dir, BlockEvery: 5 * time.Millisecond}),
	}
}

// callers write so many times in a round.
const callers, each = 8, 1 + 5/effort

// write has several callers write and record at once. A refusal must have an error that suits.
func (a *ailing) write(round string, suits func(error) bool) {
	a.t.Helper()
	var group sync.WaitGroup
	for i := range callers {
		group.Go(func() {
			for n := range each {
				body := fmt.Sprintf("%s %d %d", round, i, n)
				err := put(a.DB, "alice", body)
				a.Record(store.Event{Kind: store.EventCall, User: "alice", Tool: "memory_recall"})
				a.told(body, err)
				if err != nil && !suits(err) {
					a.t.Errorf("%s: refused with %v", body, err)
				}
			}
		})
	}
	group.Wait()
}

func (a *ailing) told(body string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.recorded++
	if err != nil {
		a.refused++
		return
	}
	a.acknowledged[body] = true
}

// holds compares what is stored with what writers were told: all that was acknowledged, and nothing that was refused.
func (a *ailing) holds(db *sqlite.DB) {
	a.t.Helper()
	stored := newest(a.t, db, "alice")
	for _, d := range stored {
		if !a.acknowledged[d.Body] {
			a.t.Errorf("%q was refused, and is there", d.Body)
		}
	}
	if len(stored) != len(a.acknowledged) {
		a.t.Errorf("%d documents are there, %d were acknowledged", len(stored), len(a.acknowledged))
	}
	if got, err := db.Pragma("integrity_check"); err != nil || got != "ok" {
		a.t.Errorf("integrity: %q, %v", got, err)
	}
}

// recovers waits until the store is healthy and every recorded call is in the chain.
func (a *ailing) recovers() {
	a.t.Helper()
	eventually(a.t, "health recovers", func() bool { return a.Health(context.Background()) == nil })
	eventually(a.t, "all recorded calls are in the chain", func() bool {
		report, err := a.Verify(context.Background())
		return err == nil && report.OK() && a.recalled() == a.recorded
	})
}

// recalled is how many of the recorded calls are in the chain.
func (a *ailing) recalled() (n int) {
	all := map[int64]store.Event{}
	left(a.t, a.DB, all)
	for _, e := range all {
		for _, call := range e.All() {
			if call.Tool == "memory_recall" {
				n++
			}
		}
	}
	return n
}

// every makes each nth statement of a kind fail.
func every(n int, kind sqlite.Statement, err error) func(sqlite.Statement) error {
	seen := 0
	return func(s sqlite.Statement) error {
		if s != kind {
			return nil
		}
		if seen++; seen%n != 0 {
			return nil
		}
		return err
	}
}

const (
	badIO    = sqlite.ResultCode(sqlite3.SQLITE_IOERR)
	full     = sqlite.ResultCode(sqlite3.SQLITE_FULL)
	readOnly = sqlite.ResultCode(sqlite3.SQLITE_READONLY)
)

// TestDiskFailsNowAndThen: wherever a statement fails now and then, whether SQLite has ended the transaction or
// goes on with it, nothing that was acknowledged is lost and nothing that was refused is kept, also for who opens
// the files afterwards; the chain verifies with every recorded call; and the store works again once the disk does.
func TestDiskFailsNowAndThen(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		at    sqlite.Statement
		every int
		err   error
	}{
		{sqlite.Begin, 2, badIO},
		{sqlite.Save, 5, badIO},
		{sqlite.Insert, 7, badIO},
		{sqlite.Insert, 7, sqlite.RolledBack{badIO}},
		{sqlite.Insert, 5, sqlite.RolledBack{full}},
		{sqlite.Insert, 5, readOnly},
		{sqlite.Commit, 2, badIO},
		{sqlite.Commit, 2, sqlite.RolledBack{badIO}},
		{sqlite.Commit, 3, sqlite.RolledBack{full}},
	} {
		t.Run(fmt.Sprintf("%s %d %T %v", tt.at, tt.every, tt.err, tt.err), func(t *testing.T) {
			t.Parallel()
			a := ail(t)
			anything := func(error) bool { return true }
			a.write("before", anything)
			a.disk.Fail(every(tt.every, tt.at, tt.err))
			a.write("meanwhile", func(err error) bool {
				var code interface{ Code() int }
				return errors.Is(err, store.ErrFull) == (errors.As(tt.err, &code) && code.Code() == sqlite3.SQLITE_FULL)
			})
			a.disk.Fail(nil)
			a.recovers()
			before := a.refused
			a.write("after", anything)
			if a.refused != before {
				t.Errorf("%d writes were refused after the disk was mended", a.refused-before)
			}
			a.recovers()
			a.holds(a.DB)
			again := open(t, sqlite.Config{Dir: copyStore(t, a.dir, "prax.db-wal")})
			defer func() { _ = again.Close() }()
			a.holds(again)
		})
	}
}

// TestDiskFailsForGood: while no write can be done each is refused, Health says why, and reading goes on; a
// connection that cannot be opened is an error of the View that needs it and of no other.
func TestDiskFailsForGood(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{"input and output": badIO, "read-only": readOnly, "full": full} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := ail(t)
			a.write("before", func(error) bool { return false })
			a.disk.Fail(func(s sqlite.Statement) error {
				if s == sqlite.Begin || s == sqlite.Insert || s == sqlite.Commit {
					return err
				}
				return nil
			})
			a.write("meanwhile", func(got error) bool { return errors.Is(got, err) })
			if len(a.acknowledged) != callers*each || a.refused != callers*each {
				t.Errorf("%d were acknowledged and %d refused, want %d of each", len(a.acknowledged), a.refused, callers*each)
			}
			eventually(t, "health says why", func() bool { return errors.Is(a.Health(context.Background()), err) })
			a.disk.Fail(func(s sqlite.Statement) error {
				if s == sqlite.Connect || s == sqlite.Insert {
					return err
				}
				return nil
			})
			var group sync.WaitGroup
			for range 8 { // more than connections are open
				group.Go(func() {
					got := a.View(context.Background(), func(tx store.Tx) error { _, err := tx.LastEvent(); return err })
					if got != nil && !errors.Is(got, err) {
						t.Errorf("a view without a connection: %v", got)
					}
				})
			}
			group.Wait()
			a.disk.Fail(nil)
			a.recovers()
			a.write("after", func(error) bool { return false })
			a.holds(a.DB)
		})
	}
}

// TestDamageAtTheEnd: that a file is damaged is remembered also when a batch comes by it once its functions are done.
func TestDamageAtTheEnd(t *testing.T) {
	t.Parallel()
	for _, at := range []sqlite.Statement{sqlite.Insert, sqlite.Commit} {
		t.Run(string(at), func(t *testing.T) {
			t.Parallel()
			a := ail(t)
			a.disk.Fail(every(1, at, sqlite.ResultCode(sqlite3.SQLITE_CORRUPT)))
			err := a.Update(context.Background(), func(tx store.Tx) error {
				tx.AddEvent(store.Event{Kind: store.EventReload})
				return nil
			})
			a.disk.Fail(nil)
			if err == nil {
				t.Error("the event was written")
			}
			if err := a.Health(context.Background()); err == nil || !strings.Contains(err.Error(), "restore a backup") {
				t.Errorf("health: %v", err)
			}
		})
	}
}

// TestDiskFailsAtTheStart: a store that cannot be opened says so, leaves the directory to the next, and changes nothing.
func TestDiskFailsAtTheStart(t *testing.T) {
	t.Parallel()
	a := ail(t)
	a.write("before", func(error) bool { return false })
	dir := copyStore(t, a.dir, "prax.db-wal")
	disk := sqlite.FaultyDisk(dir)
	for n := 1; ; n += effort {
		left := n
		disk.Fail(func(sqlite.Statement) error {
			if left--; left < 0 {
				return badIO
			}
			return nil
		})
		db, err := sqlite.Open(context.Background(), sqlite.Config{Dir: dir})
		disk.Fail(nil)
		if err == nil {
			a.holds(db)
			if err := db.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
			if n < 5 {
				t.Errorf("it opened with %d statements: the test shows nothing", n)
			}
			return
		}
		if !errors.Is(err, badIO) {
			t.Fatalf("after %d statements: %v", n, err)
		}
	}
}
