package storetest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/store"
)

func search(t *testing.T, open Opener) {
	t.Run("finds", func(t *testing.T) { t.Parallel(); finds(t, open) })
	t.Run("never syntax", func(t *testing.T) { t.Parallel(); neverSyntax(t, open) })
	t.Run("follows changes", func(t *testing.T) { t.Parallel(); followsChanges(t, open) })
	t.Run("narrows", func(t *testing.T) { t.Parallel(); narrows(t, open) })
	t.Run("candidates", func(t *testing.T) { t.Parallel(); candidates(t, open) })
}

// finds: each text is found by each query beside it, as an only word and among others.
func finds(t *testing.T, open Opener) {
	f := start(t, open)
	tests := []struct {
		text    string
		queries []string
	}{
		{"POL-358 is open", []string{"POL-358", "pol 358", "358", "pol", "po", "p"}},
		{"we don't know", []string{"don't", "dont", "DON’T", "don"}},
		{"either a/b or c", []string{"a/b", "a", "b"}},
		{"Ubuntu 20.04", []string{"20.04", "20", "ubu"}},
		{"x:y", []string{"x:y", "x", "y:"}},
		{"L'École d'été", []string{"ecole", "l'école", "ÉCOLE", "éte"}},
		{"e\u0301cole", []string{"école", "ecole"}},
		{"Straße nach Łódź", []string{"strasse", "STRASSE", "lodz"}},
		{"ΟΔΥΣΣΕΥΣ", []string{"Οδυσσεύς", "οδυσσευς"}},
		{"東京都に住む", []string{"東", "東京", "京都", "東京都", "住"}},
		{"한국어 검색", []string{"국", "한국", "검색"}},
		{"ภาษาไทย", []string{"ไทย", "ษา"}},
		{"हिन्दी में", []string{"हिन्दी", "में"}},
		{"snake_case and C++", []string{"snake_case", "case", "c++"}},
		{"ＦＵＬＬ width", []string{"full"}},
		{"emoji 🦊 fox", []string{"fox", "🦊 fox"}},
	}
	for _, test := range tests {
		d := f.put(memory("alice", test.text))
		for _, query := range test.queries {
			words := store.QueryWords(query)
			if len(words) == 0 {
				t.Errorf("%q has no words", query)
			}
			got := f.search("alice", store.Query{Kind: store.Memory, Words: words, All: true})
			if len(got) == 0 || got[0].ID != d.ID {
				t.Errorf("%q is not found by %q (%v), but %q", test.text, query, words, bodies(got))
			}
		}
	}
}

// neverSyntax: whatever a caller writes is words.
func neverSyntax(t *testing.T, open Opener) {
	f := start(t, open)
	f.put(memory("alice", "plain words OR near and not"))
	for _, query := range []string{
		`"`, `""`, `"plain`, `plain" OR "x`, `*`, `plain*`, `^plain`, `body:plain`, `NEAR(plain, 2)`, `NOT`, `AND OR`,
		`(`, `)`, `plain AND (`, `-plain`, `+`, `{body} : x`, `'; DROP TABLE document; --`, `o1m_plain`, `\`, "\x00", "%", "_",
	} {
		for _, all := range []bool{true, false} {
			f.search("alice", store.Query{Words: store.QueryWords(query), All: all})
		}
	}
	// Words that did not come from QueryWords are no syntax either.
	for _, word := range []string{`"`, `" OR "`, "*", "a b", "", "_"} {
		f.search("alice", store.Query{Words: []store.Word{{Text: word, Prefix: true}, {Text: word}}})
	}
	if got := f.search("alice", store.Query{Words: nil}); len(got) != 0 {
		t.Errorf("no words find %q", bodies(got))
	}
}

// followsChanges: the index is what the documents are now.
func followsChanges(t *testing.T, open Opener) {
	f := start(t, open)
	d := f.put(store.Document{User: "alice", Kind: store.Note, Key: "slug", Title: "heading", Body: "before", Tags: []string{"label"}})
	finds := func(query string) bool {
		return len(f.search("alice", store.Query{Kind: store.Note, Words: store.QueryWords(query)})) > 0
	}
	for _, query := range []string{"slug", "heading", "before", "label"} {
		if !finds(query) {
			t.Errorf("%q is not found", query)
		}
	}
	d.Body, d.Tags = "after", nil
	d = f.put(d)
	if finds("before") || finds("label") || !finds("after") || !finds("heading") {
		t.Error("the index has the words from before the change")
	}
	f.reopen()
	if !finds("after") {
		t.Error("the index is lost by a restart")
	}
	f.must(func(tx store.Tx) error { return tx.DeleteDocument(scope("alice"), d.ID) })
	if finds("after") {
		t.Error("a deleted document is found")
	}
	f.put(store.Document{User: "alice", Kind: store.Note, Body: "successor"})
	if finds("after") || !finds("successor") {
		t.Error("the next document is found by the words of the deleted one")
	}
}

// narrows: kind, namespace, all words or any.
func narrows(t *testing.T, open Opener) {
	f := start(t, open)
	f.put(store.Document{User: "alice", Kind: store.Concept, Namespace: "n1", Body: "red apple"})
	f.put(store.Document{User: "alice", Kind: store.Concept, Namespace: "n2", Body: "green apple"})
	f.put(store.Document{User: "alice", Kind: store.Memory, Body: "red car"})
	f.put(store.Document{User: "alice", Kind: store.Conversation, Key: "user", Body: "blue car"})
	tests := []struct {
		query store.Query
		want  []string
	}{
		{store.Query{Words: store.QueryWords("red"), Kind: store.Concept}, []string{"red apple"}},
		{store.Query{Words: store.QueryWords("red")}, []string{"red car", "red apple"}},
		{store.Query{Words: store.QueryWords("apple"), Kind: store.Concept, Namespace: "n2"}, []string{"green apple"}},
		{store.Query{Words: store.QueryWords("red apple"), Namespace: "n1"}, []string{"red apple"}},
		{store.Query{Words: store.QueryWords("apple"), Namespace: "n3"}, []string{}},
		{store.Query{Words: store.QueryWords("n1")}, []string{}},
		{store.Query{Words: store.QueryWords("red apple"), All: true}, []string{"red apple"}},
		{store.Query{Words: store.QueryWords("green car")}, []string{"blue car", "red car", "green apple"}},
		{store.Query{Words: store.QueryWords("user")}, []string{}},
		{store.Query{Words: []store.Word{{Text: "app"}}}, []string{}},
		{store.Query{Words: store.QueryWords("red"), Kind: "unknown"}, []string{}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, bodies(f.search("alice", test.query))); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", test.query, diff)
		}
	}
}

// candidates: no more than the newest thousand.
func candidates(t *testing.T, open Opener) {
	f := start(t, open)
	const more = store.MaxCandidates + 50
	f.must(func(tx store.Tx) error {
		tx.AddEvent(told)
		for i := range more {
			d := memory("alice", numbered("common w", i))
			d.Namespace = numbered("n", i)
			if _, err := tx.PutDocument(d); err != nil {
				return err
			}
		}
		return nil
	})
	got := f.search("alice", store.Query{Words: store.QueryWords("common")})
	if len(got) != store.MaxCandidates || got[0].Body != numbered("common w", more-1) || got[len(got)-1].Body != numbered("common w", 50) {
		t.Errorf("%d found, want the newest %d", len(got), store.MaxCandidates)
	}
	if all := f.list("alice", store.Filter{Limit: 5000}); len(all) != store.MaxCandidates {
		t.Errorf("%d listed, want %d", len(all), store.MaxCandidates)
	}
	f.look(func(tx store.Tx) error {
		counts, err := tx.Namespaces(scope("alice"), store.Memory)
		if len(counts) != store.MaxCandidates {
			t.Errorf("%d namespaces, want %d", len(counts), store.MaxCandidates)
		}
		return err
	})
}
