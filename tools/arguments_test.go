package tools

import (
	"bytes"
	"errors"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"prax/store/digest"
)

// FuzzArguments: what gets through is an object that has one canonical form, and is decoded as the library does, so that
// what is validated, what is hashed and what a handler reads are the same; what does not is the caller's error.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{"", "null", "{}", " {\"a\":[1,2.5,1e20]} ", `{"a":1}{}`, `{"a":9007199254740993}`, `{"a":-0}`, `{"":1,"a":{"b":null,"c":[true,"x",10]}}`, `{"b":1,"a":1}`, `{"\u0061":"\/"}`, "{\"\U0001F600\":1,\"\uFB33\":2}", "{\"\xff\":1}", `[`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		given, err := readArguments(raw, true)
		found, notFound := readArguments(raw, false)
		if (err == nil) != (notFound == nil) || err != nil && err.Error() != notFound.Error() {
			t.Fatalf("%q: decoded %v, and its members %v", raw, err, notFound)
		}
		if err != nil {
			if !errors.Is(err, ErrArguments) || len(err.Error()) > 2000 {
				t.Fatalf("error %v", err)
			}
			return
		}
		canonical, err := digest.Canonical(given.text)
		if err != nil || canonical[0] != '{' {
			t.Fatalf("%q has no canonical form of an object: %v", given.text, err)
		}
		if given.canonical && !bytes.Equal(canonical, given.text) {
			t.Fatalf("%q is not canonical, but %q", given.text, canonical)
		}
		if found.canonical != given.canonical || !bytes.Equal(found.text, given.text) || len(found.members) != len(given.value) {
			t.Fatalf("%q is %+v decoded, and its members %+v", raw, given, found)
		}
		for _, m := range found.members {
			var value any
			if err := json.Unmarshal(m.Value, &value); err != nil {
				t.Fatalf("%q is %q: %v", m.Name, m.Value, err)
			}
			if decoded, is := given.value[string(m.Name)]; !is || !cmp.Equal(value, decoded) || bytes.TrimSpace(m.Value)[0] != m.Value[0] {
				t.Fatalf("%q is %q, and decoded %v", m.Name, m.Value, decoded)
			}
		}
		var want map[string]any
		if err := json.Unmarshal(given.text, &want); err != nil {
			t.Fatalf("%q: %v", given.text, err)
		}
		if diff := cmp.Diff(want, given.value); diff != "" {
			t.Fatalf("%q was read as (-want +got):\n%s", given.text, diff)
		}
	})
}
