package workflow_test

import (
	"fmt"
	"strings"
	"testing"

	"prax/tools/workflow"
	wt "prax/tools/workflow/workflowtest"
)

func TestSlotTypes(t *testing.T) {
	t.Parallel()
	d := definition(state("s", to("s", "set", putting(wt.Put("n", "$.arguments.n"))), to("s", "stray", putting(wt.Put("other", 1.0)))))
	d.Slots = map[string]*workflow.Schema{"n": wt.Schema(`{"type":"integer","minimum":1}`), "any": nil}
	d.SlotsDeclared = true
	r := begin(t, d, `{}`)
	for arguments, want := range map[string]string{
		`{"n":1}`: "s", `{"n":0}`: "BLACKBOARD_TYPE_ERROR", `{"n":"1"}`: "BLACKBOARD_TYPE_ERROR",
		`{}`: "BLACKBOARD_TYPE_ERROR", `{"n":1.5}`: "BLACKBOARD_TYPE_ERROR",
	} {
		r.submit(agent, "set", arguments, want)
	}
	r.context(`{"n":1}`)
	decision := r.submit(agent, "set", `{"n":"secret"}`, "BLACKBOARD_TYPE_ERROR")
	if m := decision.Refusal.Message; !strings.Contains(m, "slot n") || strings.Contains(m, "secret") {
		t.Errorf("%q", m)
	}
	r.submit(agent, "stray", `{}`, "BLACKBOARD_TYPE_ERROR")
	d.SlotsDeclared = false
	r.submit(agent, "stray", `{}`, "s")
}

func TestStateSlots(t *testing.T) {
	t.Parallel()
	edit := state("edit",
		to("edit", "set", putting(wt.Put("file", "$.arguments.file"))),
		to("done", "finish", putting(wt.Put("last", "$.context.file"))),
		to("done", "hand", putting(wt.Put("file", "src/handed.go"))))
	edit.Slots = []workflow.StateSlot{{Name: "file", Paths: []string{"src/**", "*.md"}}, {Name: "unused"}}
	done := state("done", to("edit", "back", putting(wt.Put("file", "src/back.go"))), to("edit", "astray", putting(wt.Put("file", "/etc/passwd"))))
	d := definition(edit, done)
	r := begin(t, d, `{}`)
	r.submit(agent, "set", `{"file":"src/a.go"}`, "edit")
	r.context(`{"file":"src/a.go"}`)
	r.submit(agent, "set", `{"file":"../src/a.go"}`, "SLOT_CONSTRAINT_VIOLATED")
	r.context(`{"file":"src/a.go"}`)
	decision := r.submit(agent, "finish", `{}`, "done")
	r.context(`{"last":"src/a.go"}`)
	equal(t, "removed", decision.Change.Steps[0].Removed, []string{"file"})
	r.submit(agent, "astray", `{}`, "SLOT_CONSTRAINT_VIOLATED") // the state that is entered demands it
	r.submit(agent, "back", `{}`, "edit")
	r.context(`{"last":"src/a.go","file":"src/back.go"}`)
	decision = r.submit(agent, "hand", `{}`, "done")
	r.context(`{"last":"src/a.go"}`)
	equal(t, "delta", decision.Change.Steps[0].Delta, nil)

	decision = begin(t, d, `{}`).submit(agent, "hand", `{}`, "done")
	equal(t, "removed, but it never was there", decision.Change.Steps[0].Removed, nil)
}

func TestPathConstraint(t *testing.T) {
	t.Parallel()
	tests := []struct {
		globs string
		value any
		want  bool
	}{
		{"src/**", "src/a.go", true},
		{"src/**", "src/deep/er/a.go", true},
		{"src/**", "src", true},
		{"src/**", "srcs/a.go", false},
		{"src/**", "src/../etc/passwd", false},
		{"src/**", "src//a.go", false},
		{"src/**", "./src/a.go", false},
		{"src/**", "src/a.go/", false},
		{"src/**", `src\..\a.go`, false},
		{"src/**", "src/a\x00.go", false},
		{"src/**", "", false},
		{"**", "..", false},
		{"**", "../x", false},
		{"**", "/etc/passwd", true}, // the first part is empty
		{"*", "/etc", false},
		{"*.go", "a.go", true},
		{"*.go", "deep/a.go", false},
		{"**/*.go", "a.go", true},
		{"**/*.go", "very/deep/a.go", true},
		{"a/**/b/**/c.go", "a/b/c.go", true},
		{"a/**/b/**/c.go", "a/x/b/b/y/c.go", true},
		{"a/**/b/**/c.go", "a/x/y/c.go", false},
		{"a/**/**/c", "a/c", true},
		{"a/**/b", "a/b/x", false},
		{"[", "[", false},
		{"src/*.go docs/*", []any{"src/a.go", "docs/x"}, true},
		{"src/*.go docs/*", []any{"src/a.go", "etc/x"}, false},
		{"src/*.go", []any{}, true},
		{"src/*.go", []any{"src/a.go", 1.0}, false},
		{"src/*.go", []any{[]any{"src/a.go"}}, false},
		{"src/*.go", map[string]any{"file": "src/a.go"}, false},
		{"src/*.go", nil, false},
		{strings.Repeat("**/a/", 30) + "b", strings.Repeat("a/", 200) + "c", false}, // and soon
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%.40v in %.20s", test.value, test.globs), func(t *testing.T) {
			t.Parallel()
			s := state("s", to("s", "set", putting(wt.Put("file", "$.arguments.file"))))
			s.Slots = []workflow.StateSlot{{Name: "file", Paths: strings.Fields(test.globs)}}
			r := begin(t, definition(s), `{}`)
			want := "SLOT_CONSTRAINT_VIOLATED"
			if test.want {
				want = "s"
			}
			r.submit(agent, "set", string(wt.Raw(map[string]any{"file": test.value})), want)
		})
	}
}

// TestContextLimit merges large arguments until the context is full: refused, and nothing changed.
func TestContextLimit(t *testing.T) {
	t.Parallel()
	d := definition(state("s",
		to("s", "grow", putting(wt.Put("list", map[string]any{"concat": []any{"$.context.list", "$.arguments.more"}}))),
	))
	d.InitialContext = wt.Object(`{"list":[]}`)
	r := begin(t, d, `{}`)
	chunk := `{"more":["` + strings.Repeat("x", 300_000) + `"]}`
	for range 3 {
		r.submit(agent, "grow", chunk, "s")
	}
	before := r.i
	decision := r.submit(agent, "grow", chunk, "CONTEXT_TOO_LARGE")
	if r.i != before || !strings.Contains(decision.Refusal.Message, "1 MiB") {
		t.Errorf("%+v", decision.Refusal)
	}
	r.submit(agent, "grow", `{"more":["`+strings.Repeat("x", workflow.MaxData)+`"]}`, "INPUT_SCHEMA_VIOLATION")
}

// TestContextDepth nests the context deeper with each move, until it could not be stored.
func TestContextDepth(t *testing.T) {
	t.Parallel()
	d := definition(state("s", to("s", "nest", putting(wt.Put("box", "$.arguments.box")))))
	r := begin(t, d, `{}`)
	deep := func(n int) string {
		return `{"box":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`
	}
	r.submit(agent, "nest", deep(63), "s")
	r.submit(agent, "nest", deep(64), "INPUT_SCHEMA_VIOLATION")
	d = definition(state("s", to("s", "nest", putting(wt.Put("all", "$.arguments")))))
	r = begin(t, d, `{}`)
	r.submit(agent, "nest", deep(63), "CONTEXT_TOO_LARGE")
}

// TestExplodingMapping writes a list down four times in every move.
func TestExplodingMapping(t *testing.T) {
	t.Parallel()
	d := definition(state("s",
		to("s", "double", putting(wt.Put("list", map[string]any{"concat": []any{"$.context.list", "$.context.list", "$.context.list", "$.context.list"}})))))
	d.InitialContext = map[string]any{"list": []any{"x"}}
	r := begin(t, d, `{}`)
	for moves := range 20 {
		decision := r.commit(r.plan(agent, "double", `{}`))
		if decision.Refusal == nil {
			continue
		}
		equal(t, "answer", answer(decision), "CONTEXT_TOO_LARGE")
		if moves < 5 {
			t.Errorf("refused after %d moves", moves)
		}
		return
	}
	t.Error("never refused")
}
