package builtin

import (
	"fmt"
	"testing"
	"time"

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
		ordered := rank(docs, "green tea", now, DefaultHalfLife)
		again := rank(rapid.Permutation(docs).Draw(t, "shuffled"), "green tea", now, DefaultHalfLife)
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
		if after := place(rank(docs, "green tea", now, DefaultHalfLife), docs[pick].ID); after > before {
			t.Fatalf("moved from %d to %d", before, after)
		}
	})
}

func place(docs []store.Document, id string) int {
	for i, d := range docs {
		if d.ID == id {
			return i
		}
	}
	return -1
}
