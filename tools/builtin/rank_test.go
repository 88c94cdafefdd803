package builtin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"prax/store"
)

// TestRankIsOneOrder: whatever order a store returns its candidates in, they are ranked alike; none
// is lost or made up; and more importance or less age never moves a document down.
func TestRankIsOneOrder(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		bodies := []string{"tea", "green tea", "tea tea tea", "a long text about tea and other things", "nothing", ""}
		n := rapid.IntRange(0, 12).Draw(t, "n")
		docs := make([]store.Document, n)
		for i := range docs {
			docs[i] = store.Document{
				ID: fmt.Sprintf("%02d", i), Body: rapid.SampledFrom(bodies).Draw(t, "body"),
				Importance: float64(rapid.IntRange(0, 4).Draw(t, "importance")) / 4,
				Updated:    now.Add(-time.Duration(rapid.IntRange(-1, 3).Draw(t, "days")) * 24 * time.Hour),
			}
		}
		ordered := ranked(t, docs, now)
		again := ranked(t, rapid.Permutation(docs).Draw(t, "shuffled"), now)
		if diff := cmp.Diff(ordered, again); diff != "" {
			t.Fatalf("another order of candidates, another ranking:\n%s", diff)
		}
		if len(ordered) != n {
			t.Fatalf("%d of %d documents", len(ordered), n)
		}
		if n == 0 {
			return
		}
		pick := rapid.IntRange(0, n-1).Draw(t, "pick")
		before := place(ordered, docs[pick].ID)
		docs[pick].Importance = 1
		if docs[pick].Updated.Before(now) {
			docs[pick].Updated = now
		}
		if after := place(ranked(t, docs, now), docs[pick].ID); after > before {
			t.Fatalf("moved from %d to %d", before, after)
		}
	})
}

func ranked(t *rapid.T, docs []store.Document, now time.Time) []store.Document {
	ordered, err := rank(t.Context(), docs, "green tea", now, DefaultHalfLife)
	if err != nil {
		t.Fatal(err)
	}
	return ordered
}

func place(docs []store.Document, id string) int {
	for i, d := range docs {
		if d.ID == id {
			return i
		}
	}
	return -1
}

// TestRankLooksAtTheBeginning: what is behind the bound of a document does not lift it, however often
// it says the words there; and no more than the bound is looked at.
func TestRankLooksAtTheBeginning(t *testing.T) {
	t.Parallel()
	early := store.Document{ID: "1", Body: "green tea " + strings.Repeat("filler ", 9000)}
	late := store.Document{ID: "0", Body: strings.Repeat("filler ", maxRanked/7+1) + strings.Repeat("green tea ", 3000)}
	ordered, err := rank(t.Context(), []store.Document{late, early}, "green tea", time.Time{}, DefaultHalfLife)
	if err != nil || ordered[0].ID != "1" || ordered[1].Body != late.Body {
		t.Errorf("%v, first %s", err, ordered[0].ID)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(0, 40, -1)
		d := store.Document{Title: text.Draw(t, "title"), Key: text.Draw(t, "key"), Body: text.Draw(t, "body"), Tags: rapid.SliceOfN(text, 0, 3).Draw(t, "tags")}
		n := rapid.IntRange(0, 300).Draw(t, "bound")
		all, got := searched(d), searched(beginning(d, n))
		separators := 3 + max(0, len(d.Tags)-1)
		if len(got)-separators > n || len(all)-separators <= n && got != all || !utf8.ValidString(got) {
			t.Fatalf("of %q the first %d bytes are %q", all, n, got)
		}
	})
}

// endsSoon is a context that ends when it was asked a few times.
type endsSoon struct {
	context.Context
	left int
}

func (c *endsSoon) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestRankingEnds: what looks through documents looks at no other one when its context has ended.
func TestRankingEnds(t *testing.T) {
	t.Parallel()
	docs := slices.Repeat([]store.Document{{Body: "green tea"}}, 100)
	looked := 0
	for name, f := range map[string]func(context.Context) error{
		"rank": func(ctx context.Context) error {
			_, err := rank(ctx, docs, "tea", time.Time{}, DefaultHalfLife)
			return err
		},
		"having": func(ctx context.Context) error {
			_, err := having(ctx, docs, "tea", func(d store.Document) string { looked++; return d.Body })
			return err
		},
	} {
		if err := f(&endsSoon{Context: t.Context(), left: 3}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s went on: %v", name, err)
		}
	}
	if looked != 3 {
		t.Errorf("looked at %d documents, want 3", looked)
	}
}

// BenchmarkRank ranks as many of the largest documents as one search returns.
func BenchmarkRank(b *testing.B) {
	var body strings.Builder
	for i := 0; body.Len() < store.MaxDocumentBytes-3; i++ {
		body.WriteRune(rune(0x4e00 + i*7919%20000))
	}
	docs := slices.Repeat([]store.Document{{Body: body.String()}}, store.MaxCandidateBytes/store.MaxDocumentBytes)
	text := string([]rune(docs[0].Body)[:store.MaxQueryWords+1])
	b.ReportAllocs()
	for b.Loop() {
		if _, err := rank(b.Context(), docs, text, time.Time{}, DefaultHalfLife); err != nil {
			b.Fatal(err)
		}
	}
}
