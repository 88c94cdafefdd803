package builtin_test

import (
	"context"
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

// slowStore lets no write through until the gate is open.
type slowStore struct {
	store.Store
	gate    chan struct{}
	waiting atomic.Int32
}

func (s *slowStore) Update(ctx context.Context, f func(store.Tx) error) error {
	s.waiting.Add(1)
	<-s.gate
	return s.Store.Update(ctx, f)
}

// TestLargeMemoriesByTurns: of one user's large memories one at a time is on its way to the store,
// where all writes wait for each other. Small ones, and those of other users, do not wait for it.
func TestLargeMemoriesByTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t)
		s := &slowStore{Store: g.db, gate: make(chan struct{})}
		registry := tools.NewRegistry(tools.Config{Store: s, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
		if err := registry.Set("builtin", builtin.Tools(builtin.Config{})); err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		remember := func(user, content string) {
			group.Go(func() {
				res, err := registry.Call(t.Context(), &tools.Call{
					Principal: principal(user), Name: "memory_remember", RequestID: store.NewID(),
					Arguments: jsontext.Value(`{"content":` + quote(content) + `}`),
				})
				if err != nil || res.IsError {
					t.Errorf("%s: %v %+v", user, err, res)
				}
			})
		}
		large := strings.Repeat("東京", 1000)
		for _, tt := range []struct {
			user, content string
			want          int32
		}{{"alice", large, 1}, {"alice", large, 1}, {"alice", large, 1}, {"alice", "small", 2}, {"bob", large, 3}} {
			remember(tt.user, tt.content)
			synctest.Wait()
			if n := s.waiting.Load(); n != tt.want {
				t.Errorf("%d writes are on their way, want %d", n, tt.want)
			}
		}
		close(s.gate)
		group.Wait()
		if err := registry.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
