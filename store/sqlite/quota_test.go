package sqlite_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"prax/auth"
	"prax/store"
	"prax/store/sqlite"
)

// TestInstanceQuota: a user has so many open instances and so many bytes in all of them, and no more; what
// ends makes room for another, and ends even when there is no room left.
func TestInstanceQuota(t *testing.T) {
	t.Parallel()
	db := opened(t, sqlite.Config{Quota: store.Quota{Instances: 2, InstanceBytes: 20_000}})
	begin := func(user string) store.Instance {
		t.Helper()
		i, err := startInstance(db, user, "")
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	first, second := begin("alice"), begin("alice")
	if _, err := startInstance(db, "alice", ""); !errors.Is(err, store.ErrQuota) || !strings.Contains(err.Error(), "2 open instances") {
		t.Errorf("a third open instance: %v", err)
	}
	begin("bob")
	change := func(i store.Instance, bytes int, status store.Status) (store.Instance, error) {
		next, m := moved(i)
		next.Context, next.Status = []byte(`{"x":"`+strings.Repeat("x", bytes)+`"}`), status
		m.Next = next
		return next, db.Update(context.Background(), func(tx store.Tx) error { tx.AddEvent(moveEvent(next)); return tx.Move(m) })
	}
	if _, err := change(first, 10, store.Completed); err != nil {
		t.Fatal(err)
	}
	third := begin("alice")
	var err error
	if second, err = change(second, 17_000, store.Open); err != nil {
		t.Errorf("within the bytes: %v", err)
	}
	if _, err := change(third, 3000, store.Open); !errors.Is(err, store.ErrQuota) || !strings.Contains(err.Error(), "20000 bytes") {
		t.Errorf("beyond the bytes: %v", err)
	}
	if _, err := change(third, store.EndingBytes, store.Cancelled); !errors.Is(err, store.ErrQuota) {
		t.Errorf("an end that keeps too much: %v", err)
	}
	if _, err := change(third, 3000, store.Cancelled); err != nil {
		t.Errorf("an end beyond the bytes: %v", err)
	}
	if _, err := startInstance(db, "alice", ""); !errors.Is(err, store.ErrQuota) || !strings.Contains(err.Error(), "20000 bytes") {
		t.Errorf("a start beyond the bytes: %v", err)
	}
	if err := acknowledge(db, second, "s"); !errors.Is(err, store.ErrQuota) {
		t.Errorf("an acknowledgement beyond the bytes: %v", err)
	}
	if _, err = change(second, 10, store.Open); err != nil {
		t.Errorf("a move that makes room: %v", err)
	}
	begin("alice")
}

func acknowledge(db *sqlite.DB, i store.Instance, subject string) error {
	return db.Update(context.Background(), func(tx store.Tx) error {
		return tx.Acknowledge(auth.Principal{User: i.User}.Scope(), i.ID, store.Acknowledgement{Subject: subject, Hash: "h", At: time.UnixMilli(1)})
	})
}

// TestAttemptQuota: whoever has no room left begins no attempt, but one that runs ends whatever it brings, and what it
// does not keep any more makes room.
func TestAttemptQuota(t *testing.T) {
	t.Parallel()
	db := opened(t, sqlite.Config{Quota: store.Quota{InstanceBytes: 20_000}})
	i, err := startInstance(db, "alice", "")
	if err != nil {
		t.Fatal(err)
	}
	large := func(a store.Attempt, bytes int) store.Attempt {
		a.Work = []byte(`"` + strings.Repeat("x", bytes) + `"`)
		return a
	}
	full := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, store.ErrQuota) || !strings.Contains(err.Error(), "20000 bytes") {
			t.Errorf("%s: %v, want ErrQuota", what, err)
		}
	}
	full("too large a work", attempt(db, large(anAttempt(i), 20_000)))
	full("too large a work of none", attempt(db, large(aDirectAttempt("alice"), 20_000)))
	running := large(anAttempt(i), 15_000)
	if err := attempt(db, running); err != nil {
		t.Fatal(err)
	}
	full("a second one", attempt(db, large(aDirectAttempt("alice"), 5000)))
	if err := attempt(db, large(aDirectAttempt("bob"), 5000)); err != nil {
		t.Errorf("another user's: %v", err)
	}
	output := []byte(`"` + strings.Repeat("y", 30_000) + `"`)
	if err := end(db, store.Closing{ID: running.ID, Status: store.AttemptKept, Output: output}); err != nil {
		t.Errorf("an end beyond the bytes: %v", err)
	}
	full("beyond the bytes", attempt(db, anAttempt(i)))
	if _, err := move(db, i); err != nil {
		t.Errorf("a move that lets go of what is beyond: %v", err)
	}
	if err := attempt(db, large(aDirectAttempt("alice"), 10_000)); err != nil {
		t.Errorf("when there is room again: %v", err)
	}
}

// TestInstanceAccount: what a user is charged is what is kept, whatever was done.
func TestInstanceAccount(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := open(t, sqlite.Config{Dir: dir})
	for _, user := range []string{"alice", "alice", "bob"} {
		i, err := startInstance(db, user, "")
		for range 5 {
			if err != nil {
				t.Fatal(err)
			}
			m := twoSteps(i)
			m.Next.Summary, m.Next.Memo = strings.Repeat("s", int(m.Next.Version)), []byte(`{"hops":1}`)
			err = db.Update(context.Background(), func(tx store.Tx) error { tx.AddEvent(moveEvent(m.Next)); return tx.Move(m) })
			i = m.Next
		}
		if err := errors.Join(err, acknowledge(db, i, "s"), acknowledge(db, i, "t"), acknowledge(db, i, "s")); err != nil {
			t.Fatal(err)
		}
	}
	last, err := startInstance(db, "bob", "")
	if err != nil {
		t.Fatal(err)
	}
	_, m := moved(last)
	m.Next.Status = store.Completed
	if err := db.Update(context.Background(), func(tx store.Tx) error { return tx.Move(m) }); err != nil {
		t.Fatal(err)
	}
	if _, err := move(db, last); !errors.Is(err, store.ErrConflict) { // and one that is refused
		t.Error(err)
	}
	if err := manyAttempts(db, last.User); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "prax.db")
	const kept = `SELECT sum(n) FROM (
		SELECT 512 + octet_length(input) + octet_length(context) + octet_length(memo) + octet_length(summary) + octet_length(reason) AS n FROM instance
		UNION ALL SELECT 256 + coalesce(octet_length(arguments), 0) + coalesce(octet_length(output), 0) + coalesce(octet_length(delta), 0) FROM step
		UNION ALL SELECT 256 + octet_length(uri) + octet_length(summary) FROM evidence
		UNION ALL SELECT 256 + octet_length(subject) + octet_length(hash) FROM acknowledgement
		UNION ALL SELECT 256 + coalesce(octet_length(arguments), 0) + octet_length(material) FROM approval)`
	if got, want := query(t, path, `SELECT sum(bytes) FROM instance`), query(t, path, kept); got != want {
		t.Errorf("instances have %s bytes, want %s", got, want)
	}
	const tried = `SELECT sum(768 + coalesce(octet_length(work), 0) + coalesce(octet_length(output), 0) + octet_length(message) + octet_length(note)) FROM attempt`
	if got, want := query(t, path, `SELECT sum(bytes) || ' ' || count(DISTINCT status) || ' ' || (count(*) > 1000) FROM attempt`), query(t, path, tried)+" 7 1"; got != want {
		t.Errorf("attempts have %s bytes, statuses, many, want %s", got, want)
	}
	const differ = `SELECT count(*) FROM owner o WHERE instances <> (SELECT count(*) FROM instance WHERE user = o.user AND status = 'open')
		OR instance_bytes <> (SELECT sum(bytes) FROM instance WHERE user = o.user) + (SELECT coalesce(sum(bytes), 0) FROM attempt WHERE user = o.user)`
	if got := query(t, path, differ+` OR (SELECT count(*) FROM owner) <> 2`); got != "0" {
		t.Errorf("the account of %s users is wrong", got)
	}
}

// manyAttempts lets a user make attempts of every kind of end, more than are remembered, some of them in an instance
// that moves on.
func manyAttempts(db *sqlite.DB, user string) error {
	i, err := startInstance(db, user, "")
	if err != nil {
		return err
	}
	long := func(c string) []byte { return []byte(`"` + strings.Repeat(c, 100) + `"`) }
	ends := [][]store.AttemptStatus{
		nil, {store.AttemptUnknown}, {store.AttemptDone}, {store.AttemptKept}, {store.AttemptKept, store.AttemptDone}, {store.AttemptFailed},
		{store.AttemptUnknown, store.AttemptApplied}, {store.AttemptUnknown, store.AttemptNotApplied},
	}
	try := func(tx store.Tx, a store.Attempt, statuses []store.AttemptStatus) error {
		a.Work = long("w")
		err := tx.OpenAttempt(a)
		for _, status := range statuses {
			c := store.Closing{ID: a.ID, Status: status, Output: long("o"), Message: string(status), By: "by", Note: "note", At: a.Created}
			err = errors.Join(err, tx.CloseAttempt(c))
		}
		return err
	}
	return db.Update(context.Background(), func(tx store.Tx) error {
		tx.AddEvent(moveEvent(i))
		for n := range 2 * store.MaxDirectAttempts {
			if err := try(tx, aDirectAttempt(user), ends[n%len(ends)]); err != nil {
				return err
			}
		}
		at := i
		for _, statuses := range ends[2:] {
			next, m := moved(at)
			if err := errors.Join(try(tx, anAttempt(at), statuses), tx.Move(m)); err != nil {
				return err
			}
			at = next
		}
		if _, err := tx.DoubtAttempts(at.Updated); err != nil {
			return err
		}
		return errors.Join(try(tx, anAttempt(at), nil), try(tx, aDirectAttempt(user), nil))
	})
}
