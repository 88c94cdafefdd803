package runner

import (
	"bytes"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"prax/store"
)

// FuzzMemo: the engine's bookkeeping that is read is the same once it was stored again.
func FuzzMemo(f *testing.F) {
	for _, text := range []string{`{}`, `{"asked":1,"driven_ns":5,"expired":true,"fires":{"a":1},"hops":2,"whiles":{"b":3}}`, `{"driven_ns":-1}`, `{"driven_ns":9223372036854775807}`, `{"driven_ns":"5"}`, `{"hops":1.5}`, `null`, `[]`, `{"fires":{"":9007199254740993}}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := decodeMemo(text)
		if err != nil {
			return
		}
		stored, err := encodeMemo(m)
		if err != nil {
			if tooMany(m.Asked, m.Hops, m.Fires, m.Whiles) || m.Driven < -1<<53 {
				return // no engine counts so far
			}
			t.Fatalf("%q: %v", text, err)
		}
		again, err := decodeMemo(stored)
		m.Driven = min(m.Driven, 1<<53)
		if diff := cmp.Diff(m, again); err != nil || diff != "" {
			t.Fatalf("%q is stored as %s: %v\n%s", text, stored, err, diff)
		}
	})
}

// tooMany tells whether a count is beyond what JSON keeps.
func tooMany(asked, hops int, counts ...map[string]int) bool {
	beyond := func(n int) bool { return n > 1<<53 || n < -1<<53 }
	for _, m := range counts {
		for _, n := range m {
			if beyond(n) {
				return true
			}
		}
	}
	return beyond(asked) || beyond(hops)
}

// FuzzWork: what an attempt remembers, which decides how a later start goes on with it, is the same once it was stored
// again, and says the same of what was approved.
func FuzzWork(f *testing.F) {
	for _, text := range []string{`{}`, `{"kind":1,"arguments":{"n":1e20},"approved":true,"digest":"d","approver":{"client":"c","user":"u"},"depth":2,"on_enter":true}`, `{"results":[{"output":{"a":1},"took_ms":5,"evidence":[{"kind":"k"}]}],"does":{"argv":["a"]}}`, `{"kind":"x"}`, `{"arguments":[]}`, `null`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		a := store.Attempt{Work: text, Transition: "t", State: "s", Version: 3}
		w, err := readWork(a)
		if err != nil {
			return
		}
		stored, err := encode(w)
		if err != nil {
			return // deeper than anything that is stored
		}
		next := a
		next.Work = stored
		again, err := readWork(next)
		if err != nil {
			t.Fatalf("%q is stored as %s: %v", text, stored, err)
		}
		if twice, err := encode(again); err != nil || string(twice) != string(stored) {
			t.Fatalf("%q is stored as %s, and then as %s: %v", text, stored, twice, err)
		}
		before, after := w.effect(a), again.effect(next)
		if before.Approved != after.Approved || before.Digest != after.Digest || before.Client != after.Client || before.User != after.User || before.Kind != after.Kind || before.Depth != after.Depth || len(before.Results) != len(after.Results) {
			t.Fatalf("%q: %+v became %+v", text, before, after)
		}
	})
}

// FuzzKept: the output that was kept for a mapping that failed is used as it was.
func FuzzKept(f *testing.F) {
	for _, text := range []string{`{"output":{"a":[1,"x"]},"evidence":[{"kind":"k","summary":"s"}],"took_ms":12}`, `{"output":null}`, `{"output":1e20,"digest":"d","approver":{"user":"u"}}`, `{"took_ms":9223372036854775807}`, `{"output":`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var o output
		if json.Unmarshal(text, &o) != nil || o.TookMs < 0 || o.TookMs > int64(100*365*24*time.Hour/time.Millisecond) {
			return
		}
		again := outputOf(o.result())
		if diff := cmp.Diff(o.Output, again.Output); diff != "" || o.TookMs != again.TookMs || len(o.Evidence) != len(again.Evidence) {
			t.Fatalf("%q is used as another:\n%s", text, diff)
		}
		stored, err := encode(again)
		if err != nil {
			return // deeper than anything that is stored
		}
		var read output
		if err := json.Unmarshal(stored, &read); err != nil {
			t.Fatalf("%s: %v", stored, err)
		}
		if diff := cmp.Diff(again.Output, read.Output); diff != "" {
			t.Fatalf("%s is read as another:\n%s", stored, diff)
		}
	})
}

// FuzzInstance: of a row that was damaged either nothing is taken, or a whole instance.
func FuzzInstance(f *testing.F) {
	for _, part := range []string{``, `{}`, `{"a":1e20}`, `null`, `[]`, `{"a":`, `{"hops":"many"}`} {
		f.Add([]byte(part), []byte(`{"x":1}`), []byte(part))
	}
	r := &Runner{forms: newRecent[*form](formBytes)}
	f.Fuzz(func(t *testing.T, input, context, memo []byte) {
		// A row keeps its bytes, those of a fuzzer are used again.
		row := store.Instance{ID: "wf_1", Input: bytes.Clone(input), Context: bytes.Clone(context), Memo: bytes.Clone(memo)}
		form, err := r.form(&row)
		if (form == nil) != (err != nil) {
			t.Fatalf("%q, %q, %q: %v, %v", input, context, memo, form, err)
		}
		if err != nil {
			return
		}
		i := form.instance
		if i.Input == nil || i.Context == nil || len(input) > 0 && jsontext.Value(input).Kind() != '{' {
			t.Fatalf("%q, %q, %q: %+v", input, context, memo, i)
		}
	})
}
