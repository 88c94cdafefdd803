package builtin_test

import (
	"errors"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"prax/store"
	"prax/tools"
)

// TestLaw5WritesAreOneFact: of every tool that writes, the event is in the chain when the answer is there,
// and not in the block that comes later: it was committed with the change. One that was refused changes
// nothing, and its event waits for the block.
func TestLaw5WritesAreOneFact(t *testing.T) {
	t.Parallel()
	g := newRig(t, func(g *rig) { g.blockEvery = time.Hour })
	found := func(id string) bool {
		err := g.db.View(t.Context(), func(tx store.Tx) error {
			_, err := tx.Trace(principal("alice").Scope(), id)
			return err
		})
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			t.Error(err)
		}
		return err == nil
	}
	_, memory := g.good(t, "alice", "memory_remember", `{"content":"x"}`)
	for _, step := range []struct {
		tool, arguments string
		in              bool
	}{
		{"memory_remember", `{"content":"x"}`, true},
		{"memory_stm_write", `{"key":"k","content":"x"}`, true},
		{"memory_stm_write", `{"key":"k","content":"y"}`, true},
		{"knowledge_add", `{"concept":"c"}`, true},
		{"knowledge_add", `{"concept":"c"}`, true},
		{"note_create", `{"title":"t","content":"x"}`, true},
		{"note_update", `{"note_id":"t","content":"y","version":7}`, false},
		{"note_update", `{"note_id":"t","content":"y","version":1}`, true},
		{"conversation_append", `{"role":"tool","content":"x"}`, true},
		{"todo_add", `{"task":"x"}`, true},
		{"todo_complete", `{"item_ids":[1,2]}`, false},
		{"todo_complete", `{"item_ids":[1]}`, true},
		{"todo_remove", `{"item_ids":[1]}`, true},
		{"todo_remove", `{"item_ids":[1]}`, false},
		{"memory_stm_delete", `{"key":"k"}`, true},
		{"memory_stm_delete", `{"key":"k"}`, false},
		{"knowledge_delete", `{"concept":"c"}`, true},
		{"note_delete", `{"note_id":"t"}`, true},
		{"memory_forget", `{"memory_id":"` + memory["id"].(string) + `"}`, true},
		{"note_list", ``, false},
		{"todo_list", ``, false},
	} {
		id := store.NewID()
		if _, err := g.Call(t.Context(), &tools.Call{Principal: principal("alice"), Name: step.tool, Arguments: jsontext.Value(step.arguments), RequestID: id}); err != nil {
			t.Fatal(err)
		}
		if got := found(id); got != step.in {
			t.Errorf("%s %s: in the chain %v, want %v", step.tool, step.arguments, got, step.in)
		}
	}
}
