package builtin_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/store"
)

func TestRememberAndRecall(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	long := strings.Repeat("é", 120)
	text, made := g.good(t, "alice", "memory_remember", `{"content":"Likes green tea\nand `+long+`","importance":0.85,"tags":" drinks, ,tea "}`)
	id, _ := made["id"].(string)
	if want := "Remembered (id=" + id + "): Likes green tea\nand " + strings.Repeat("é", 80); len(id) != 26 || text != want {
		t.Errorf("text %q, want %q", text, want)
	}
	want := map[string]any{
		"id": id, "content": "Likes green tea\nand " + long, "source": "alice-agent", "importance": 0.85,
		"tags": []any{"drinks", "tea"}, "created_at": "2026-11-29T18:33:07Z",
	}
	if diff := cmp.Diff(want, made); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
	said, found := g.good(t, "alice", "memory_recall", `{"query":"green"}`)
	if want := "- [alice-agent, 2026-11-29, imp=0.8]\n  Likes green tea\n  and " + long; said != want {
		t.Errorf("recall says %q, want %q", said, want)
	}
	if diff := cmp.Diff([]any{want}, found["items"]); diff != "" {
		t.Errorf("recalled (-want +got):\n%s", diff)
	}
	if _, found := g.good(t, "alice", "memory_recall", `{"query":"drinks"}`); found["count"] != 1.0 {
		t.Error("a tag does not find its memory")
	}
}

func TestMemoriesOutliveTheProcess(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	g.good(t, "alice", "memory_remember", `{"content":"still here"}`)
	g.close(t)
	g.open(t)
	if said, found := g.good(t, "alice", "memory_recall", `{"query":"still"}`); found["count"] != 1.0 {
		t.Errorf("after a restart: %s", said)
	}
}

func TestForget(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	_, made := g.good(t, "alice", "memory_remember", `{"content":"tea"}`)
	id := made["id"].(string)
	g.put(t, store.Document{ID: store.NewID(), User: "alice", Kind: store.Conversation, Key: "user", Body: "said"})
	var line string
	if err := g.db.View(t.Context(), func(tx store.Tx) error {
		lines, err := tx.ListDocuments(principal("alice").Scope(), store.Filter{Kind: store.Conversation})
		line = lines[0].ID
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for name, other := range map[string]string{"unknown": store.NewID(), "not a memory": line, "cut": id[:8]} {
		if code, _ := g.refused(t, "alice", "memory_forget", `{"memory_id":"`+other+`"}`); code != "NOT_FOUND" {
			t.Errorf("%s: %s", name, code)
		}
	}
	_, mine := g.refused(t, "bob", "memory_forget", `{"memory_id":"`+id+`"}`)
	_, none := g.refused(t, "bob", "memory_forget", `{"memory_id":"`+store.NewID()+`"}`)
	if mine != none {
		t.Errorf("a foreign memory answers %q, an unknown one %q", mine, none)
	}
	text, object := g.good(t, "alice", "memory_forget", `{"memory_id":" `+id+` "}`)
	if text != "Forgotten (id="+id+")." || object["id"] != id || object["forgotten"] != true {
		t.Errorf("%q, %v", text, object)
	}
	if _, found := g.good(t, "alice", "memory_recall", `{"query":"tea"}`); found["count"] != 0.0 {
		t.Error("a forgotten memory is recalled")
	}
}

// bodies are what a recall of query finds, best first.
func (g *rig) bodies(t *testing.T, query string) []string {
	t.Helper()
	_, found := g.good(t, "alice", "memory_recall", `{"query":`+quote(query)+`,"top_k":20}`)
	var got []string
	for _, item := range found["items"].([]any) {
		got = append(got, item.(map[string]any)["content"].(string))
	}
	return got
}

func TestRanking(t *testing.T) {
	t.Parallel()
	memory := func(body string, importance float64, age time.Duration) store.Document {
		at := noon.Add(-age)
		return store.Document{User: "alice", Kind: store.Memory, Body: body, Importance: importance, Created: at, Updated: at}
	}
	const week = 7 * 24 * time.Hour
	for _, tt := range []struct {
		name  string
		docs  []store.Document
		query string
		want  []string
	}{
		{"more of the words", []store.Document{memory("green tea", 0.5, 0), memory("black tea", 0.5, 0), memory("blue sky", 0.5, 0)}, "green tea", []string{"green tea", "black tea"}},
		{"the rarer word", []store.Document{memory("tea one", 0.5, 0), memory("tea two", 0.5, 0), memory("tea three", 0.5, 0), memory("rooibos four", 0.5, 0)},
			"tea rooibos", []string{"rooibos four", "tea three", "tea two", "tea one"}},
		{"the shorter text", []store.Document{memory("tea and very much else besides it", 0.5, 0), memory("tea only", 0.5, 0)}, "tea", []string{"tea only", "tea and very much else besides it"}},
		{"importance", []store.Document{memory("tea minor", 0, 0), memory("tea vital", 1, 0)}, "tea", []string{"tea vital", "tea minor"}},
		{"age", []store.Document{memory("tea now", 0.5, 0), memory("tea then", 0.5, week)}, "tea", []string{"tea now", "tea then"}},
		{"importance 1 of a week ago against 0.4 of now", []store.Document{memory("tea vital", 1, week), memory("tea today", 0.4, 0)}, "tea", []string{"tea today", "tea vital"}},
		{"importance 1 of a week ago against 0.2 of now", []store.Document{memory("tea today", 0.2, 0), memory("tea vital", 1, week)}, "tea", []string{"tea vital", "tea today"}},
		{"a time to come is now", []store.Document{memory("tea soon", 0.5, -week), memory("tea vital", 0.6, 0)}, "tea", []string{"tea vital", "tea soon"}},
		{"a prefix", []store.Document{memory("teapot", 0.5, 0)}, "tea", []string{"teapot"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := newRig(t)
			for i := range tt.docs {
				tt.docs[i].ID = store.NewID()
			}
			g.put(t, tt.docs...)
			got := g.bodies(t, tt.query)
			if tt.name == "the rarer word" {
				got, tt.want = got[:1], tt.want[:1] // the rest are equals: see TestRankIsOneOrder
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("order (-want +got):\n%s", diff)
			}
		})
	}
}
