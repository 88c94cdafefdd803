package builtin_test

import (
	"fmt"
	"strings"
	"testing"

	"prax/store"
)

func TestNumbersAreBroughtWithin(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	for i := range 60 {
		g.put(t,
			store.Document{User: "alice", Kind: store.Memory, Body: fmt.Sprint("tea ", i)},
			store.Document{User: "alice", Kind: store.Conversation, Key: "user", Body: fmt.Sprint("tea ", i)},
			store.Document{User: "alice", Kind: store.Note, Key: fmt.Sprint("n", i), Title: "T", Body: fmt.Sprint("tea ", i)},
			store.Document{User: "alice", Kind: store.Concept, Namespace: "n", Key: fmt.Sprint(i), Body: fmt.Sprint("tea ", i)})
	}
	for range 25 {
		g.call(t, "alice", "get_current_datetime", "")
	}
	for _, tt := range []struct {
		tool, arguments string
		want            float64
	}{
		{"memory_recall", `{"query":"tea"}`, 5}, {"memory_recall", `{"query":"tea","top_k":null}`, 5}, {"memory_recall", `{"query":"tea","top_k":0}`, 1},
		{"memory_recall", `{"query":"tea","top_k":-1}`, 1}, {"memory_recall", `{"query":"tea","top_k":999}`, 20}, {"memory_recall", `{"query":"tea","top_k":7.0}`, 7},
		{"conversation_search", `{"query":"tea"}`, 20}, {"conversation_search", `{"query":"tea","max_results":0}`, 1},
		{"conversation_search", `{"query":"tea","max_results":999}`, 50}, {"conversation_search", `{"query":"","max_results":2}`, 2},
		{"knowledge_search", `{"query":"tea"}`, 20}, {"note_list", ``, 60}, {"note_search", `{"query":"tea"}`, 20},
		{"note_search", `{"query":"tea","max_results":-3}`, 1}, {"note_search", `{"query":"tea","max_results":999}`, 50},
	} {
		if _, object := g.good(t, "alice", tt.tool, tt.arguments); object["count"] != tt.want {
			t.Errorf("%s %s: %v, want %v", tt.tool, tt.arguments, object["count"], tt.want)
		}
	}
}

func TestArgumentsAreStrict(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	many := strings.Repeat("t,", 10_000)
	for _, tt := range []struct{ tool, arguments, names string }{
		{"memory_recall", `{}`, "query is required"},
		{"memory_recall", `{"query":5}`, "query must be a string"},
		{"memory_recall", `{"query":" \t"}`, "query must not be blank"},
		{"memory_recall", `{"query":"x","top_k":"5"}`, "top_k must be an integer, is a string"},
		{"memory_recall", `{"query":"x","limit":5}`, "limit is not known here"},
		{"knowledge_search", `{"query":" "}`, "query must not be blank"},
		{"trace_search", `{"query":" "}`, "query must not be blank"},
		{"trace_detail", `{"trace_id":" "}`, "trace_id must not be blank"},
		{"get_current_datetime", `{"timezone_name":"Mars/Olympus"}`, "timezone_name is not a time zone"},
		{"get_current_datetime", `{"timezone_name":"Local"}`, "timezone_name is not a time zone"},
		{"get_current_datetime", `{"timezone_name":"../../etc/passwd"}`, "timezone_name is not a time zone"},
		{"memory_remember", `{"content":" "}`, "content must not be blank"},
		{"memory_remember", `{"content":"x","importance":7}`, "importance must be at most 1"},
		{"memory_remember", `{"content":"x","importance":-0.1}`, "importance must be at least 0"},
		{"memory_remember", `{"content":"x","tags":` + quote(many) + `}`, "tags must be at most 32"},
		{"memory_remember", `{"content":"x","tags":` + quote(strings.Repeat("t", 65)) + `}`, "tags must have at most 64 bytes each"},
		{"memory_remember", `{"content":` + quote(strings.Repeat("x", 5<<20)) + `}`, "content must have at most 65536 characters"},
		{"memory_remember", `{"content":` + quote(strings.Repeat("é", 40_000)) + `}`, "content must have at most 65536 bytes"},
		{"memory_stm_write", `{"key":"k"}`, "content is required"},
		{"memory_stm_write", `{"key":" ","content":"x"}`, "key must not be blank"},
		{"memory_stm_write", `{"key":"k","content":"\n"}`, "content must not be blank"},
		{"memory_stm_write", `{"key":"k","content":"x","importance":1.01}`, "importance must be at most 1"},
		{"memory_stm_write", `{"key":"` + strings.Repeat("k", 161) + `","content":"x"}`, "key must have at most 160 characters"},
		{"memory_stm_write", `{"key":"k","content":` + quote(strings.Repeat("é", 32_769)) + `}`, "content must have at most 65536 bytes, has 65538"},
		{"memory_stm_delete", `{"key":" "}`, "key must not be blank"},
		{"knowledge_add", `{"concept":" "}`, "concept must not be blank"},
		{"knowledge_add", `{"concept":"x","importance":1}`, "importance is not known here"},
		{"knowledge_add", `{"concept":"x","description":` + quote(strings.Repeat("é", 32_769)) + `}`, "description must have at most 65536 bytes"},
		{"knowledge_add", `{"concept":"` + strings.Repeat("x", 257) + `"}`, "concept must have at most 256 characters"},
		{"knowledge_delete", `{"concept":" "}`, "concept must not be blank"},
		{"note_create", `{"title":"x"}`, "content is required"},
		{"note_create", `{"title":"\t","content":"x"}`, "title must not be blank"},
		{"note_create", `{"title":"x","content":" "}`, "content must not be blank"},
		{"note_create", `{"title":"` + strings.Repeat("x", 201) + `","content":"x"}`, "title must have at most 200 characters"},
		{"note_create", `{"title":"x","content":` + quote(strings.Repeat("é", 32_769)) + `}`, "content must have at most 65536 bytes"},
		{"note_create", `{"title":"x","content":"x","tags":` + quote(many) + `}`, "tags must be at most 32"},
		{"note_create", `{"title":"x","content":"x","tags":` + quote(strings.Repeat("é", 33)) + `}`, "tags must have at most 64 bytes each, one has 66"},
		{"note_create", `{"title":"x","content":"x","deep_dive":"yes"}`, "deep_dive must be a boolean"},
		{"note_read", `{"note_id":" "}`, "note_id must not be blank"},
		{"note_update", `{"note_id":" ","content":"x"}`, "note_id must not be blank"},
		{"note_update", `{"note_id":"x","content":" "}`, "content must not be blank"},
		{"note_update", `{"note_id":"x","content":"x","tags":` + quote(many) + `}`, "tags must be at most 32"},
		{"note_update", `{"note_id":"x","content":"x","version":-1}`, "version must be at least 0"},
		{"note_delete", `{"note_id":" "}`, "note_id must not be blank"},
		{"note_search", `{"query":" "}`, "query must not be blank"},
		{"conversation_append", `{"content":"x"}`, "role is required"},
		{"conversation_append", `{"role":"system","content":"x"}`, `role must be one of "user", "assistant", "tool"`},
		{"conversation_append", `{"role":"user","content":" "}`, "content must not be blank"},
		{"conversation_append", `{"role":"user","content":` + quote(strings.Repeat("é", 32_769)) + `}`, "content must have at most 65536 bytes"},
		{"todo_add", `{"task":" "}`, "task must not be blank"},
		{"todo_add", `{"task":"` + strings.Repeat("x", 1025) + `"}`, "task must have at most 1024 characters"},
		{"todo_add", `{"task":"x","assignee":"` + strings.Repeat("x", 65) + `"}`, "assignee must have at most 64 characters"},
		{"todo_list", `{"show_completed":1}`, "show_completed must be a boolean"},
		{"todo_complete", `{"item_ids":[]}`, "item_ids must have at least 1 item"},
		{"todo_complete", `{"item_ids":[0]}`, "item_ids/0 must be at least 1"},
		{"todo_remove", `{"item_ids":["1"]}`, "item_ids/0 must be an integer"},
		{"todo_remove", `{"item_ids":[` + strings.Repeat("1,", 100) + `1]}`, "item_ids must have at most 100 items"},
	} {
		code, text := g.refused(t, "alice", tt.tool, tt.arguments)
		if code != "INVALID_ARGUMENTS" || !strings.Contains(text, tt.names) || len(text) > 400 {
			t.Errorf("%s %.60s: %s: %.400s", tt.tool, tt.arguments, code, text)
		}
	}
	for tool, arguments := range map[string]string{
		"memory_recall": `{"query":"x"}`, "memory_stm_read": ``, "knowledge_namespaces": ``, "note_list": ``, "conversation_search": `{"query":""}`, "todo_list": ``,
	} {
		if _, object := g.good(t, "alice", tool, arguments); object["count"] != 0.0 {
			t.Errorf("something that was refused was stored: %s: %v", tool, object)
		}
	}
}
