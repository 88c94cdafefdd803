package storetest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/store"
)

func events(t *testing.T, open Opener) {
	t.Run("chain", func(t *testing.T) { t.Parallel(); chain(t, open) })
	t.Run("record", func(t *testing.T) { t.Parallel(); record(t, open) })
	t.Run("bounds", func(t *testing.T) { t.Parallel(); bounds(t, open) })
	t.Run("many traces", func(t *testing.T) { t.Parallel(); manyTraces(t, open) })
}

// chain is every event, oldest first.
func (f *fixture) chain() []store.Event {
	f.Helper()
	var all []store.Event
	f.look(func(tx store.Tx) error {
		for {
			var after int64
			if n := len(all); n > 0 {
				after = all[n-1].Seq
			}
			more, err := tx.EventsAfter(after, 97)
			if err != nil || len(more) == 0 {
				return err
			}
			all = append(all, more...)
		}
	})
	return all
}

// told is every event, those in blocks one by one.
func (f *fixture) told() (all []store.Event) {
	for _, e := range f.chain() {
		all = append(all, e.All()...)
	}
	return all
}

// chain: events are numbered and linked in the order of their commits, and read back whole.
func chain(t *testing.T, open Opener) {
	f := start(t, open)
	f.look(func(tx store.Tx) error {
		if _, err := tx.LastEvent(); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("last event of an empty chain: %v", err)
		}
		return nil
	})
	want := store.Event{
		At: time.UnixMilli(1_700_000_000_123).UTC(), Kind: store.EventCall, RequestID: "r0", Client: "agent", User: "alice",
		Remote: "100.64.0.1", Tool: "memory_remember", Tier: "medium", Method: "tools/call", Decision: "allowed",
		Outcome: "error", Code: "CONFLICT", Duration: 1234567, Args: strings.Repeat("ab", 32), Registry: 17,
	}
	reload := store.Event{Kind: store.EventReload, At: want.At, Detail: `{ "b": [1, "x"], "a": null }`}
	f.must(func(tx store.Tx) error {
		tx.AddEvent(want)
		tx.AddEvent(reload)
		return nil
	})
	for i := range 20 {
		f.must(func(tx store.Tx) error {
			tx.AddEvent(store.Event{Kind: store.EventServer, RequestID: numbered("s", i)})
			return nil
		})
	}
	f.reopen()
	all := f.chain()
	if len(all) != 22 {
		t.Fatalf("%d events, want 22", len(all))
	}
	reload.Detail = `{"a":null,"b":[1,"x"]}`
	for i, wanted := range []store.Event{want, reload} {
		wanted.Chain, wanted.Seq, wanted.Prev, wanted.Hash = store.MainChain, all[i].Seq, all[i].Prev, all[i].Hash
		if diff := cmp.Diff(wanted, all[i]); diff != "" {
			t.Errorf("event %d (-want +got):\n%s", i, diff)
		}
	}
	prev := ""
	for i, e := range all {
		if e.Seq != int64(i+1) || e.Prev != prev || len(e.Hash) != 64 || e.At.IsZero() {
			t.Errorf("event %d is %+v, after %q", i, e, prev)
		}
		prev = e.Hash
	}
	f.look(func(tx store.Tx) error {
		last, err := tx.LastEvent()
		if diff := cmp.Diff(all[21], last); diff != "" {
			t.Errorf("last event (-want +got):\n%s", diff)
		}
		return err
	})
}

// record: recorded events reach the chain within moments and by Close, each once, in blocks.
func record(t *testing.T, open Opener) {
	f := start(t, open)
	f.Record(store.Event{Kind: store.EventCall, User: "alice", RequestID: "early", Tool: "x"})
	f.eventually("the recorded event is in the chain", func() bool { return len(f.chain()) == 1 })
	const n = 1500
	for i := range n {
		user := []string{"alice", "bob", ""}[i%3]
		f.Record(store.Event{Kind: store.EventCall, User: user, RequestID: numbered("r", i), Tool: "x"})
	}
	f.reopen()
	seen := map[string]int{}
	for _, e := range f.chain() {
		if e.Kind != store.EventBlock {
			t.Errorf("recorded event stands as %q", e.Kind)
		}
		for _, call := range e.Calls {
			seen[call.RequestID]++
			if call.Seq != 0 || call.Hash != "" || call.At.IsZero() {
				t.Errorf("call in a block: %+v", call)
			}
		}
	}
	for i := range n {
		if seen[numbered("r", i)] != 1 {
			t.Errorf("%s is in the chain %d times", numbered("r", i), seen[numbered("r", i)])
		}
	}
	f.look(func(tx store.Tx) error {
		trace, err := tx.Trace(scope("bob"), numbered("r", 1))
		if err != nil || trace.User != "bob" || trace.Block == 0 {
			t.Errorf("trace: %+v, %v", trace, err)
		}
		last := ""
		return errors.Join(err, tx.Traces(scope("alice"), func(trace store.Trace) bool {
			if last != "" && last != "early" && trace.RequestID != "early" && trace.RequestID >= last {
				t.Errorf("%s after %s: not newest first", trace.RequestID, last)
			}
			last = trace.RequestID
			return true
		}))
	})
}

// bounds: what a caller wrote into an event is short, one line and printable when it is kept.
func bounds(t *testing.T, open Opener) {
	f := start(t, open)
	wild := strings.Repeat("x\n\x1b[31m\u202e", 100) + "\xff"
	f.must(func(tx store.Tx) error {
		tx.AddEvent(store.Event{
			Kind: store.EventCall, RequestID: wild, Client: wild, Remote: wild, Tool: wild, Method: wild,
			Code: wild, Args: wild, User: "alice\xff", Detail: wild, Registry: 1 << 63, Duration: 1 << 62,
		})
		return nil
	})
	e := f.chain()[0]
	for _, s := range []string{e.RequestID, e.Client, e.Remote, e.Tool, e.Method, e.Code, e.Args} {
		if s != store.SafeString(s) || s == "" {
			t.Errorf("%q is kept", s)
		}
	}
	f.verify()
}

// manyTraces: a walk ends after the newest MaxTraces, in blocks and outside them, and when asked.
func manyTraces(t *testing.T, open Opener) {
	f := start(t, open)
	calls := make([]store.Event, store.MaxTraces)
	for i := range calls {
		calls[i] = store.Event{Kind: store.EventCall, User: "alice", RequestID: numbered("b", i)}
	}
	f.must(func(tx store.Tx) error {
		tx.AddEvent(store.Event{Kind: store.EventBlock, Calls: calls})
		tx.AddEvent(store.Event{Kind: store.EventCall, User: "alice", RequestID: "newest"})
		return nil
	})
	count, first := 0, ""
	f.look(func(tx store.Tx) error {
		err := tx.Traces(scope("alice"), func(trace store.Trace) bool {
			if count++; count == 1 {
				first = trace.RequestID
			}
			return true
		})
		if _, missing := tx.Trace(scope("alice"), numbered("b", 0)); !errors.Is(missing, store.ErrNotFound) {
			t.Errorf("a trace beyond the newest %d: %v", store.MaxTraces, missing)
		}
		return err
	})
	if count != store.MaxTraces || first != "newest" {
		t.Errorf("%d traces, the first %q", count, first)
	}
	f.look(func(tx store.Tx) error {
		count = 0
		return tx.Traces(scope("alice"), func(store.Trace) bool { count++; return count < 3 })
	})
	if count != 3 {
		t.Errorf("%d traces after f said stop at 3", count)
	}
}

// life: health, and what a closed store answers.
func life(t *testing.T, open Opener) {
	s := open(t, t.TempDir())
	ctx := context.Background()
	if err := s.Health(ctx); err != nil {
		t.Errorf("health: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	nothing := func(store.Tx) error { t.Error("a function ran in a closed store"); return nil }
	for name, err := range map[string]error{
		"update": s.Update(ctx, nothing), "view": s.View(ctx, nothing), "health": s.Health(ctx), "close": s.Close(),
	} {
		if !errors.Is(err, store.ErrClosed) {
			t.Errorf("%s of a closed store: %v, want ErrClosed", name, err)
		}
	}
	s.Record(store.Event{Kind: store.EventCall}) // says so in the log, and does no harm
}
