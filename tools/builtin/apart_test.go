package builtin_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/store"
	"prax/tools"
)

// kept are perUser documents of a user, of all kinds, that two users have in common but for a word of
// their own. Ids and times are the same in every house.
func kept(user, own string) []store.Document {
	kinds := store.Kinds()
	docs := make([]store.Document, 0, perUser)
	for i := range perUser {
		kind := kinds[i%len(kinds)]
		created := noon.Add(-time.Duration(i%700) * time.Hour)
		d := store.Document{
			ID: fmt.Sprintf("%s%024d", own[:2], i), User: user, Kind: kind, Body: fmt.Sprintf("common %s w%d topic%d", own, i, i%97),
			Tags: []string{own}, Source: user, Importance: float64(i%5) / 4, Created: created, Updated: created,
		}
		switch kind {
		case store.Concept:
			d.Namespace, d.Key = fmt.Sprint("space", i%7), fmt.Sprint("concept", i)
		case store.Todo:
			d.Key, d.Title, d.Status = fmt.Sprint(i+1), "user", []string{"open", "done"}[i%4/2]
		case store.Conversation:
			d.Key = "user"
		case store.Scratch:
			d.Key = fmt.Sprint("key", i)
		case store.Note:
			d.Key, d.Title = fmt.Sprint("note-", i), fmt.Sprint("Note ", i)
		}
		docs = append(docs, d)
	}
	return docs
}

// fill stores both users' documents by turns, so that they lie between each other.
func (g *rig) fill(t testing.TB, users ...[]store.Document) {
	t.Helper()
	var turns []store.Document
	for i := range perUser {
		for _, docs := range users {
			turns = append(turns, docs[i])
		}
	}
	for part := range slices.Chunk(turns, 500) { // so that no transaction holds the writer for long
		g.put(t, part...)
	}
}

// queries are calls of every tool that reads documents.
var queries = [][2]string{
	{"memory_recall", `{"query":"common","top_k":20}`}, {"memory_recall", `{"query":"topic5 w600","top_k":20}`}, {"memory_recall", `{"query":"opic5","top_k":20}`},
	{"memory_stm_read", ``}, {"memory_stm_read", `{"key":"key1"}`},
	{"knowledge_search", `{"query":"common topic7"}`}, {"knowledge_search", `{"query":"concept"}`}, {"knowledge_search", `{"query":"common","namespace":"space3"}`},
	{"knowledge_namespaces", ``},
	{"note_list", ``}, {"note_read", `{"note_id":"note-3"}`}, {"note_search", `{"query":"topic11","max_results":50}`}, {"note_search", `{"query":"common w1491"}`},
	{"conversation_search", `{"query":"common","max_results":50}`}, {"conversation_search", `{"query":"","max_results":50}`}, {"conversation_search", `{"query":"ommon al"}`},
	{"todo_list", ``}, {"todo_list", `{"show_completed":true}`},
}

// TestLaw9TenThousandEach: once bob has ten thousand documents too, full of the same words and newer, alice
// gets byte for byte what she got before: nothing of his is returned, counted, or weighs in the order;
// and what is his own word finds her nothing.
func TestLaw9TenThousandEach(t *testing.T) {
	t.Parallel()
	g := newRig(t)
	g.fill(t, kept("alice", "al"))
	var before []*tools.Result
	for _, q := range queries {
		res := g.call(t, "alice", q[0], q[1])
		if res.IsError || string(res.Structured) == `{"items":[],"count":0}` {
			t.Errorf("%s %s finds nothing: %s", q[0], q[1], res.Content[0].Text)
		}
		before = append(before, res)
	}
	g.fill(t, kept("bob", "bo"))
	for i, q := range queries {
		if diff := cmp.Diff(before[i], g.call(t, "alice", q[0], q[1])); diff != "" {
			t.Errorf("%s %s (-before +after bob came):\n%.2000s", q[0], q[1], diff)
		}
	}
	for _, tool := range []string{"memory_recall", "knowledge_search", "note_search", "conversation_search"} {
		if text, object := g.good(t, "alice", tool, `{"query":"bo"}`); object["count"] != 0.0 {
			t.Errorf("%s finds alice bob's: %.200s", tool, text)
		}
		if text, object := g.good(t, "bob", tool, `{"query":"bo"}`); object["count"] == 0.0 || strings.Contains(text, "common al") {
			t.Errorf("%s finds bob %.200s", tool, text)
		}
	}
}

// BenchmarkBeside is what a user's query costs when another has as many documents between, as a ratio to
// what it costs when nobody has: both are asked by turns, and the medians compared.
func BenchmarkBeside(b *testing.B) {
	alone, beside := newRig(b), newRig(b)
	alices := kept("alice", "al")
	alone.fill(b, alices)
	beside.fill(b, alices, kept("bob", "bo"))
	houses := []*rig{alone, beside}
	for _, q := range queries {
		b.Run(q[0]+q[1], func(b *testing.B) {
			took := make([][]time.Duration, len(houses))
			for b.Loop() {
				for i, g := range houses {
					start := time.Now()
					g.call(b, "alice", q[0], q[1])
					took[i] = append(took[i], time.Since(start))
				}
			}
			b.ReportMetric(float64(median(took[1]))/float64(median(took[0])), "beside/alone")
			b.ReportMetric(float64(median(took[0]))/float64(time.Millisecond), "ms-alone")
		})
	}
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}
