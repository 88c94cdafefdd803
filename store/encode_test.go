package store_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"prax/store"
)

// FuzzEncodeEvent: an event is encoded as the library would.
func FuzzEncodeEvent(f *testing.F) {
	f.Add(int64(1), uint64(0), "call", "alice", "", "ff00")
	f.Add(int64(-1), uint64(1<<63), "bl\"ock", "<b>&\\\u2028", `{"a":[1,"\u0041",1.50]}`, "\xff\x00\x7f")
	f.Fuzz(func(t *testing.T, n int64, registry uint64, kind, user, detail, text string) {
		call := store.Event{
			At: time.UnixMilli(n), Kind: store.EventKind(kind), RequestID: text, Client: text, User: user, Remote: text,
			Tool: text, Tier: text, Method: text, Decision: text, Outcome: text, Code: text, Duration: time.Duration(n),
			Args: text, Registry: registry, Detail: detail,
		}
		other := store.Event{At: time.UnixMilli(-n), Kind: store.EventCall, User: text, Client: user}
		block := store.Event{At: time.UnixMilli(n), Kind: store.EventBlock, Detail: detail, Calls: []store.Event{call, other, call}}
		for _, e := range []store.Event{call, other, block} {
			linked := e.Normal().Link(n&0xffff, store.SafeString(text))
			want, err := store.MarshalEvent(linked)
			if got := store.EncodeEvent(linked); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%v\n got %s\nwant %s", err, got, want)
			}
		}
	})
}

// TestBlock: a block that was gathered call by call is the event that has the same calls, and leads the
// same users to the same of them.
func TestBlock(t *testing.T) {
	t.Parallel()
	var b store.Block
	var sealer store.Sealer
	rapid.Check(t, func(r *rapid.T) {
		b.Reset()
		event := store.Event{At: time.UnixMilli(7), Kind: store.EventBlock}
		for range rapid.IntRange(0, 9).Draw(r, "calls") {
			call := drawEvent(r, false)
			call.Kind = rapid.SampledFrom([]store.EventKind{store.EventCall, store.EventWorkflow, "other"}).Draw(r, "kind")
			event.Calls = append(event.Calls, call)
			b.Add(&call)
		}
		event = event.Normal()
		if got, want := b.Len(), len(event.Calls); got != want {
			r.Fatalf("%d calls, want %d", got, want)
		}
		shares := b.Shares()
		if diff := cmp.Diff(event.Shares(), shares); len(shares) > 0 && diff != "" {
			r.Fatalf("shares (-event +block):\n%s", diff)
		}
		var calls []store.Event
		for _, share := range shares {
			of, err := store.DecodeCalls([]byte(share.Calls))
			if err != nil {
				r.Fatal(err)
			}
			for _, call := range of {
				if call.User != share.User || (call.Kind == store.EventWorkflow) != share.Workflow {
					r.Fatalf("%q, workflow %t, is led to %+v", share.User, share.Workflow, call)
				}
			}
			calls = append(calls, of...)
		}
		if diff := cmp.Diff(event.Calls, calls); len(calls) > 0 && diff != "" {
			r.Fatalf("calls (-event +block):\n%s", diff)
		}
		callsOfEach(r, shares)
		linked := event.Link(3, "aa")
		sealed := sealer.Seal(store.Event{At: event.At, Kind: event.Kind}, shares, 3, "aa")
		linked.Calls = nil
		whole := linked
		whole.Hash = ""
		if sealed.Hash != linked.Hash || sealed.Body != string(store.EncodeEvent(whole)) || !slices.Equal(sealed.Shares, shares) {
			r.Fatalf("sealed as %+v, linked as %+v", sealed, linked)
		}
	})
}

// callsOfEach takes the calls of each user out of those of all.
func callsOfEach(r *rapid.T, shares []store.Share) {
	var all []string
	own, counts := map[string]string{}, map[string]int{}
	for _, share := range shares {
		inner := share.Calls[1 : len(share.Calls)-1]
		all = append(all, inner)
		own[share.User] = strings.TrimPrefix(own[share.User]+","+inner, ",")
		of, _ := store.DecodeCalls([]byte(share.Calls))
		counts[share.User] += len(of)
	}
	own["nobody of them"], own[""], counts[""] = "", "", 0
	for user, want := range own {
		got, n, err := store.CallsOf([]byte("["+strings.Join(all, ",")+"]"), user)
		if err != nil || n != counts[user] || got != "["+want+"]" {
			r.Fatalf("calls of %q: %d, %s, %v, want %d, [%s]", user, n, got, err, counts[user], want)
		}
	}
}

// TestRecordedCallAllocates nothing, once the block has its memory: there is one with each audited read.
func TestRecordedCallAllocates(t *testing.T) {
	e := echoed()
	var b store.Block
	add := func() {
		if b.Len() == 512 {
			b.Reset()
		}
		call := e
		b.Add(&call)
	}
	for range 600 {
		add()
	}
	if n := testing.AllocsPerRun(2000, add); n != 0 {
		t.Errorf("%v allocations a recorded call", n)
	}
}

// echoed is the event of a read as a server records it.
func echoed() store.Event {
	return store.Event{
		At: time.UnixMilli(1794000000123), Kind: store.EventCall, RequestID: "0198a5c2e7d04c3f9a1b", Client: "agent-04711", User: "user-04711",
		Remote: "127.0.0.1", Tool: "memory_recall", Tier: "LOW", Method: "tools/call", Decision: "allowed", Outcome: "ok",
		Duration: 7123, Registry: 3, Args: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
	}
}

// BenchmarkBlock is a block of 512 calls of some users, from the first to the hash.
func BenchmarkBlock(b *testing.B) {
	var block store.Block
	var sealer store.Sealer
	e := echoed()
	users := []string{"alice", "bob", "carol", "dave"}
	b.ReportAllocs()
	for b.Loop() {
		block.Reset()
		for i := range 512 {
			call := e
			call.User = users[i%len(users)]
			block.Add(&call)
		}
		sealer.Seal(store.Event{Kind: store.EventBlock}, block.Shares(), 1, "")
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/512, "ns/call")
}
