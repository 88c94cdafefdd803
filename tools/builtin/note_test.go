package builtin_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/store"
)

func headingOf(slug, title string, version float64, tags ...any) map[string]any {
	if tags == nil {
		tags = []any{}
	}
	return map[string]any{"slug": slug, "title": title, "tags": tags, "version": version, "created_at": at, "updated_at": at}
}

// with is an object with one more member.
func with(object map[string]any, member string, value any) map[string]any {
	object[member] = value
	return object
}

const noSuchNote = "Tool error: no note of yours has this slug or id. Use note_list or note_search and take the slug from there."

func TestNotes(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	id := g.expect(t, "alice", "note_create", `{"title":" Green  Tea: how? ","content":"# Heat\nwater","tags":" drinks, ,hot  things ","deep_dive":false}`,
		"Note created: **Green Tea: how?** (`green-tea-how`)", with(headingOf("green-tea-how", "Green Tea: how?", 1, "drinks", "hot things"), "content", "# Heat\nwater"))
	g.expect(t, "alice", "note_create", `{"title":"Plain","content":"x"}`, "Note created: **Plain** (`plain`)", with(headingOf("plain", "Plain", 1), "content", "x"))
	for _, ref := range []string{"green-tea-how", " green-tea-how ", id} {
		g.expect(t, "alice", "note_read", `{"note_id":"`+ref+`"}`,
			"**Green Tea: how?** (`green-tea-how`)\nTags: drinks, hot things\nUpdated: "+at+", version 1\n\n# Heat\nwater",
			with(headingOf("green-tea-how", "Green Tea: how?", 1, "drinks", "hot things"), "content", "# Heat\nwater"))
	}
	g.expect(t, "alice", "note_read", `{"note_id":"plain"}`, "**Plain** (`plain`)\nUpdated: "+at+", version 1\n\nx", with(headingOf("plain", "Plain", 1), "content", "x"))
	g.expect(t, "alice", "note_list", ``, "Notes:\n- **Plain** (`plain`) 2026-11-29\n- **Green Tea: how?** (`green-tea-how`) 2026-11-29 [drinks, hot things]",
		listOf(headingOf("plain", "Plain", 1), headingOf("green-tea-how", "Green Tea: how?", 1, "drinks", "hot things")))
}

func TestNoteUpdate(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	id := g.expect(t, "alice", "note_create", `{"title":"Tea","content":"one","tags":"a,b"}`, "Note created: **Tea** (`tea`)", with(headingOf("tea", "Tea", 1, "a", "b"), "content", "one"))
	for i, step := range []struct {
		arguments, title, content string
		tags                      []any
	}{
		{`{"note_id":"tea","content":"two"}`, "Tea", "two", []any{"a", "b"}},
		{`{"note_id":"` + id + `","content":"three","title":" Green\ntea ","tags":"c","version":2}`, "Green tea", "three", []any{"c"}},
		{`{"note_id":"tea","content":"four","title":"","tags":" ","version":0}`, "Green tea", "four", []any{"c"}},
		{`{"note_id":"tea","content":"five","tags":","}`, "Green tea", "five", nil},
	} {
		version := float64(i + 2)
		g.expect(t, "alice", "note_update", step.arguments, "Note updated: **"+step.title+"** (`tea`)", with(headingOf("tea", step.title, version, step.tags...), "content", step.content))
	}
	code, text := g.refused(t, "alice", "note_update", `{"note_id":"tea","content":"lost","version":4}`)
	want := "Tool error: the note has version 5 by now, not 4: nothing was changed. Read it with note_read, bring your change in, and update that version."
	if code != "CONFLICT" || text != want {
		t.Errorf("%s %q, want %q", code, text, want)
	}
	if _, object := g.good(t, "alice", "note_read", `{"note_id":"tea"}`); object["content"] != "five" || object["version"] != 5.0 {
		t.Errorf("a refused update changed %v", object)
	}
	if _, object := g.good(t, "alice", "note_search", `{"query":"one"}`); object["count"] != 0.0 {
		t.Error("a text that was replaced is found")
	}
}

func TestNoteDelete(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	g.good(t, "alice", "note_create", `{"title":"Tea","content":"x","tags":"a"}`)
	g.expect(t, "alice", "note_delete", `{"note_id":"tea"}`, "Note deleted: **Tea** (`tea`)", headingOf("tea", "Tea", 1, "a"))
	if _, object := g.good(t, "alice", "note_list", ``); object["count"] != 0.0 {
		t.Error("a deleted note is listed")
	}
}

// TestNoSuchNote: a note that was never there, one that was deleted, one of somebody else by slug and by
// id, and a document that is no note give one answer, and nothing changes.
func TestNoSuchNote(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	_, bobs := g.good(t, "bob", "note_create", `{"title":"Secret","content":"bob's"}`)
	_, memory := g.good(t, "alice", "memory_remember", `{"content":"x"}`)
	g.good(t, "alice", "note_create", `{"title":"Gone","content":"x"}`)
	g.good(t, "alice", "note_delete", `{"note_id":"gone"}`)
	for _, ref := range []any{"nothing", store.NewID(), "gone", "secret", bobs["id"], memory["id"]} {
		for tool, more := range map[string]string{"note_read": "", "note_update": `,"content":"taken over"`, "note_delete": ""} {
			if code, text := g.refused(t, "alice", tool, fmt.Sprintf(`{"note_id":"%s"%s}`, ref, more)); code != "NOT_FOUND" || text != noSuchNote {
				t.Errorf("%s %s: %s %q", tool, ref, code, text)
			}
		}
	}
	if _, object := g.good(t, "bob", "note_read", `{"note_id":"secret"}`); object["content"] != "bob's" || object["version"] != 1.0 {
		t.Errorf("bob's note is %v", object)
	}
}

// TestSlugs: short names of titles, a further one for each further note of a title, whoever else has one.
func TestSlugs(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	for _, tt := range []struct{ title, slug string }{
		{"Tea", "tea"}, {"tea!", "tea-2"}, {"TEA", "tea-3"}, {"Tea 2", "tea-2-2"}, {"tea", "tea-4"}, {"tea", "tea-5"},
		{"Crème brûlée – 20.04", "crème-brûlée-20-04"}, {"東京 の 茶", "東京-の-茶"}, {"../../etc/passwd", "etc-passwd"},
		{"🙂", "note"}, {"***", "note-2"}, {"0123456789abcdefghijklmnop", "note-0123456789abcdefghijklmnop"},
		{strings.Repeat("word ", 30), strings.TrimSuffix(strings.Repeat("word-", 16), "-")}, {strings.Repeat("é", 100), strings.Repeat("é", 40)},
	} {
		if _, object := g.good(t, "alice", "note_create", `{"title":`+quote(tt.title)+`,"content":"x"}`); object["slug"] != tt.slug {
			t.Errorf("%q: %q, want %q", tt.title, object["slug"], tt.slug)
		}
	}
	if _, object := g.good(t, "bob", "note_create", `{"title":"Tea","content":"x"}`); object["slug"] != "tea" {
		t.Errorf("bob's first is %q", object["slug"])
	}
	g.good(t, "alice", "note_delete", `{"note_id":"tea-3"}`)
	seen := map[any]bool{}
	for range 20 {
		_, object := g.good(t, "alice", "note_create", `{"title":"Tea","content":"x"}`)
		if seen[object["slug"]] || !strings.HasPrefix(object["slug"].(string), "tea-") {
			t.Errorf("slug %q", object["slug"])
		}
		seen[object["slug"]] = true
	}
}

func TestNoteSearch(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	before, after := strings.Repeat("b", 200)+"\n", "\n"+strings.Repeat("a", 200)
	for _, n := range [][3]string{
		{"Drinks", before + "green TEA here" + after, ""},
		{"Teapots", "porcelain", ""},
		{"Shelves", "where the cups are", "tea things"},
		{"Other", "nothing of it", ""},
	} {
		g.good(t, "alice", "note_create", `{"title":`+quote(n[0])+`,"content":`+quote(n[1])+`,"tags":`+quote(n[2])+`}`)
	}
	snippet := "..." + strings.Repeat("b", 79) + " green TEA here " + strings.Repeat("a", 74) + "..."
	g.expect(t, "alice", "note_search", `{"query":" green tea ","max_results":1}`, "- **Drinks** (`drinks`)\n  "+snippet, listOf(with(headingOf("drinks", "Drinks", 1), "snippet", snippet)))
	for query, want := range map[string][]string{
		"tea": {"drinks", "shelves", "teapots"}, "porcelain": {"teapots"}, "orcelai": {"teapots"}, "cups porcelain": {"shelves", "teapots"}, "zzz": nil, "%": nil,
	} {
		_, object := g.good(t, "alice", "note_search", `{"query":`+quote(query)+`}`)
		var got []string
		for _, item := range object["items"].([]any) {
			got = append(got, item.(map[string]any)["slug"].(string))
		}
		if diff := cmp.Diff(want, got, sorted); diff != "" {
			t.Errorf("%q (-want +got):\n%s", query, diff)
		}
	}
}

// TestNoteListIsBounded: at most 200, even where each is as large as can be, and the text says that
// there are more.
func TestNoteListIsBounded(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	tags := make([]string, 32)
	for i := range tags {
		tags[i] = fmt.Sprintf("%064d", i)
	}
	for i := range 200 {
		g.put(t, store.Document{User: "alice", Kind: store.Note, Key: fmt.Sprint("n", i), Title: strings.Repeat("é", 200), Tags: tags})
	}
	more := "\nOlder ones are not shown: note_search finds them."
	if said, object := g.good(t, "alice", "note_list", ``); object["count"] != 200.0 || strings.Contains(said, more) {
		t.Errorf("%v notes of 200, text %.100q", object["count"], said)
	}
	g.put(t, store.Document{User: "alice", Kind: store.Note, Key: "last", Title: "Last"})
	said, object := g.good(t, "alice", "note_list", ``)
	if object["count"] != 200.0 || !strings.HasPrefix(said, "Notes:\n- **Last** (`last`)") || !strings.HasSuffix(said, more) {
		t.Errorf("%v notes of 201, text %.100q", object["count"], said)
	}
}
