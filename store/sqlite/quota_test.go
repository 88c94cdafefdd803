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
	want := query(t, path, kept)
	for _, charged := range []string{`SELECT sum(bytes) FROM instance`, `SELECT sum(instance_bytes) FROM owner`} {
		if got := query(t, path, charged); got != want {
			t.Errorf("%s is %s, want %s", charged, got, want)
		}
	}
	const differ = `SELECT count(*) FROM owner o WHERE instances <> (SELECT count(*) FROM instance WHERE user = o.user AND status = 'open')
		OR instance_bytes <> (SELECT sum(bytes) FROM instance WHERE user = o.user)`
	if got := query(t, path, differ+` OR (SELECT count(*) FROM owner) <> 2`); got != "0" {
		t.Errorf("the account of %s users is wrong", got)
	}
}
