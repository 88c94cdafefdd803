package builtin_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/go-json-experiment/json/jsontext"

	"prax/store"
	"prax/tools"
	"prax/tools/builtin"
)

// slowStore answers no write before the gate is open.
type slowStore struct {
	store.Store
	gate    chan struct{}
	written atomic.Int32
}

func (s *slowStore) Update(ctx context.Context, f func(store.Tx) error) error {
	err := s.Store.Update(ctx, f)
	if err == nil {
		s.written.Add(1)
		<-s.gate
	}
	return err
}

// slow is the tools of a rig on a store that is slow, its HIGH ones as MEDIUM.
func (g *rig) slow(t *testing.T) (*slowStore, *tools.Registry) {
	t.Helper()
	s := &slowStore{Store: g.db, gate: make(chan struct{})}
	registry := tools.NewRegistry(tools.Config{Store: s, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	if err := registry.Set("builtin", reachable(builtin.Tools(builtin.Config{}))); err != nil {
		t.Fatal(err)
	}
	return s, registry
}

// large is a text of many words.
var large = strings.Repeat("東京", 700)

// TestLargeTextsByTurns: a caller sends the largest texts that there may be over many connections, and
// everybody's writes stand behind them, since the store indexes for one after the other. So of one user's
// one at a time is on its way to the store, whichever tools it is for, and whether the text comes with the
// call or is what the call replaces or removes. Small ones, and those of other users, do not wait.
func TestLargeTextsByTurns(t *testing.T) {
	t.Parallel()
	text := quote(large)
	for name, tt := range map[string]struct{ tool, arguments string }{
		"remember":           {"memory_remember", `{"content":` + text + `}`},
		"scratch":            {"memory_stm_write", `{"key":"k%d","content":` + text + `}`},
		"scratch replaced":   {"memory_stm_write", `{"key":"large%d","content":"small"}`},
		"scratch removed":    {"memory_stm_delete", `{"key":"large%d"}`},
		"concept":            {"knowledge_add", `{"concept":"c%d","description":` + text + `}`},
		"concept's source":   {"knowledge_add", `{"concept":"large%d","source":"another"}`},
		"concept removed":    {"knowledge_delete", `{"concept":"large%d"}`},
		"note":               {"note_create", `{"title":"n","content":` + text + `}`},
		"note changed":       {"note_update", `{"note_id":"small%d","content":` + text + `}`},
		"note made small":    {"note_update", `{"note_id":"large%d","content":"small"}`},
		"note removed":       {"note_delete", `{"note_id":"large%d"}`},
		"memory removed":     {"memory_forget", `{"memory_id":"large%d"}`},
		"conversation":       {"conversation_append", `{"role":"user","content":` + text + `}`},
		"many todos":         {"todo_complete", `{"item_ids":[%d1,%[1]d2,%[1]d3,%[1]d4]}`},
		"many todos removed": {"todo_remove", `{"item_ids":[%d1,%[1]d2,%[1]d3,%[1]d4]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g := newRig(t)
				g.put(t, keptLarge("alice")...)
				g.put(t, keptLarge("bob")...)
				s, registry := g.slow(t)
				var group sync.WaitGroup
				for i, tt := range []struct {
					user, tool, arguments string
					want                  int32
				}{
					{"alice", tt.tool, tt.arguments, 1},
					{"alice", tt.tool, tt.arguments, 1},
					{"alice", "memory_remember", `{"content":` + text + `}`, 1},
					{"alice", "memory_remember", `{"content":"small"}`, 2},
					{"bob", tt.tool, tt.arguments, 3},
				} {
					arguments := tt.arguments
					if strings.Contains(arguments, "%") {
						arguments = fmt.Sprintf(arguments, i%4+1)
					}
					if tt.tool == "memory_forget" {
						arguments = strings.Replace(arguments, "large", tt.user+"-large", 1)
					}
					group.Go(func() {
						res, err := registry.Call(t.Context(), &tools.Call{
							Principal: principal(tt.user), Name: tt.tool, RequestID: store.NewID(), Arguments: jsontext.Value(arguments),
						})
						if err != nil || res.IsError {
							t.Errorf("%s %s: %v %+v", tt.user, tt.tool, err, res)
						}
					})
					synctest.Wait()
					if n := s.written.Load(); n != tt.want {
						t.Errorf("%d of %d writes came through, want %d", n, i+1, tt.want)
					}
				}
				close(s.gate)
				group.Wait()
				if err := registry.Close(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// keptLarge is one of each that the calls of the test replace or remove, five times.
func keptLarge(user string) (docs []store.Document) {
	for i := 1; i <= 2; i++ {
		key := fmt.Sprintf("large%d", i)
		docs = append(docs,
			store.Document{User: user, Kind: store.Memory, ID: user + "-" + key, Body: large},
			store.Document{User: user, Kind: store.Scratch, Key: key, Body: large},
			store.Document{User: user, Kind: store.Concept, Namespace: "general", Key: key, Title: key, Body: large},
			store.Document{User: user, Kind: store.Note, Key: key, Title: key, Body: large},
			store.Document{User: user, Kind: store.Note, Key: fmt.Sprintf("small%d", i), Title: key, Body: "small"},
		)
		for j := 1; j <= 4; j++ {
			docs = append(docs, store.Document{User: user, Kind: store.Todo, Key: fmt.Sprintf("%d%d", i, j), Title: "user", Body: "task", Status: "open"})
		}
	}
	return docs
}
