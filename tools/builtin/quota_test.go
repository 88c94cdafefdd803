package builtin_test

import (
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"prax/store"
)

const overQuota = "Tool error: your quota is reached, nothing was stored: a user keeps at most 100000 documents of 64 KiB each, 1024 MiB together. " +
	"Remove what is no longer needed with todo_remove or memory_stm_delete, or ask the operator to delete memories, notes or concepts."

// TestQuota: every tool that adds says what the user can do when there is no more room, adds nothing,
// leaves others their room, and works again once there is some.
func TestQuota(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		what  string
		quota store.Quota
		fill  [2]string
	}{
		{"documents", store.Quota{Documents: 1}, [2]string{"todo_add", `{"task":"x"}`}},
		{"bytes", store.Quota{Bytes: 10}, [2]string{"todo_add", `{"task":"0123456789"}`}},
	} {
		t.Run(tt.what, func(t *testing.T) {
			t.Parallel()
			g := newRig(t, func(g *rig) { g.quota = tt.quota })
			g.good(t, "alice", tt.fill[0], tt.fill[1])
			adding := [][2]string{
				{"memory_remember", `{"content":"x"}`}, {"memory_stm_write", `{"key":"k","content":"x"}`}, {"knowledge_add", `{"concept":"c","description":"x"}`},
				{"note_create", `{"title":"t","content":"x"}`}, {"conversation_append", `{"role":"user","content":"x"}`}, {"todo_add", `{"task":"x"}`},
			}
			for _, add := range adding {
				if code, text := g.refused(t, "alice", add[0], add[1]); code != "QUOTA_REACHED" || text != overQuota {
					t.Errorf("%s: %s %q", add[0], code, text)
				}
			}
			if _, object := g.good(t, "alice", "todo_list", ``); object["count"] != 1.0 {
				t.Errorf("%v todos", object["count"])
			}
			for i, add := range adding {
				user := string(rune('a' + i))
				g.good(t, user, add[0], add[1])
			}
			g.good(t, "alice", "todo_remove", `{"item_ids":[1]}`)
			if _, object := g.good(t, "alice", "todo_add", `{"task":"x"}`); object["number"] != 2.0 {
				t.Errorf("a number was lost or given twice: %v", object)
			}
		})
	}
}

// TestQuotaOfWhatGrows: a change that makes a document larger than there is room for is refused too, and
// leaves it as it was.
func TestQuotaOfWhatGrows(t *testing.T) {
	t.Parallel()
	g := newRig(t, func(g *rig) { g.quota = store.Quota{Bytes: 10} })
	g.good(t, "alice", "note_create", `{"title":"t","content":"four"}`)
	g.good(t, "alice", "memory_stm_write", `{"key":"k","content":"x"}`)
	g.good(t, "alice", "knowledge_add", `{"concept":"c","description":"x"}`)
	for tool, arguments := range map[string]string{
		"note_update": `{"note_id":"t","content":"much longer"}`, "memory_stm_write": `{"key":"k","content":"much longer"}`, "knowledge_add": `{"concept":"c","description":"much longer"}`,
	} {
		if code, text := g.refused(t, "alice", tool, arguments); code != "QUOTA_REACHED" || text != overQuota {
			t.Errorf("%s: %s %q", tool, code, text)
		}
	}
	if _, object := g.good(t, "alice", "note_read", `{"note_id":"t"}`); object["content"] != "four" || object["version"] != 1.0 {
		t.Errorf("%v", object)
	}
}

// TestQuotaFromManyCallers: a user who is nearly at the limit adds over many connections at once, with every
// tool that adds. What there is room for is stored, and not one document more.
func TestQuotaFromManyCallers(t *testing.T) {
	t.Parallel()
	const room = 7
	g := newRig(t, func(g *rig) { g.quota = store.Quota{Documents: room} })
	var stored, refused atomic.Int32
	var group sync.WaitGroup
	for i := range 10 {
		for _, add := range [][2]string{
			{"memory_remember", `{"content":"x"}`}, {"memory_stm_write", `{"key":"k%d","content":"x"}`}, {"knowledge_add", `{"concept":"c%d"}`},
			{"note_create", `{"title":"t","content":"x"}`}, {"conversation_append", `{"role":"user","content":"x"}`}, {"todo_add", `{"task":"x"}`},
		} {
			arguments := strings.Replace(add[1], "%d", strconv.Itoa(i), 1)
			group.Go(func() {
				if res := g.call(t, "alice", add[0], arguments); res.IsError {
					refused.Add(1)
				} else {
					stored.Add(1)
				}
			})
		}
	}
	group.Wait()
	if stored.Load() != room || refused.Load() != 60-room {
		t.Errorf("%d were stored and %d refused, want %d and %d", stored.Load(), refused.Load(), room, 60-room)
	}
	g.good(t, "bob", "memory_remember", `{"content":"x"}`)
}
