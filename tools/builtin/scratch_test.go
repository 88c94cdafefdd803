package builtin_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// textOf is a text and its object, for comparing both at once.
type textOf struct {
	Text   string
	Object map[string]any
}

// expect calls, and compares the text and the object but for their ids, of which it returns the last.
func (g *rig) expect(t testing.TB, user, tool, arguments, text string, object map[string]any) (id string) {
	t.Helper()
	said, got := g.good(t, user, tool, arguments)
	id = withoutIDs(t, got)
	if id != "" {
		said = strings.ReplaceAll(said, id, "ID")
	}
	if diff := cmp.Diff(textOf{text, object}, textOf{said, got}); diff != "" {
		t.Errorf("%s %s (-want +got):\n%s", tool, arguments, diff)
	}
	return id
}

// withoutIDs takes the ids out of an object or the items of a list; each is a full one.
func withoutIDs(t testing.TB, object map[string]any) (id string) {
	t.Helper()
	members := []any{object}
	if items, list := object["items"].([]any); list {
		members = items
	}
	for _, member := range members {
		m := member.(map[string]any)
		id, _ = m["id"].(string)
		if len(id) != 26 {
			t.Errorf("id %q", id)
		}
		delete(m, "id")
	}
	return id
}

const at = "2026-11-29T18:33:07Z" // noon in results

func entryOf(key, content string, importance, version float64) map[string]any {
	return map[string]any{"key": key, "content": content, "importance": importance, "version": version, "created_at": at, "updated_at": at}
}

func listOf(items ...any) map[string]any {
	if items == nil {
		items = []any{}
	}
	return map[string]any{"items": items, "count": float64(len(items))}
}

func TestScratchpad(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	long := strings.Repeat("é", 120)
	first := g.expect(t, "alice", "memory_stm_write", `{"key":" the  plan ","content":"`+long+`"}`,
		"Saved to scratchpad: [the plan] "+strings.Repeat("é", 100), entryOf("the plan", long, 0.5, 1))
	g.expect(t, "alice", "memory_stm_write", `{"key":"next","content":"call\nback","importance":0.85}`,
		"Saved to scratchpad: [next] call\nback", entryOf("next", "call\nback", 0.85, 1))
	g.expect(t, "alice", "memory_stm_read", `{}`, "[next] (importance=0.8) call\n  back\n[the plan] (importance=0.5) "+long,
		listOf(entryOf("next", "call\nback", 0.85, 1), entryOf("the plan", long, 0.5, 1)))

	// A key is one entry, whoever writes how often; it keeps its id.
	again := g.expect(t, "alice", "memory_stm_write", `{"key":"the plan","content":"short","importance":null}`,
		"Saved to scratchpad: [the plan] short", entryOf("the plan", "short", 0.5, 2))
	if first != again {
		t.Errorf("the entry %s became %s", first, again)
	}
	g.expect(t, "alice", "memory_stm_read", `{"key":"the plan"}`, "[the plan] (importance=0.5) short", listOf(entryOf("the plan", "short", 0.5, 2)))
	g.expect(t, "alice", "memory_stm_delete", `{"key":" the plan"}`, "Deleted scratchpad entry: the plan", entryOf("the plan", "short", 0.5, 2))
	g.expect(t, "alice", "memory_stm_read", ``, "[next] (importance=0.8) call\n  back", listOf(entryOf("next", "call\nback", 0.85, 1)))
	for _, tool := range []string{"memory_stm_read", "memory_stm_delete"} {
		code, text := g.refused(t, "alice", tool, `{"key":"the plan"}`)
		if want := "Tool error: no entry found with key: the plan. List all entries with memory_stm_read and no key."; code != "NOT_FOUND" || text != want {
			t.Errorf("%s: %s %q, want %q", tool, code, text, want)
		}
	}
}

// TestScratchpadIsFull: beyond its entries only new keys are refused, and room is made by removing one.
func TestScratchpadIsFull(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	for i := range 50 {
		g.good(t, "alice", "memory_stm_write", fmt.Sprintf(`{"key":"k%d","content":"x"}`, i))
	}
	code, text := g.refused(t, "alice", "memory_stm_write", `{"key":"more","content":"x"}`)
	want := "Tool error: your scratchpad is full: it has 50 entries. Write over an entry, or remove one with memory_stm_delete; memory_remember keeps what should last."
	if code != "QUOTA_REACHED" || text != want {
		t.Errorf("%s %q, want %q", code, text, want)
	}
	g.good(t, "alice", "memory_stm_write", `{"key":"k0","content":"y"}`)
	g.good(t, "bob", "memory_stm_write", `{"key":"more","content":"x"}`)
	g.good(t, "alice", "memory_stm_delete", `{"key":"k1"}`)
	g.good(t, "alice", "memory_stm_write", `{"key":"more","content":"x"}`)
	if _, object := g.good(t, "alice", "memory_stm_read", ``); object["count"] != 50.0 {
		t.Errorf("%v entries", object["count"])
	}
}
