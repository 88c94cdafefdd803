package builtin_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"prax/store"
)

var sorted = cmpopts.SortSlices(func(a, b string) bool { return a < b })

func todoOf(number float64, task, assignee, status string) map[string]any {
	return map[string]any{"number": number, "task": task, "assignee": assignee, "status": status, "created_at": at, "updated_at": at}
}

func TestTodos(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	g.expect(t, "alice", "todo_add", `{"task":" buy\n tea "}`, "Added #1: buy tea", todoOf(1, "buy tea", "user", "open"))
	g.expect(t, "alice", "todo_add", `{"task":"brew it","assignee":"agent"}`, "Added #2: brew it", todoOf(2, "brew it", "agent", "open"))
	g.expect(t, "alice", "todo_add", `{"task":"drink it","assignee":" "}`, "Added #3: drink it", todoOf(3, "drink it", "user", "open"))
	g.expect(t, "alice", "todo_list", `{}`, "Todos:\n  1. [ ] buy tea\n  2. [ ] brew it (agent)\n  3. [ ] drink it",
		listOf(todoOf(1, "buy tea", "user", "open"), todoOf(2, "brew it", "agent", "open"), todoOf(3, "drink it", "user", "open")))
	for range 2 { // completed twice is completed
		g.expect(t, "alice", "todo_complete", `{"item_ids":[2,1,2.0]}`, "Marked #1 as done!\nMarked #2 as done!",
			listOf(todoOf(1, "buy tea", "user", "done"), todoOf(2, "brew it", "agent", "done")))
	}
	g.expect(t, "alice", "todo_list", `{"show_completed":false}`, "Todos:\n  3. [ ] drink it", listOf(todoOf(3, "drink it", "user", "open")))
	g.expect(t, "alice", "todo_list", `{"show_completed":true}`, "Todos:\n  1. [x] buy tea\n  2. [x] brew it (agent)\n  3. [ ] drink it",
		listOf(todoOf(1, "buy tea", "user", "done"), todoOf(2, "brew it", "agent", "done"), todoOf(3, "drink it", "user", "open")))
	g.expect(t, "alice", "todo_remove", `{"item_ids":[3]}`, "Removed #3.", listOf(todoOf(3, "drink it", "user", "open")))
	if said, _ := g.good(t, "alice", "todo_list", ``); said != "No open todos." {
		t.Errorf("%q", said)
	}
}

// TestTodoNumbersAreNeverReused: neither after the last was removed, nor after a restart, nor after a
// call that failed.
func TestTodoNumbersAreNeverReused(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	add := func(user string, want float64) {
		t.Helper()
		if _, object := g.good(t, user, "todo_add", `{"task":"x"}`); object["number"] != want {
			t.Errorf("%s got number %v, want %v", user, object["number"], want)
		}
	}
	add("alice", 1)
	add("alice", 2)
	g.good(t, "alice", "todo_remove", `{"item_ids":[1,2]}`)
	add("alice", 3)
	g.good(t, "alice", "todo_remove", `{"item_ids":[3]}`)
	g.refused(t, "alice", "todo_add", `{"task":" "}`)
	g.close(t)
	g.open(t)
	add("alice", 4)
	add("bob", 1)
}

// TestTodoNumbersAtOnce: of many that add at once, each gets a number of its own, without gaps.
func TestTodoNumbersAtOnce(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	const n = 40
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { g.call(t, fmt.Sprint("user", i%2), "todo_add", `{"task":"x"}`) })
	}
	all.Wait()
	for _, user := range []string{"user0", "user1"} {
		_, object := g.good(t, user, "todo_list", ``)
		var got []any
		for _, item := range object["items"].([]any) {
			got = append(got, item.(map[string]any)["number"])
		}
		var want []any
		for i := range n / 2 {
			want = append(want, float64(i+1))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("numbers of %s (-want +got):\n%s", user, diff)
		}
	}
}

// TestNoSuchTodo: one number that the list does not have, and nothing is changed.
func TestNoSuchTodo(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	g.good(t, "alice", "todo_add", `{"task":"x"}`)
	for range 3 {
		g.good(t, "bob", "todo_add", `{"task":"bob's"}`)
	}
	for _, tool := range []string{"todo_complete", "todo_remove"} {
		code, text := g.refused(t, "alice", tool, `{"item_ids":[1,3,9007199254740992]}`)
		want := "Tool error: your list does not have #3, #9007199254740992: nothing was changed. See the numbers that there are with todo_list and show_completed."
		if code != "NOT_FOUND" || text != want {
			t.Errorf("%s: %s %q, want %q", tool, code, text, want)
		}
	}
	g.expect(t, "alice", "todo_list", ``, "Todos:\n  1. [ ] x", listOf(todoOf(1, "x", "user", "open")))
	if _, object := g.good(t, "bob", "todo_list", ``); object["count"] != 3.0 {
		t.Errorf("bob has %v", object["count"])
	}
}

// TestTodoListIsBounded: a thousand of the largest come through, in the order of their numbers.
func TestTodoListIsBounded(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	var docs []store.Document
	for i := range store.MaxCandidates + 5 {
		docs = append(docs, store.Document{User: "alice", Kind: store.Todo, Key: fmt.Sprint(i + 1), Title: "user", Body: fmt.Sprintf("%01024d", i), Status: "open"})
	}
	g.put(t, docs...)
	_, object := g.good(t, "alice", "todo_list", ``)
	items := object["items"].([]any)
	if first, last := items[0].(map[string]any)["number"], items[len(items)-1].(map[string]any)["number"]; len(items) != 1000 || first != 6.0 || last != 1005.0 {
		t.Errorf("%d todos, from %v to %v", len(items), first, last)
	}
}

// TestNumbersBeyondExact: a caller gives a number that no integer of ours can be, which would be another
// number to the tool than to the caller, and one on each machine.
func TestNumbersBeyondExact(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	g.good(t, "alice", "todo_add", `{"task":"x"}`)
	g.good(t, "alice", "note_create", `{"title":"n","content":"c"}`)
	for _, tt := range []struct{ tool, arguments, path string }{
		{"todo_complete", `{"item_ids":[1,1e300]}`, "item_ids/1"},
		{"todo_remove", `{"item_ids":[9.3e18]}`, "item_ids/0"},
		{"note_update", `{"note_id":"n","content":"d","version":1e300}`, "version"},
	} {
		code, text := g.refused(t, "alice", tt.tool, tt.arguments)
		want := "Tool error: the arguments do not fit: " + tt.path + " must be at most 9007199254740992."
		if code != "INVALID_ARGUMENTS" || text != want {
			t.Errorf("%s %s: %s %q, want %q", tt.tool, tt.arguments, code, text, want)
		}
	}
}
