package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"prax/auth"
	"prax/store"
	"prax/store/sqlite"
)

// runOf names the instance of one of a child's writers: the next child goes on with it.
func runOf(writer int) string { return fmt.Sprint("w", writer) }

// advance starts the writer's instance, or moves it by two versions after an attempt, with evidence and an approval:
// one fact with its event, which has the name, and with the end of the attempt, which used up the approval before.
func advance(ctx context.Context, db *sqlite.DB, writer int, name string) error {
	s := auth.Principal{User: user(writer)}.Scope()
	var i store.Instance
	var asked []store.Approval
	err := db.View(ctx, func(tx store.Tx) (err error) {
		if i, err = tx.RunInstance(s, runOf(writer)); err == nil {
			asked, err = tx.OpenApprovals(s, i.ID, i.Updated, 1)
		}
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		i, err = startInstance(db, user(writer), runOf(writer))
	}
	if err != nil {
		return err
	}
	a := anAttempt(i)
	if len(asked) > 0 {
		a.Approval = asked[0].ID
	}
	if a, err = begun(ctx, db, a, name); err != nil {
		return err
	}
	return db.Update(ctx, func(tx store.Tx) error {
		if err := closeOne(tx, a, store.AttemptDone); err != nil {
			return err
		}
		m := twoSteps(i)
		tx.AddEvent(store.Event{Kind: store.EventWorkflow, User: i.User, RequestID: name, Detail: fmt.Sprintf(`{"id":%q,"version":%d}`, i.ID, m.Next.Version)})
		return tx.Move(m)
	})
}

func twoSteps(i store.Instance) store.Move {
	next, m := moved(i)
	m.Next.Version++
	m.Steps = append(m.Steps, store.Step{Seq: m.Next.Version, Kind: "chain", At: i.Updated, Delta: next.Context})
	m.Evidence = []store.Evidence{{ID: fmt.Sprint("ev_", m.Next.Version), Seq: m.Next.Version, Kind: "k", At: i.Updated}}
	m.Approval = &store.Approval{
		ID: "ap_" + store.NewID(), User: i.User, Instance: i.ID, Version: m.Next.Version, Definition: i.DefinitionID, Hash: i.DefinitionHash,
		Transition: "go", Material: []byte(`{}`), Digest: "d", Status: store.ApprovalOpen, Created: i.Updated, Expires: i.Updated.Add(time.Hour),
	}
	return m
}

// survivedMoves checks that every move is there whole or not at all: of each instance, each version has its
// step, each second one its evidence and its event, and the last one the open approval.
func survivedMoves(t *testing.T, db *sqlite.DB, all []store.Event, acknowledged []string) {
	t.Helper()
	details := map[string]int{}
	names := map[string]bool{}
	asked := 1 // approval is open in each instance; a restore voids all of them
	for _, e := range all {
		if e.Kind == store.EventRestore {
			asked = 0
		}
		if e.Kind == store.EventWorkflow && !strings.HasPrefix(e.Detail, attemptPrefix) {
			names[e.RequestID] = true
			details[e.Detail]++
		}
	}
	for _, name := range acknowledged {
		if !names[name] {
			t.Errorf("the move of %s was acknowledged, its event is gone", name)
		}
	}
	moves := 0
	for writer := range 8 {
		moves += survivedMovesOf(t, db, writer, asked, details)
	}
	told := 0
	for detail, n := range details {
		if n != 1 {
			t.Errorf("%d events say %s", n, detail)
		}
		told += n
	}
	if told != moves {
		t.Errorf("%d events of starts and moves, want %d", told, moves)
	}
}

// survivedMovesOf checks one writer's instance, and returns how many events it should have.
func survivedMovesOf(t *testing.T, db *sqlite.DB, writer, open int, details map[string]int) (moves int) {
	t.Helper()
	s := auth.Principal{User: user(writer)}.Scope()
	err := db.View(context.Background(), func(tx store.Tx) error {
		i, err := tx.RunInstance(s, runOf(writer))
		if errors.Is(err, store.ErrNotFound) {
			return nil // it was killed before it had started
		}
		if err != nil {
			return err
		}
		seen := int64(0)
		for seen < i.Version {
			steps, err := tx.Steps(s, i.ID, seen, store.MaxSteps)
			if err != nil {
				return err
			}
			for _, step := range steps {
				if seen++; step.Seq != seen {
					t.Fatalf("%s has step %d in the place of %d", i.ID, step.Seq, seen)
				}
			}
			if len(steps) == 0 {
				t.Fatalf("%s has version %d and %d steps", i.ID, i.Version, seen)
			}
		}
		evidence, err := tx.EvidenceOf(s, i.ID)
		asked, askedErr := tx.OpenApprovals(s, i.ID, i.Updated, 0)
		moves = int(i.Version+1) / 2 // the start, and two versions a move
		if int(i.Version)%2 != 1 || len(evidence) != moves-1 || seen != i.Version {
			t.Errorf("%s: version %d, %d steps, %d pieces of evidence", i.ID, i.Version, seen, len(evidence))
		}
		if survivedAttemptsOf(t, tx, s, i) {
			open = 0
		}
		if moves > 1 && (len(asked) != open || open == 1 && asked[0].Version != i.Version) {
			t.Errorf("%s of version %d: open are %+v", i.ID, i.Version, asked)
		}
		for version := int64(3); version <= i.Version; version += 2 {
			if detail := fmt.Sprintf(`{"id":%q,"version":%d}`, i.ID, version); details[detail] != 1 {
				t.Errorf("%d events say %s", details[detail], detail)
			}
		}
		return errors.Join(err, askedErr)
	})
	if err != nil {
		t.Fatal(err)
	}
	return moves
}
