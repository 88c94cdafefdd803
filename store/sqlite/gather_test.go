package sqlite_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/store"
	"prax/store/sqlite"
)

// TestGathered: what many callers did in one commit stands in a block, each once, and its user finds it there; what few
// did, and what is nobody's, stands in the chain by itself.
func TestGathered(t *testing.T) {
	t.Parallel()
	for _, callers := range []int{1, 3, 4, 5, 200} {
		db := opened(t, sqlite.Config{})
		var all []function
		want := map[string][]string{}
		for n := range callers {
			i, err := startInstance(db, fmt.Sprint("user", n%3), "")
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, function{acts: []act{{kind: "move", instance: i}, {kind: "call", instance: i}, {kind: "tell", instance: i}}, fail: n == 2})
			if n != 2 {
				want[i.User] = append(want[i.User], i.ID)
			}
		}
		before := lastEvent(t, db)
		inOneBatch(db, all)
		var kinds []store.EventKind
		for _, e := range eventsAfter(t, db, before) {
			kinds = append(kinds, e.Kind)
		}
		if diff := cmp.Diff(kindsOf(callers), kinds); diff != "" {
			t.Errorf("%d callers (-want +got):\n%s", callers, diff)
		}
		for user, ids := range want {
			calls, moves := foundBy(t, db, user)
			if diff := cmp.Diff(ids, calls); diff != "" {
				t.Errorf("%d callers, calls of %s (-want +got):\n%s", callers, user, diff)
			}
			if diff := cmp.Diff(ids, moves); diff != "" {
				t.Errorf("%d callers, moves of %s (-want +got):\n%s", callers, user, diff)
			}
		}
		if report, err := db.Verify(context.Background()); err != nil || !report.OK() {
			t.Errorf("%d callers: %v, %q", callers, err, report.Problems)
		}
	}
}

// kindsOf are the kinds of the events that so many callers leave, of whom one failed.
func kindsOf(callers int) (kinds []store.EventKind) {
	if callers > 2 {
		callers--
	}
	if 2*callers < 8 {
		return slices.Repeat([]store.EventKind{store.EventWorkflow, store.EventCall, store.EventReload}, callers)
	}
	return append(slices.Repeat([]store.EventKind{store.EventReload}, callers), store.EventBlock)
}

func lastEvent(t *testing.T, db *sqlite.DB) (seq int64) {
	t.Helper()
	for _, e := range eventsAfter(t, db, 0) {
		seq = e.Seq
	}
	return seq
}

func eventsAfter(t *testing.T, db *sqlite.DB, seq int64) (events []store.Event) {
	t.Helper()
	err := db.View(context.Background(), func(tx store.Tx) (err error) {
		events, err = tx.EventsAfter(seq, 1000)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// foundBy are the request ids of a user's calls and moves, oldest first, but for the starts.
func foundBy(t *testing.T, db *sqlite.DB, user string) (calls, moves []string) {
	t.Helper()
	s := auth.Principal{User: user}.Scope()
	err := db.View(context.Background(), func(tx store.Tx) error {
		if err := tx.Traces(s, func(c store.Trace) bool { calls = append(calls, c.RequestID); return true }); err != nil {
			return err
		}
		return tx.Observed(s, func(e store.Event) bool {
			if e.Detail == fmt.Sprintf(`{"id":%q,"version":2}`, e.RequestID) {
				moves = append(moves, e.RequestID)
			}
			return true
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(calls)
	slices.Reverse(moves)
	return calls, moves
}
