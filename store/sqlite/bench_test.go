package sqlite_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"prax/auth"
	"prax/store"
	"prax/store/sqlite"
)

// BenchmarkUpdate is one durable document and event an operation; with more callers, of up to eight clients,
// more of them share a commit.
func BenchmarkUpdate(b *testing.B) {
	together(b, []int{1, 16, 64, 256}, func(t store.Tx) error {
		_, err := t.PutDocument(store.Document{User: "alice", Kind: store.Memory, Body: "the deploy of tuesday went well"})
		t.AddEvent(store.Event{Kind: store.EventCall, User: "alice", Tool: "memory_remember", RequestID: "r"})
		return err
	})
}

// BenchmarkEvent is a durable event an operation, without a document: what the writer itself costs.
func BenchmarkEvent(b *testing.B) {
	together(b, []int{1, 64}, func(t store.Tx) error {
		t.AddEvent(store.Event{Kind: store.EventCall, User: "alice", Tool: "memory_remember", RequestID: "r"})
		return nil
	})
}

// together measures an update by each of so many callers.
func together(b *testing.B, callers []int, update func(store.Tx) error) {
	for _, n := range callers {
		b.Run(fmt.Sprintf("callers=%d", n), func(b *testing.B) {
			db := benchmarked(b)
			before := processorTime(b)
			share(b, n, func(caller int) error {
				return db.Update(store.ForClient(context.Background(), fmt.Sprint("client", caller%8)), update)
			})
			b.ReportMetric(float64(processorTime(b)-before)/float64(b.N), "cpu-ns/op")
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "updates/s")
		})
	}
}

// BenchmarkRecord is an audited read an operation, to the disk: of one user, and of many of whom each has
// little in a block. What counts is the processor's time: callers wait for nothing.
func BenchmarkRecord(b *testing.B) {
	for _, users := range []int{1, 1000, 100_000} {
		b.Run(fmt.Sprintf("users=%d", users), func(b *testing.B) {
			db := open(b, sqlite.Config{Dir: b.TempDir()})
			names := make([]string, users)
			for i := range names {
				names[i] = fmt.Sprintf("user%d", i)
			}
			e := store.Event{
				Kind: store.EventCall, Client: "agent", Tool: "memory_recall", Tier: "LOW", RequestID: "0198a5c2e7d04c3f9a1b", Outcome: "ok",
				Remote: "127.0.0.1", Method: "tools/call", Decision: "allowed", Duration: 7123, Registry: 3, Args: strings.Repeat("0123456789abcdef", 4),
			}
			b.ReportAllocs()
			before := processorTime(b)
			for n := 0; b.Loop(); n++ {
				e.User = names[n%users]
				db.Record(e)
			}
			if err := db.Close(); err != nil { // which writes what still waits
				b.Fatal(err)
			}
			b.ReportMetric(float64(processorTime(b)-before)/float64(b.N), "cpu-ns/op")
		})
	}
}

// processorTime is what the process has used.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func BenchmarkDocument(b *testing.B) {
	db := benchmarked(b)
	s := auth.Principal{User: "alice"}.Scope()
	var d store.Document
	err := db.Update(context.Background(), func(t store.Tx) (err error) {
		d, err = t.PutDocument(store.Document{User: "alice", Kind: store.Memory, Body: "text"})
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		err := db.View(context.Background(), func(t store.Tx) error {
			_, err := t.Document(s, d.ID)
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSearch looks among a user's 100,000 documents for words of all frequencies.
func BenchmarkSearch(b *testing.B) {
	db := benchmarked(b)
	const documents, step = 100_000, 5000
	for from := 0; from < documents; from += step {
		err := db.Update(context.Background(), func(t store.Tx) error {
			for i := from; i < from+step; i++ {
				body := fmt.Sprintf("common words of document w%d about topic%d in week%d", i, i%1000, i%52)
				if _, err := t.PutDocument(store.Document{User: "alice", Kind: store.Memory, Body: body}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	s := auth.Principal{User: "alice"}.Scope()
	for _, query := range []string{"common", "common words about", "week7", "topic77", "w77777", "t", "w"} {
		b.Run(query, func(b *testing.B) {
			q := store.Query{Kind: store.Memory, Words: store.QueryWords(query)}
			for b.Loop() {
				err := db.View(context.Background(), func(t store.Tx) error {
					found, err := t.SearchDocuments(s, q)
					if err == nil && len(found) == 0 {
						b.Fatal("nothing found")
					}
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// share lets so many callers do b.N operations together.
func share(b *testing.B, callers int, do func(caller int) error) {
	b.Helper()
	var left atomic.Int64
	left.Store(int64(b.N))
	var group sync.WaitGroup
	b.ReportAllocs()
	b.ResetTimer()
	for caller := range callers {
		group.Go(func() {
			for left.Add(-1) >= 0 {
				if err := do(caller); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
}

func benchmarked(b *testing.B) *sqlite.DB {
	b.Helper()
	db := open(b, sqlite.Config{Dir: b.TempDir()})
	b.Cleanup(func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	})
	return db
}
