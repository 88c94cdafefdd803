package lexicon_test

import (
	"errors"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"prax/store"
	"prax/tools/lexicon"
)

// FuzzParseDraft reads whatever a caller sends: what is taken can be stored, and what is refused is a refusal.
func FuzzParseDraft(f *testing.F) {
	for _, text := range []string{
		`{"definition_short":"x","boundedContext":"shop","refs":["a"],"governance":"human-only"}`,
		`{"aliases_add":["a","b"]}`, `{"definition_short":null}`, `{"definition_short":"\u0000"}`, `[`, `{"refs":{}}`, ``,
	} {
		f.Add("term", text)
	}
	f.Fuzz(func(t *testing.T, term, text string) {
		d, err := lexicon.ParseDraft(term, jsontext.Value(text))
		if err != nil {
			var r *lexicon.Refusal
			if !errors.As(err, &r) || r.Code != lexicon.InvalidEntry || len(r.Message) > 1024 || r.Message == "" {
				t.Fatalf("%v", err)
			}
			return
		}
		e := lexicon.Entry{Term: term, Short: d.Short, Refs: d.Refs, Aliases: d.Aliases, Governance: d.Governance}
		if d.Context != nil {
			e.Context = *d.Context
		}
		stored, err := e.JSON()
		if err != nil {
			t.Fatal(err)
		}
		if err := (store.Term{Term: term, User: "u", Entry: stored, Updated: morning}).Check(); err != nil {
			t.Fatalf("%s: %v", stored, err)
		}
		again, err := lexicon.NewEntry(term, stored)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "read again", asJSON(t, e), asJSON(t, again))
	})
}

// FuzzEntry: an entry that is read, as it stands in a configuration or in the store, is the same once it was written and
// read again, with what else was written down, and never has a second name of its term.
func FuzzEntry(f *testing.F) {
	for _, text := range []string{
		`{"definition_short":"x","refs":["a"],"governance":"human-only","owner":{"team":1}}`, `{"term":"other","definition_short":"x"}`, `{"aliases":[],"state":"PENDING_DEFINITION"}`, `{"refs":null}`, `null`, `[]`, `{"x":1e20,"y":"\u0000"}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := lexicon.NewEntry("term", jsontext.Value(text))
		if err != nil {
			return
		}
		if e.Term != "term" || e.Extra["term"] != nil {
			t.Fatalf("%s: %+v", text, e)
		}
		written, err := e.JSON()
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		again, err := lexicon.NewEntry("term", written)
		if err != nil {
			t.Fatalf("%s: %v", written, err)
		}
		equal(t, "read again", asJSON(t, e), asJSON(t, again))
	})
}
