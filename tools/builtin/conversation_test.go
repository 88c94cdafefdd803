package builtin_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/store"
)

func line(role, body string, at time.Time) store.Document {
	return store.Document{User: "alice", Kind: store.Conversation, Key: role, Body: body, Created: at, Updated: at}
}

func TestConversationSearch(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	g.put(t,
		line("user", "Is there TEA?", noon.Add(-2*time.Hour)),
		line("assistant", "no\nTea is out\nno\ntea 2\ntea 3\ntea 4\ntea 5\ntea 6", noon.Add(-time.Hour)),
		line("user", "pity", noon))
	text, object := g.good(t, "alice", "conversation_search", `{"query":"tea"}`)
	want := "Found 2 match(es):\n\n**2026-11-29T17:33:07Z**\n[ASSISTANT] Tea is out\ntea 2\ntea 3\ntea 4\ntea 5\n---\n**2026-11-29T16:33:07Z**\n[USER] Is there TEA?"
	if text != want {
		t.Errorf("text %q, want %q", text, want)
	}
	items := object["items"].([]any)
	for _, item := range items {
		if id, _ := item.(map[string]any)["id"].(string); len(id) != 26 {
			t.Errorf("id %q", id)
		}
		delete(item.(map[string]any), "id")
	}
	if diff := cmp.Diff([]any{
		map[string]any{"at": "2026-11-29T17:33:07Z", "role": "assistant", "text": "Tea is out\ntea 2\ntea 3\ntea 4\ntea 5"},
		map[string]any{"at": "2026-11-29T16:33:07Z", "role": "user", "text": "Is there TEA?"},
	}, items); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
	for query, count := range map[string]float64{"": 3, "ea i": 1, "there tea?": 1, "tea there": 0, "EA": 2, "out\nno": 1, "*": 0} {
		if said, object := g.good(t, "alice", "conversation_search", `{"query":`+quote(query)+`}`); object["count"] != count {
			t.Errorf("%q: %v, want %v: %s", query, object["count"], count, said)
		}
	}
}

func TestConversationExcerptsAreShort(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	g.put(t, line("user", strings.Repeat("é", 10_000), noon))
	_, object := g.good(t, "alice", "conversation_search", `{"query":"é"}`)
	got, _ := object["items"].([]any)[0].(map[string]any)["text"].(string)
	if want := strings.Repeat("é", 500) + "..."; got != want {
		t.Errorf("excerpt of %d bytes", len(got))
	}
}

// TestConversationsReachFarBack: words find what is older than the newest thousand lines, once, and
// behind what is newer.
func TestConversationsReachFarBack(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	docs := []store.Document{line("user", "the Needle of old", noon)}
	for i := range store.MaxCandidates + 50 {
		docs = append(docs, line("user", fmt.Sprint("hay ", i), noon))
	}
	docs = append(docs, line("user", "another needle", noon))
	g.put(t, docs...)
	_, object := g.good(t, "alice", "conversation_search", `{"query":"needle"}`)
	var got []any
	for _, item := range object["items"].([]any) {
		got = append(got, item.(map[string]any)["text"])
	}
	if diff := cmp.Diff([]any{"another needle", "the Needle of old"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestConversationAppend(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	long := strings.Repeat("é", 120)
	for _, role := range []string{"user", "assistant", "tool"} {
		body := role + " said\n" + long
		g.expect(t, "alice", "conversation_append", `{"role":"`+role+`","content":`+quote(body)+`}`,
			"Appended (id=ID): ["+strings.ToUpper(role)+"] "+string([]rune(body)[:100]),
			map[string]any{"at": at, "role": role, "content": body, "source": "alice-agent"})
	}
	said, object := g.good(t, "alice", "conversation_search", `{"query":"TOOL SAID"}`)
	if want := "Found 1 match(es):\n\n**" + at + "**\n[TOOL] tool said"; said != want || object["count"] != 1.0 {
		t.Errorf("%q, want %q", said, want)
	}
	if _, object := g.good(t, "alice", "conversation_search", `{"query":"said"}`); object["count"] != 3.0 {
		t.Errorf("%v lines", object["count"])
	}
}
