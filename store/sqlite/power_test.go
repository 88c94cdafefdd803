package sqlite_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"prax/store"
	"prax/store/sqlite"
)

// TestPowerLoss: whatever is lost of the log behind the place where it stood when a write was
// acknowledged, that write is there; what lies behind it is there whole or not at all.
func TestPowerLoss(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := open(t, sqlite.Config{Dir: dir})
	const writes = 40
	early, err := os.ReadFile(filepath.Join(dir, "audit-head.json")) // a later one vouches for what will be cut off
	if err != nil {
		t.Fatal(err)
	}
	var sizes []int64 // of the log, when so many were acknowledged
	for n := range writes {
		if err := put(db, "alice", fmt.Sprintf("d%02d %s", n, strings.Repeat("x", n*50))); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(dir, "prax.db-wal"))
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, info.Size())
	}
	frozen := copyStore(t, dir, "prax.db-wal")
	if err := os.WriteFile(filepath.Join(frozen, "audit-head.json"), early, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for range 12 {
		n := rand.IntN(writes)
		left := sizes[n] + rand.Int64N(sizes[writes-1]-sizes[n]+1)
		lost := copyStore(t, frozen, "prax.db-wal")
		wal := filepath.Join(lost, "prax.db-wal")
		if err := os.Truncate(wal, left); err != nil {
			t.Fatal(err)
		}
		if rand.IntN(2) == 0 {
			garble(t, wal, sizes[n])
		}
		after := opened(t, sqlite.Config{Dir: lost})
		got := newest(t, after, "alice")
		if len(got) < n+1 {
			t.Errorf("%d writes were acknowledged, %d are there", n+1, len(got))
		}
		for i, d := range got {
			want := fmt.Sprintf("d%02d ", len(got)-1-i)
			if !strings.HasPrefix(d.Body, want) {
				t.Errorf("document %d is %.10q, want %q…", i, d.Body, want)
			}
		}
		if check, err := after.Pragma("integrity_check"); err != nil || check != "ok" {
			t.Errorf("integrity: %q, %v", check, err)
		}
	}
}

// garble overwrites what follows an offset, as a disk may that wrote sectors in another order.
func garble(t *testing.T, path string, from int64) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte(strings.Repeat("\xa5", 700)), from+rand.Int64N(3000)); err != nil {
		t.Fatal(err)
	}
}

func copyFiles(t *testing.T, dir string, names ...string) string {
	t.Helper()
	to := t.TempDir()
	for _, name := range names {
		from, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		out, err := os.OpenFile(filepath.Join(to, name), os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.Copy(out, from)
		_ = from.Close()
		if closed := out.Close(); err != nil || closed != nil {
			t.Fatal(err, closed)
		}
	}
	return to
}

// TestCopyUnderLoad: the database file alone, copied while it is written to, is refused in a
// sentence or is a consistent older state.
func TestCopyUnderLoad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := open(t, sqlite.Config{Dir: dir, WALLimit: 1 << 20})
	stop := make(chan struct{})
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				if err := put(db, fmt.Sprintf("user%d", i), fmt.Sprintf("d%05d %s", n, strings.Repeat("x", 3000))); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range 5 {
		eventuallyGrows(t, db)
		lost := copyFiles(t, dir, "prax.db")
		copied, err := sqlite.Open(context.Background(), sqlite.Config{Dir: lost})
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("refused in more than a sentence: %v", err)
			}
			continue
		}
		if check, err := copied.Pragma("integrity_check"); err != nil || check != "ok" {
			t.Errorf("a torn copy was opened: %.80q, %v", check, err)
		}
		for i := range 4 {
			newest(t, copied, fmt.Sprintf("user%d", i))
		}
		if err := copied.Close(); err != nil {
			t.Errorf("closing the copy: %v", err)
		}
	}
	close(stop)
	group.Wait()
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// eventuallyGrows waits until some more has been written.
func eventuallyGrows(t *testing.T, db *sqlite.DB) {
	t.Helper()
	before := len(newest(t, db, "user0"))
	eventually(t, "documents are added", func() bool { return len(newest(t, db, "user0")) > before })
}

// TestLogIsBounded: readers that come and go without a gap do not make the log grow for ever.
func TestLogIsBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const limit = 4 << 20
	db := opened(t, sqlite.Config{Dir: dir, WALLimit: limit})
	stop := make(chan struct{})
	var readers, writers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				err := db.View(context.Background(), func(tx store.Tx) error {
					_, err := tx.EventsAfter(0, 1)
					return err
				})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	const writes, callers, together = 20_000 / effort, 50, 10
	largest := int64(0)
	for range callers {
		writers.Go(func() {
			for range writes / callers / together {
				err := db.Update(context.Background(), func(tx store.Tx) error {
					for range together {
						tx.AddEvent(store.Event{Kind: store.EventCall, User: "alice", Tool: "memory_remember"})
					}
					return nil
				})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	measured := make(chan struct{})
	go func() {
		defer close(measured)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				if info, err := os.Stat(filepath.Join(dir, "prax.db-wal")); err == nil {
					largest = max(largest, info.Size())
				}
			}
		}
	}()
	writers.Wait()
	close(stop)
	readers.Wait()
	<-measured
	if largest > 8*limit {
		t.Errorf("the log grew to %d bytes, with a limit of %d", largest, limit)
	}
	eventually(t, "the log is emptied when nothing goes on", func() bool {
		info, err := os.Stat(filepath.Join(dir, "prax.db-wal"))
		return err != nil || info.Size() == 0
	})
}
