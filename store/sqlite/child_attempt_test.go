package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"prax/auth"
	"prax/store"
	"prax/store/sqlite"
)

// everybody sees every attempt.
func everybody() auth.Scope { return auth.Principal{User: "root", Oversees: auth.Everything()}.Scope() }

// attemptEvent tells what an attempt has become.
func attemptEvent(name, id string, status store.AttemptStatus) store.Event {
	return store.Event{Kind: store.EventWorkflow, RequestID: name, Detail: attemptDetail(id, status)}
}

const attemptPrefix = `{"attempt":`

func attemptDetail(id string, status store.AttemptStatus) string {
	return fmt.Sprintf(attemptPrefix+`%q,"status":%q}`, id, status)
}

// worker is this process as one that runs attempts.
func worker() string { return fmt.Sprint("p", os.Getpid()) }

// begun opens an attempt and tells that its executor is started again: two facts.
func begun(ctx context.Context, db *sqlite.DB, a store.Attempt, name string) (store.Attempt, error) {
	a.Worker, a.RequestID = worker(), name
	err := db.Update(ctx, func(tx store.Tx) error {
		tx.AddEvent(attemptEvent(name, a.ID, store.AttemptRunning))
		return tx.OpenAttempt(a)
	})
	if err != nil {
		return a, err
	}
	return a, db.Update(ctx, func(tx store.Tx) error { return tx.RenewAttempt(a.ID, a.Fence, 2, 0, a.Lease, a.Created) })
}

// closeOne closes an attempt with its event, within a transaction.
func closeOne(tx store.Tx, a store.Attempt, status store.AttemptStatus) error {
	tx.AddEvent(attemptEvent(a.RequestID, a.ID, status))
	return tx.CloseAttempt(store.Closing{ID: a.ID, Fence: a.Fence, Status: status, By: "a-person", At: a.Created})
}

// tryDirect makes an attempt without an instance, which fails.
func tryDirect(ctx context.Context, db *sqlite.DB, user, name string) error {
	a, err := begun(ctx, db, aDirectAttempt(user), name)
	if err != nil {
		return err
	}
	return db.Update(ctx, func(tx store.Tx) error { return closeOne(tx, a, store.AttemptFailed) })
}

// recoverAttempts takes over what a killed process was running. Whether it happened nobody knows, until a person says
// that it did not: two facts, and what a kill left between them is settled too.
func recoverAttempts(ctx context.Context, db *sqlite.DB) error {
	err := db.Update(ctx, func(tx store.Tx) error {
		all, err := tx.ClaimAttempts(worker(), time.UnixMilli(1<<50), time.UnixMilli(1<<50), time.UnixMilli(1_700_000_000_000), store.MaxPage)
		for _, a := range all {
			err = errors.Join(err, closeOne(tx, a, store.AttemptUnknown))
		}
		return err
	})
	if err != nil {
		return err
	}
	return db.Update(ctx, func(tx store.Tx) error {
		all, err := tx.ListAttempts(everybody(), store.AttemptFilter{Status: store.AttemptUnknown, Limit: store.MaxPage})
		for _, a := range all {
			err = errors.Join(err, closeOne(tx, a.Attempt, store.AttemptNotApplied))
		}
		return err
	})
}

// survivedAttempts checks that each attempt is what its events tell, that there is one for each of them, and that
// what was acknowledged is done.
func survivedAttempts(t *testing.T, db *sqlite.DB, all []store.Event, acknowledged []string) {
	t.Helper()
	told := map[string]int{}
	for _, e := range all {
		if e.Kind == store.EventWorkflow && strings.HasPrefix(e.Detail, attemptPrefix) {
			told[e.Detail]++
		}
	}
	done, blocking := map[string]bool{}, map[string]string{}
	for _, a := range allAttempts(t, db) {
		for _, status := range passed(a) {
			if detail := attemptDetail(a.ID, status); told[detail] != 1 {
				t.Errorf("%d events say %s of %+v", told[detail], detail, a)
			}
			delete(told, attemptDetail(a.ID, status))
		}
		if a.Ended.IsZero() != a.Status.Blocks() || a.Ended.IsZero() != (a.Work != nil) {
			t.Errorf("by half: %+v", a)
		}
		if a.Ended.IsZero() && a.Instance != "" {
			if other := blocking[a.Instance]; other != "" {
				t.Errorf("%s and %s block %s", other, a.ID, a.Instance)
			}
			blocking[a.Instance] = a.ID
		}
		done[a.RequestID] = done[a.RequestID] || a.Status == store.AttemptDone
	}
	for detail := range told {
		t.Errorf("an event says %s, the attempt does not", detail)
	}
	for _, name := range acknowledged {
		if !done[name] {
			t.Errorf("the attempt of %s was acknowledged, it is not done", name)
		}
	}
}

// passed are the statuses that an attempt has been through, one event each; a restore doubts without one.
func passed(a store.Attempt) []store.AttemptStatus {
	all := []store.AttemptStatus{store.AttemptRunning}
	doubted := strings.Contains(a.Message, "backup")
	if (a.Status == store.AttemptUnknown || a.Status == store.AttemptNotApplied) && !doubted {
		all = append(all, store.AttemptUnknown)
	}
	if a.Status != store.AttemptRunning && a.Status != store.AttemptUnknown {
		all = append(all, a.Status)
	}
	return all
}

func allAttempts(t *testing.T, db *sqlite.DB) (all []store.Attempt) {
	t.Helper()
	for before := int64(0); ; {
		var page []store.ListedAttempt
		err := db.View(context.Background(), func(tx store.Tx) (err error) {
			page, err = tx.ListAttempts(everybody(), store.AttemptFilter{Before: before, Limit: store.MaxPage})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			return all
		}
		for _, a := range page {
			all = append(all, a.Attempt)
		}
		before = page[len(page)-1].Number
	}
}

// survivedAttemptsOf checks those of one instance: each of its moves was made by one that is done, in the version
// before, and each approval that one needed is used up. It tells whether one used up what was asked last.
func survivedAttemptsOf(t *testing.T, tx store.Tx, s auth.Scope, i store.Instance) (answered bool) {
	t.Helper()
	done := map[int64]int{}
	for before := int64(0); ; {
		page, err := tx.ListAttempts(s, store.AttemptFilter{Instance: i.ID, Before: before, Limit: store.MaxPage})
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		for _, a := range page {
			before = a.Number
			if a.Status == store.AttemptDone {
				done[a.Version]++
			}
			if a.Approval == "" {
				continue
			}
			answered = answered || a.Version == i.Version
			if p, err := tx.Approval(s, a.Approval); err != nil || p.Status != store.ApprovalConsumed || p.Version != a.Version {
				t.Errorf("%s needed %+v, %v", a.ID, p, err)
			}
		}
	}
	for version := int64(1); version < i.Version; version += 2 {
		if done[version] != 1 {
			t.Errorf("%d attempts moved %s from version %d", done[version], i.ID, version)
		}
		delete(done, version)
	}
	if len(done) != 0 {
		t.Errorf("attempts of %s are done, but moved nothing: %v", i.ID, done)
	}
	return answered
}
