package sqlite_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"prax/auth"
	"prax/store"
	"prax/store/digest"
	"prax/store/sqlite"
)

// aDefinition is what the instances of these tests pin.
func aDefinition() store.Definition {
	text := []byte(`{"initialState":"a"}`)
	return store.Definition{ID: "demo", Version: 1, Hash: digest.Hex(text), Text: text, Created: time.UnixMilli(1_700_000_000_000)}
}

// newInstance is one that may start.
func newInstance(user, runID string) store.Instance {
	d := aDefinition()
	at := time.UnixMilli(1_700_000_000_000).UTC()
	return store.Instance{
		ID: "wf_" + store.NewID(), User: user, Client: "agent", RunID: runID, DefinitionID: d.ID, DefinitionVersion: 1, DefinitionHash: d.Hash,
		State: "a", Version: 1, Status: store.Open, Context: []byte(`{"n":1}`), Created: at, Updated: at,
	}
}

// startInstance starts one: one fact with its event.
func startInstance(db *sqlite.DB, user, runID string) (store.Instance, error) {
	i := newInstance(user, runID)
	return i, db.Update(context.Background(), func(tx store.Tx) error {
		if _, err := tx.PutDefinition(aDefinition()); err != nil {
			return err
		}
		tx.AddEvent(moveEvent(i))
		return tx.CreateInstance(i, store.Step{Seq: 1, Kind: "start", To: "a", At: i.Created}, nil)
	})
}

// moved is the instance a version later, and the move there.
func moved(i store.Instance) (store.Instance, store.Move) {
	next := i
	next.Version++
	next.Context = []byte(fmt.Sprintf(`{"n":%d}`, next.Version))
	step := store.Step{Seq: next.Version, Kind: "transition", Transition: "go", From: "a", To: "a", Actor: "agent", Client: "agent", At: i.Updated, Delta: next.Context}
	return next, store.Move{Next: next, From: i.Version, Steps: []store.Step{step}}
}

// moveEvent tells which version an instance has got.
func moveEvent(i store.Instance) store.Event {
	return store.Event{Kind: store.EventWorkflow, User: i.User, RequestID: i.ID, Detail: fmt.Sprintf(`{"id":%q,"version":%d}`, i.ID, i.Version)}
}

// move makes a change: one fact with its event.
func move(db *sqlite.DB, i store.Instance) (store.Instance, error) {
	next, m := moved(i)
	return next, db.Update(context.Background(), func(tx store.Tx) error {
		tx.AddEvent(moveEvent(next))
		return tx.Move(m)
	})
}

// anAttempt is one that an instance may begin as it stands.
func anAttempt(i store.Instance) store.Attempt {
	return store.Attempt{
		ID: "at_" + store.NewID(), User: i.User, Client: "agent", Actor: i.User, Instance: i.ID, Version: i.Version, State: i.State, Transition: "go",
		Kind: "rest", Tier: "medium", Digest: "d", Work: []byte(`{"n":1}`), Tries: 1, Worker: "w1", Lease: i.Updated.Add(time.Minute),
		Status: store.AttemptRunning, Created: i.Updated,
	}
}

// aDirectAttempt is one of a tool that a user called.
func aDirectAttempt(user string) store.Attempt {
	a := anAttempt(store.Instance{User: user, Updated: time.UnixMilli(1_700_000_000_000).UTC()})
	a.Tool, a.Transition = "t", ""
	return a
}

// attempt opens one: one fact with its event.
func attempt(db *sqlite.DB, a store.Attempt) error {
	return db.Update(context.Background(), func(tx store.Tx) error {
		tx.AddEvent(store.Event{Kind: store.EventCall, User: a.User, RequestID: a.ID})
		return tx.OpenAttempt(a)
	})
}

// end closes an attempt, with its event.
func end(db *sqlite.DB, c store.Closing) error {
	if c.At.IsZero() {
		c.At = time.UnixMilli(1_700_000_001_000)
	}
	return db.Update(context.Background(), func(tx store.Tx) error {
		tx.AddEvent(store.Event{Kind: store.EventCall, RequestID: c.ID})
		return tx.CloseAttempt(c)
	})
}

// TestWorkflowPlans: every read of the nouns of workflows goes through an index, and lists come in the order
// of one: what others keep, and what has ended, slows nobody down.
func TestWorkflowPlans(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := open(t, sqlite.Config{Dir: dir}).Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, "prax.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, text := range sqlite.WorkflowReads() {
		for _, step := range plan(t, db, text) {
			walks := strings.HasPrefix(step, "SCAN") && !slices.Contains(walksAllowed, step)
			sorts := strings.Contains(step, "TEMP B-TREE") && !strings.Contains(text, "FROM term") // a lexicon is small
			if walks || sorts || strings.Contains(step, "AUTOMATIC") {
				t.Errorf("%q\nin %s", step, text)
			}
		}
	}
}

// walksAllowed are walks along all there is: of the ids of definitions and of the runs of leads, which are few, and of what
// belongs to nobody but an overseer of everybody, and of what a count has taken by an index, up to its limit.
var walksAllowed = []string{
	"SCAN definition USING COVERING INDEX definition_version", "SCAN instance", "SCAN term USING INDEX term_version",
	"SCAN instance USING COVERING INDEX instance_open", "SCAN attempt", "SCAN r", "SCAN (subquery-1)",
}

func plan(t *testing.T, db *sql.DB, text string) (steps []string) {
	t.Helper()
	arguments := make([]any, strings.Count(text, "?"))
	for i := range arguments {
		arguments[i] = 1
	}
	rows, err := db.Query("EXPLAIN QUERY PLAN "+text, arguments...)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			t.Fatal(err)
		}
		steps = append(steps, step)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	if len(steps) == 0 {
		t.Errorf("no plan for %s", text)
	}
	return steps
}

// BenchmarkStart is one durable start of a workflow an operation, of a definition of 100 KB.
func BenchmarkStart(b *testing.B) {
	db := benchmarked(b)
	d := aDefinition()
	d.Text = []byte(`{"x":"` + strings.Repeat("x", 100_000) + `"}`)
	d.Hash = digest.Hex(d.Text)
	if err := db.Update(context.Background(), func(tx store.Tx) error { _, err := tx.PutDefinition(d); return err }); err != nil {
		b.Fatal(err)
	}
	share(b, 64, func(int) error {
		i := newInstance("alice", "")
		i.DefinitionHash, i.Status = d.Hash, store.Completed
		return db.Update(context.Background(), func(tx store.Tx) error {
			tx.AddEvent(moveEvent(i))
			return tx.CreateInstance(i, store.Step{Seq: 1, Kind: "start", To: "a", At: i.Created}, nil)
		})
	})
}

func BenchmarkInstance(b *testing.B) {
	db := benchmarked(b)
	i, err := startInstance(db, "alice", "")
	if err != nil {
		b.Fatal(err)
	}
	s := auth.Principal{User: "alice"}.Scope()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := db.Instance(context.Background(), s, i.ID); err != nil {
			b.Fatal(err)
		}
	}
}
