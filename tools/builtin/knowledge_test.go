package builtin_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/store"
)

func TestKnowledge(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	long := strings.Repeat("d", 101)
	g.put(t,
		store.Document{ID: strings.Repeat("a", 26), User: "alice", Kind: store.Concept, Namespace: "drinks", Key: "green tea", Title: "Green Tea", Body: long, Source: "a book", SourceType: "manual", Importance: 0.5},
		store.Document{User: "alice", Kind: store.Concept, Namespace: "drinks", Key: "coffee", Title: "Coffee", Body: "black", Importance: 0.5},
		store.Document{User: "alice", Kind: store.Concept, Namespace: "places", Key: "tea house", Body: "where one drinks it", Importance: 1})
	text, object := g.good(t, "alice", "knowledge_search", `{"query":"green","namespace":" drinks "}`)
	if want := "- **Green Tea** [drinks] (importance=0.5, source=manual)\n  " + long[:100] + "..."; text != want {
		t.Errorf("text %q, want %q", text, want)
	}
	want := map[string]any{"count": 1.0, "items": []any{map[string]any{
		"id": strings.Repeat("a", 26), "namespace": "drinks", "name": "green tea", "display_name": "Green Tea", "description": long,
		"source": "a book", "source_type": "manual", "importance": 0.5, "updated_at": "2026-11-29T18:33:07Z",
	}}}
	if diff := cmp.Diff(want, object); diff != "" {
		t.Errorf("object (-want +got):\n%s", diff)
	}
	for query, count := range map[string]float64{
		`{"query":"tea"}`: 2, `{"query":"tea","namespace":"places"}`: 1, `{"query":"TEA","namespace":null}`: 2, `{"query":"tea","namespace":"none"}`: 0,
		`{"query":"ree"}`: 1, `{"query":"nothing of it"}`: 1,
	} {
		if said, object := g.good(t, "alice", "knowledge_search", query); object["count"] != count {
			t.Errorf("%s: %v, want %v: %s", query, object["count"], count, said)
		}
	}
	text, object = g.good(t, "alice", "knowledge_namespaces", "")
	if want := "Knowledge namespaces:\n  - **drinks**: 2 concepts\n  - **places**: 1 concepts"; text != want {
		t.Errorf("text %q, want %q", text, want)
	}
	want = map[string]any{"count": 2.0, "items": []any{
		map[string]any{"namespace": "drinks", "concepts": 2.0}, map[string]any{"namespace": "places", "concepts": 1.0},
	}}
	if diff := cmp.Diff(want, object); diff != "" {
		t.Errorf("namespaces (-want +got):\n%s", diff)
	}
}
