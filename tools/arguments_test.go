package tools

import (
	"errors"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"prax/store/digest"
)

// FuzzArguments: what gets through is an object that has one canonical form, so that what is
// validated, what is hashed and what a handler reads are the same; what does not is the caller's error.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{"", "null", "{}", " {\"a\":[1,2.5,1e20]} ", `{"a":1}{}`, `{"a":9007199254740993}`, `{"a":-0}`, "{\"\xff\":1}", `[`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		given, err := arguments(raw)
		if err != nil {
			if !errors.Is(err, ErrArguments) || len(err.Error()) > 2000 {
				t.Fatalf("error %v", err)
			}
			return
		}
		if given.Kind() != '{' {
			t.Fatalf("%q is no object", given)
		}
		canonical, err := digest.Canonical(given)
		if err != nil {
			t.Fatalf("%q has no canonical form: %v", given, err)
		}
		if again := jsontext.Value(canonical); !again.IsValid() {
			t.Fatalf("canonical form %q", canonical)
		}
	})
}
