package store

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
)

// TestTurns: a user has one turn at a time, another user is not kept, who leaves while waiting is
// told so, and nobody is remembered in the end.
func TestTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var turns Turns
		give, err := turns.Take(t.Context(), "alice")
		if err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		inside, most := 0, 0
		for range 10 {
			group.Go(func() {
				give, err := turns.Take(t.Context(), "alice")
				if err != nil {
					t.Error(err)
					return
				}
				inside++ // a race, were there two
				most = max(most, inside)
				inside--
				give()
			})
		}
		synctest.Wait()
		if most != 0 {
			t.Error("two turns of one user at once")
		}
		other, err := turns.Take(t.Context(), "bob")
		if err != nil {
			t.Fatal(err)
		}
		other()
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := turns.Take(ended, "alice"); !errors.Is(err, context.Canceled) {
			t.Errorf("waiting for nobody: %v", err)
		}
		give()
		group.Wait()
		if most != 1 || len(turns.users) != 0 {
			t.Errorf("%d at once, %d users remembered", most, len(turns.users))
		}
	})
}
