package builtin

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// TestSlugOf: whatever the title, its slug is short, not empty, not what an id looks like, without what
// has a meaning in a path or an URL, and its own slug.
func TestSlugOf(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		title := rapid.OneOf(rapid.String(), rapid.StringMatching(`[0-9a-z]{20,90}`), rapid.StringN(60, 200, -1)).Draw(t, "title")
		slug := slugOf(title)
		switch {
		case slug == "" || len(slug) > maxSlug+len("note-") || !utf8.ValidString(slug):
			t.Fatalf("slug of %d bytes: %q", len(slug), slug)
		case strings.ContainsAny(slug, "/\\.?#%& \n\x00`"):
			t.Fatalf("slug %q", slug)
		case idForm().MatchString(slug):
			t.Fatalf("slug %q looks like an id", slug)
		case strings.HasPrefix(slug, "-") || strings.HasSuffix(slug, "-"):
			t.Fatalf("slug %q", slug)
		}
		if len(slug) <= maxSlug && slugOf(slug) != slug {
			t.Fatalf("the slug of %q is %q", slug, slugOf(slug))
		}
	})
}

// TestSnippet: it is one short line of the text, has the query where the text has it, and says where
// something was left out.
func TestSnippet(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		filler := rapid.StringMatching(`[a-zäß東 \n]{0,200}`)
		query := rapid.StringMatching(`[A-ZÄQ]{1,10}`).Draw(t, "query")
		text := filler.Draw(t, "before") + strings.ToLower(query) + filler.Draw(t, "after")
		got := snippet(text, " "+query+"\t")
		if !strings.Contains(got, strings.ToLower(query)) {
			t.Fatalf("%q is not in %q", query, got)
		}
		if utf8.RuneCountInString(got) > 2*nearby+len(query)+2*len("...") || strings.Contains(got, "\n") {
			t.Fatalf("snippet %q", got)
		}
		inner := strings.TrimSuffix(strings.TrimPrefix(got, "..."), "...")
		if !strings.Contains(line(text), strings.TrimSpace(inner)) {
			t.Fatalf("%q is not of the text", got)
		}
	})
	for _, tt := range []struct{ text, query, want string }{
		{"tea and cups", "zzz cups", "tea and cups"}, {"İstanbul TEA", "tea", "İstanbul TEA"}, {"", "x", ""}, {"\xff tea", "TEA", "\ufffd tea"},
		{strings.Repeat("x", 100), "zzz", strings.Repeat("x", 80) + "..."},
	} {
		if got := snippet(tt.text, tt.query); got != tt.want {
			t.Errorf("%q in %q: %q, want %q", tt.query, tt.text, got, tt.want)
		}
	}
}
