package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/store"
)

// FuzzDecodeCalls: the calls of a block that are read are the same when they are written and read again, in their order.
func FuzzDecodeCalls(f *testing.F) {
	for _, text := range []string{`[]`, `[{"at":1,"kind":"call","user":"a"},{"at":2,"kind":"workflow","detail":{"x":1}}]`, `[{"kind":"call","calls":[{}]}]`, `null`, `[{"detail":null,"registry":18446744073709551615}]`, `[{"at":1e3}]`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		calls, err := store.DecodeCalls(b)
		if err != nil {
			if calls != nil {
				t.Fatalf("%q is refused, and gives %v", b, calls)
			}
			return
		}
		shares := (&store.Event{Calls: calls}).Shares()
		var again []store.Event
		for _, share := range shares {
			of, err := store.DecodeCalls([]byte(share.Calls))
			if err != nil {
				t.Fatalf("%q: %v", share.Calls, err)
			}
			again = append(again, of...)
		}
		if twice := (&store.Event{Calls: again}).Shares(); !slices.Equal(twice, shares) || len(again) != len(calls) {
			t.Fatalf("%q became %v, and that %v", b, shares, twice)
		}
	})
}

// FuzzNormal: an event is normal once and for all, whatever callers put into it, and has one place in the chain: it is
// read back as it was hashed.
func FuzzNormal(f *testing.F) {
	f.Add("call", "alice", "clock\n", `{"b":1,"a":1e20}`, "\xff", int64(1), int64(-1))
	f.Add("workflow", "\xff", "x", `[1]`, "é", int64(-1), int64(1)<<62)
	f.Fuzz(func(t *testing.T, kind, user, tool, detail, remote string, at, took int64) {
		call := store.Event{Kind: store.EventKind(kind), User: user, Tool: tool, Detail: detail, Remote: remote, At: time.UnixMilli(at % (1 << 47)), Duration: time.Duration(took)}
		e := call
		e.Calls = []store.Event{call, {Kind: store.EventWorkflow, User: user}, {Kind: store.EventCall, User: "other"}}
		e = e.Normal()
		if diff := cmp.Diff(e, e.Normal()); diff != "" {
			t.Fatalf("normal twice:\n%s", diff)
		}
		linked := e.Link(7, "ab")
		line := store.EncodeEvent(linked)
		read, err := store.DecodeEvent(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if again := read.Link(7, "ab"); again.Hash != linked.Hash {
			t.Fatalf("%s has the hash %s, and read again %s", line, linked.Hash, again.Hash)
		}
	})
}

// FuzzSigned: whatever stands where a signed head or anchor is expected, only what this installation signed is genuine.
func FuzzSigned(f *testing.F) {
	k, other := testKey(f, 1), testKey(f, 2)
	head, anchor := store.SignHead(k, 4, "ab", time.UnixMilli(9)), store.SignAnchor(k, 4, "ab", time.UnixMilli(9))
	for _, text := range [][]byte{store.EncodeHead(head), store.EncodeAnchor(anchor), store.EncodeHead(store.SignHead(other, 4, "ab", time.UnixMilli(9))), []byte(`{}`), []byte(`{"kind":"anchor"}`)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if h, err := store.DecodeHead(text); err == nil && h.Genuine(k.Public()) {
			h.PublicKey, h.Signature = head.PublicKey, head.Signature
			if h != head {
				t.Fatalf("%s is genuine", text)
			}
		}
		if a, err := store.DecodeAnchor(text); err == nil && a.Genuine(k.Public()) {
			a.PublicKey, a.Signature = anchor.PublicKey, anchor.Signature
			if a != anchor {
				t.Fatalf("%s is genuine", text)
			}
		}
	})
}
