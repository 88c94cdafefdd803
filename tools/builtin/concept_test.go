package builtin_test

import (
	"testing"

	"prax/store"
)

func conceptOf(namespace, name, display, description, source string, importance float64) map[string]any {
	return map[string]any{"namespace": namespace, "name": name, "display_name": display, "description": description,
		"source": source, "source_type": "agent", "importance": importance, "updated_at": at}
}

func TestKnowledgeAdd(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	first := g.expect(t, "alice", "knowledge_add", `{"concept":" Green  Tea "}`,
		"Concept added: **Green Tea** [general] (id=ID)", conceptOf("general", "green tea", "Green Tea", "", "alice-agent", 0.5))
	for _, step := range []struct{ name, arguments, text, description, source string }{
		{"a description where there was none", `{"concept":"green tea","description":" a drink "}`, "updated", "a drink", "alice-agent"},
		{"a shorter one", `{"concept":"GREEN TEA","namespace":"","description":"drink"}`, "unchanged", "a drink", "alice-agent"},
		{"one as long", `{"concept":"green tea","description":"A DRINK"}`, "unchanged", "a drink", "alice-agent"},
		{"as many characters, more bytes", `{"concept":"green tea","description":"ä drïnk"}`, "unchanged", "a drink", "alice-agent"},
		{"a longer one", `{"concept":"green tea","namespace":"general","description":"a drink of leaves"}`, "updated", "a drink of leaves", "alice-agent"},
		{"a source", `{"concept":"green tea","source":" a book "}`, "updated", "a drink of leaves", "a book"},
	} {
		t.Run(step.name, func(t *testing.T) {
			again := g.expect(t, "alice", "knowledge_add", step.arguments, "Concept "+step.text+": **Green Tea** [general] (id=ID)",
				conceptOf("general", "green tea", "Green Tea", step.description, step.source, 0.5))
			if again != first {
				t.Errorf("the concept %s became %s", first, again)
			}
		})
	}
	other := g.expect(t, "alice", "knowledge_add", `{"concept":"Green tea","namespace":" to  drink "}`,
		"Concept added: **Green tea** [to drink] (id=ID)", conceptOf("to drink", "green tea", "Green tea", "", "alice-agent", 0.5))
	if other == first {
		t.Error("two namespaces share a concept")
	}
	g.expect(t, "alice", "knowledge_search", `{"query":"tea","namespace":"to  drink"}`, "- **Green tea** [to drink] (importance=0.5, source=agent)\n  ",
		listOf(conceptOf("to drink", "green tea", "Green tea", "", "alice-agent", 0.5)))
}

// TestKnowledgeAddKeepsTheHigherImportance: what was more important stays so, what was less becomes
// what an added concept is; neither loses how it is displayed.
func TestKnowledgeAddKeepsTheHigherImportance(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	for name, importance := range map[string]float64{"vital": 0.9, "minor": 0.2} {
		g.put(t, store.Document{User: "alice", Kind: store.Concept, Namespace: "n", Key: name, Body: "b", Importance: importance})
		_, object := g.good(t, "alice", "knowledge_add", `{"concept":"`+name+`","namespace":"n"}`)
		if object["importance"] != max(importance, 0.5) || object["description"] != "b" || object["display_name"] != name {
			t.Errorf("%s: %v", name, object)
		}
	}
}

func TestKnowledgeDelete(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	g.good(t, "alice", "knowledge_add", `{"concept":"Tea","namespace":"drinks"}`)
	g.good(t, "bob", "knowledge_add", `{"concept":"Coffee","namespace":"drinks"}`)
	for _, arguments := range []string{`{"concept":"tea"}`, `{"concept":"teas","namespace":"drinks"}`, `{"concept":"coffee","namespace":"drinks"}`} {
		code, text := g.refused(t, "alice", "knowledge_delete", arguments)
		if want := "Tool error: no concept of yours has this name in this namespace. Take both from knowledge_search."; code != "NOT_FOUND" || text != want {
			t.Errorf("%s: %s %q, want %q", arguments, code, text, want)
		}
	}
	g.expect(t, "alice", "knowledge_delete", `{"concept":"TEA","namespace":"drinks"}`, "Concept deleted: **Tea** [drinks] (id=ID)",
		conceptOf("drinks", "tea", "Tea", "", "alice-agent", 0.5))
	if _, object := g.good(t, "alice", "knowledge_search", `{"query":"tea"}`); object["count"] != 0.0 {
		t.Error("a deleted concept is found")
	}
	if _, object := g.good(t, "bob", "knowledge_search", `{"query":"coffee"}`); object["count"] != 1.0 {
		t.Error("bob's is gone")
	}
}
