package store_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"prax/store"
	"prax/store/digest"
)

func drawEvent(r *rapid.T, calls bool) store.Event {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "alice", "bob", "\xff", "\u2028", "<&>", "\x00", "\"\\/"}))
	e := store.Event{
		At: time.Unix(0, rapid.Int64().Draw(r, "at")), Kind: store.EventKind(text.Draw(r, "kind")), RequestID: text.Draw(r, "request"),
		Client: text.Draw(r, "client"), User: text.Draw(r, "user"), Remote: text.Draw(r, "remote"), Tool: text.Draw(r, "tool"),
		Tier: text.Draw(r, "tier"), Method: text.Draw(r, "method"), Decision: text.Draw(r, "decision"), Outcome: text.Draw(r, "outcome"),
		Code: text.Draw(r, "code"), Duration: time.Duration(rapid.Int64().Draw(r, "duration")), Args: text.Draw(r, "args"),
		Registry: rapid.Uint64().Draw(r, "registry"),
		Detail:   rapid.OneOf(text, rapid.SampledFrom([]string{`{}`, `{"b":1.50,"a":[null]}`, `{"a":1,"a":2}`, `[1]`, `{"n":9007199254740993}`})).Draw(r, "detail"),
	}
	if calls {
		for range rapid.IntRange(0, 5).Draw(r, "calls") {
			e.Calls = append(e.Calls, drawEvent(r, false))
		}
	}
	return e
}

// TestEncodedEventIsCanonical: what is hashed is what anybody who follows RFC 8785 makes of it,
// and it says everything about the event.
func TestEncodedEventIsCanonical(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		e := drawEvent(r, true).Normal()
		linked := e.Link(rapid.Int64Range(1, 1<<53).Draw(r, "seq"), rapid.SampledFrom([]string{"", "00ff"}).Draw(r, "prev"))
		form := store.EncodeEvent(linked)
		canonical, err := digest.Canonical(form)
		if err != nil || !bytes.Equal(canonical, form) {
			r.Fatalf("%v\n got %s\nwant %s", err, form, canonical)
		}
		back, err := store.DecodeEvent(form)
		if diff := cmp.Diff(linked, back); err != nil || diff != "" {
			r.Fatalf("%v, read back (-want +got):\n%s", err, diff)
		}
		if diff := cmp.Diff(linked, linked.Normal()); diff != "" {
			r.Fatalf("normal twice (-once +twice):\n%s", diff)
		}
	})
}

// TestLinkCoversEverything: two events that differ, or stand elsewhere, have different hashes.
func TestLinkCoversEverything(t *testing.T) {
	t.Parallel()
	base := store.Event{Kind: store.EventBlock, At: time.UnixMilli(5), Calls: []store.Event{{Kind: store.EventCall, User: "alice", Tool: "t"}}}
	seen := map[string]string{}
	for name, change := range map[string]func(*store.Event) (int64, string){
		"base":     func(*store.Event) (int64, string) { return 2, "aa" },
		"seq":      func(*store.Event) (int64, string) { return 3, "aa" },
		"prev":     func(*store.Event) (int64, string) { return 2, "ab" },
		"time":     func(e *store.Event) (int64, string) { e.At = time.UnixMilli(6); return 2, "aa" },
		"outcome":  func(e *store.Event) (int64, string) { e.Outcome = "ok"; return 2, "aa" },
		"duration": func(e *store.Event) (int64, string) { e.Duration = 1; return 2, "aa" },
		"call": func(e *store.Event) (int64, string) {
			e.Calls = []store.Event{{Kind: store.EventCall, User: "alice", Tool: "u"}}
			return 2, "aa"
		},
		"no calls": func(e *store.Event) (int64, string) { e.Calls = nil; return 2, "aa" },
		"detail":   func(e *store.Event) (int64, string) { e.Detail = `{"x":1}`; return 2, "aa" },
	} {
		e := base
		seq, prev := change(&e)
		linked := e.Normal().Link(seq, prev)
		if other, taken := seen[linked.Hash]; taken {
			t.Errorf("%s and %s have one hash", name, other)
		}
		seen[linked.Hash] = name
	}
}

// FuzzDecodeEvent: what is read is written back byte for byte, or refused.
func FuzzDecodeEvent(f *testing.F) {
	for _, text := range []string{`{"at":1,"kind":"call"}`, `{"at":1,"calls":[{"at":2,"kind":"call","user":"a"}],"kind":"block"}`, `{"at":1,"detail":{},"kind":"x"}`, `{"kind":"call","at":1}`, `null`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := store.DecodeEvent(b)
		if err != nil {
			return
		}
		if again := store.EncodeEvent(e); !bytes.Equal(again, b) {
			t.Fatalf("%q became %q", b, again)
		}
	})
}

func TestHead(t *testing.T) {
	t.Parallel()
	k, err := digest.NewKey(bytes.Repeat([]byte{1}, 32))
	if err != nil {
		t.Fatal(err)
	}
	other, err := digest.NewKey(bytes.Repeat([]byte{2}, 32))
	if err != nil {
		t.Fatal(err)
	}
	h, err := store.DecodeHead(store.EncodeHead(store.SignHead(k, 7, "ab", time.UnixMilli(9))))
	if err != nil || !h.Genuine(k.Public()) || h.Genuine(other.Public()) || h.Genuine("") {
		t.Errorf("head %+v, %v: genuine for its key only", h, err)
	}
	for name, change := range map[string]func(*store.Head){
		"count": func(h *store.Head) { h.Count++ }, "hash": func(h *store.Head) { h.Hash = "ac" }, "time": func(h *store.Head) { h.At++ },
		"chain": func(h *store.Head) { h.Chain = "x" }, "signature": func(h *store.Head) { h.Signature = "" },
	} {
		changed := h
		change(&changed)
		if changed.Genuine(k.Public()) {
			t.Errorf("genuine with another %s", name)
		}
	}
}
