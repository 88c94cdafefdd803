package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"prax/store"
	"prax/store/sqlite"
)

// TestMoveLog: what a move adds to the log, which is what is written and synced, does not grow with what there is
// already. It is counted in whole pages, so it is the same in each run.
func TestMoveLog(t *testing.T) {
	t.Parallel()
	const most = 2 << 10         // bytes a move, of 64 that share a commit
	const places = 8 * 4096 / 64 // where an index leads to eight users, each may have a page of its own
	if effort > 1 {
		t.Skip("one goroutine counts pages: there is no race to detect, and it would take minutes")
	}
	few, many := logOfMove(t, 2000), logOfMove(t, 20_000)
	t.Logf("%d bytes a move, %d with ten times the instances and events", few, many)
	if few > most || many > most || many*10 > few*11+places*10 {
		t.Errorf("a move adds %d bytes to the log, %d among more, want at most %d and a tenth and %d more", few, many, most, places)
	}
}

// logOfMove is how many bytes a move of one of 64 instances adds to the log, where there are so many instances, and as
// many events.
func logOfMove(t *testing.T, all int) int64 {
	dir := t.TempDir()
	db := opened(t, sqlite.Config{Dir: dir, WALLimit: 1 << 40})
	if _, err := db.Pragma("wal_autocheckpoint = 0"); err != nil { // the log only grows
		t.Fatal(err)
	}
	instances := startAll(t, db, all)
	const rounds = 20
	moving := instances[len(instances)-64:]
	before := logSize(t, dir)
	for range rounds {
		if err := moveAll(db, moving); err != nil {
			t.Fatal(err)
		}
	}
	return (logSize(t, dir) - before) / int64(rounds*len(moving))
}

// startAll starts instances of eight users, in one transaction.
func startAll(t testing.TB, db *sqlite.DB, n int) []store.Instance {
	t.Helper()
	all := make([]store.Instance, n)
	err := db.Update(context.Background(), func(tx store.Tx) error {
		if _, err := tx.PutDefinition(aDefinition()); err != nil {
			return err
		}
		for n := range all {
			i := newInstance(fmt.Sprintf("user%d", n%8), "")
			tx.AddEvent(moveEvent(i))
			tx.AddEvent(moveEvent(i))
			if err := tx.CreateInstance(i, store.Step{Seq: 1, Kind: "start", To: "a", At: i.Created}, nil); err != nil {
				return err
			}
			all[n] = i
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func logSize(t *testing.T, dir string) int64 {
	t.Helper()
	info, err := os.Stat(filepath.Join(dir, "prax.db-wal"))
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// moveAll moves instances in one transaction.
func moveAll(db *sqlite.DB, instances []store.Instance) error {
	return db.Update(context.Background(), func(tx store.Tx) error {
		for n := range instances {
			next, m := moved(instances[n])
			tx.AddEvent(moveEvent(next))
			if err := tx.Move(m); err != nil {
				return err
			}
			instances[n] = next
		}
		return nil
	})
}

// TestMoveAllocations pins what one durable move allocates, from the caller to the disk and back. Most of it is the
// driver's: some for each parameter and each statement.
func TestMoveAllocations(t *testing.T) {
	if effort > 1 {
		t.Skip("the race detector allocates")
	}
	const most = 92
	db := opened(t, sqlite.Config{})
	i, err := startInstance(db, "alice", "")
	if err != nil {
		t.Fatal(err)
	}
	got := testing.AllocsPerRun(200, func() {
		if i, err = move(db, i); err != nil {
			t.Fatal(err)
		}
	})
	if t.Logf("%.0f allocations a move", got); got > most {
		t.Errorf("a move allocates %.0f times, want at most %d", got, most)
	}
}

// BenchmarkMove is one durable move with its event an operation; with more callers more of them share a commit.
func BenchmarkMove(b *testing.B) {
	for _, callers := range []int{1, 8, 64, 256} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			db := benchmarked(b)
			instances := startAll(b, db, callers)
			before := rowsWritten(b, db)
			share(b, callers, func(caller int) (err error) {
				instances[caller], err = move(db, instances[caller])
				return err
			})
			b.StopTimer()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "moves/s")
			b.ReportMetric(float64(rowsWritten(b, db)-before)/float64(b.N), "rows/move")
		})
	}
}

// BenchmarkMoveParts is what the parts of a move cost: its statements and its event in a transaction of many, so that
// the commit counts for little, and a commit alone, which is the disk's.
func BenchmarkMoveParts(b *testing.B) {
	const together = 256
	parts := map[string]func(tx store.Tx, m store.Move) error{
		"statements": func(tx store.Tx, m store.Move) error { return tx.Move(m) },
		"event":      func(tx store.Tx, m store.Move) error { tx.AddEvent(moveEvent(m.Next)); return nil },
		"both":       func(tx store.Tx, m store.Move) error { tx.AddEvent(moveEvent(m.Next)); return tx.Move(m) },
	}
	for name, part := range parts {
		b.Run(name, func(b *testing.B) {
			db := benchmarked(b)
			instances := startAll(b, db, together)
			b.ReportAllocs()
			b.ResetTimer()
			for left := b.N; left > 0; left -= together {
				err := db.Update(context.Background(), func(tx store.Tx) error {
					for n := range instances[:min(left, together)] {
						next, m := moved(instances[n])
						if err := part(tx, m); err != nil {
							return err
						}
						if name != "event" {
							instances[n] = next
						}
					}
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("commit", func(b *testing.B) {
		db := benchmarked(b)
		for b.Loop() {
			if err := put(db, "alice", "x"); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func rowsWritten(b *testing.B, db *sqlite.DB) int64 {
	b.Helper()
	n, err := db.RowsWritten()
	if err != nil {
		b.Fatal(err)
	}
	return n
}
