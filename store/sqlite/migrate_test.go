package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/store"
	"prax/store/sqlite"
)

// TestMigrate: an older file is copied first and then brought up to date, once; a migration that
// fails changes nothing; an older prax refuses the result. Not parallel: it changes what this
// prax is.
func TestMigrate(t *testing.T) {
	dir := t.TempDir()
	db := open(t, sqlite.Config{Dir: dir})
	if err := put(db, "alice", "old"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	number := sqlite.SchemaNumber()
	restore := sqlite.Migrations([]string{"CREATE TABLE extra (x INTEGER) STRICT; CREATE TABLE broken ("})
	_, err := sqlite.Open(context.Background(), sqlite.Config{Dir: dir})
	restore()
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("migrate to schema %d:", number+1)) {
		t.Errorf("a migration that fails: %v", err)
	}
	if got := query(t, filepath.Join(dir, "prax.db"), "SELECT count(*) FROM sqlite_schema WHERE name = 'extra'"); got != "0" {
		t.Error("a migration that failed left something")
	}

	restore = sqlite.Migrations([]string{"CREATE TABLE extra (x INTEGER) STRICT; INSERT INTO extra VALUES (1)"})
	for range 2 {
		db := open(t, sqlite.Config{Dir: dir})
		if got := newest(t, db, "alice"); len(got) != 1 {
			t.Errorf("%d documents after migrating", len(got))
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	restore()
	if got := query(t, filepath.Join(dir, "prax.db"), "SELECT count(*) FROM extra"); got != "1" {
		t.Errorf("the migration ran %s times", got)
	}
	before := filepath.Join(dir, fmt.Sprintf("prax-before-v%d.db", number+1))
	if got := query(t, before, "SELECT (SELECT user_version FROM pragma_user_version) || ' ' || count(*) FROM document"); got != fmt.Sprintf("%d 1", number) {
		t.Errorf("the copy holds %q", got)
	}
	if info, err := os.Stat(before); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the copy: %v, %v", info, err)
	}

	_, err = sqlite.Open(context.Background(), sqlite.Config{Dir: dir})
	if !errors.Is(err, store.ErrNewer) {
		t.Errorf("an older prax: %v, want ErrNewer", err)
	}
	if _, err := sqlite.OpenReadOnly(dir); !errors.Is(err, store.ErrNewer) {
		t.Errorf("an older prax that only reads: %v, want ErrNewer", err)
	}
}

// TestMigrateSteps: the history that an older prax wrote is there, in its order. Not parallel: it changes what this
// prax is.
func TestMigrateSteps(t *testing.T) {
	dir := t.TempDir()
	restore := sqlite.Schema(5)
	db := open(t, sqlite.Config{Dir: dir})
	instances := make([]store.Instance, 3)
	for round := range 4 {
		for n := range instances {
			var err error
			if round == 0 {
				instances[n], err = startInstance(db, "alice", "")
			} else {
				instances[n], err = move(db, instances[n])
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	want := histories(t, db, instances)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	restore()
	db = opened(t, sqlite.Config{Dir: dir})
	if diff := cmp.Diff(want, histories(t, db, instances)); diff != "" || len(want) != 3*4 {
		t.Errorf("%d steps before (-want +got):\n%s", len(want), diff)
	}
	if _, err := move(db, instances[1]); err != nil {
		t.Errorf("a move afterwards: %v", err)
	}
	if got, err := db.Pragma("integrity_check"); err != nil || got != "ok" {
		t.Errorf("integrity: %q, %v", got, err)
	}
}

// TestMigrateChain: the chain that an older prax wrote is there, whose calls it leads to are the same, it verifies, and
// it goes on. Not parallel: it changes what this prax is.
func TestMigrateChain(t *testing.T) {
	dir := t.TempDir()
	restore := sqlite.Schema(6)
	db := open(t, sqlite.Config{Dir: dir})
	err := db.Update(context.Background(), func(tx store.Tx) error {
		tx.AddEvent(store.Event{Kind: store.EventCall, User: "alice", RequestID: "alone"})
		tx.AddEvent(store.Event{Kind: store.EventWorkflow, User: "bob", Detail: `{"text":"` + strings.Repeat("long", 1000) + `"}`})
		tx.AddEvent(store.Event{Kind: store.EventBlock, Calls: []store.Event{
			{Kind: store.EventCall, User: "alice", RequestID: "first"},
			{Kind: store.EventCall, User: "alice", RequestID: "second"},
			{Kind: store.EventCall, User: "bob", RequestID: "other"},
		}})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	chain, traces := chainOf(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	restore()
	db = opened(t, sqlite.Config{Dir: dir})
	again, same := chainOf(t, db)
	if diff := cmp.Diff(chain, again[:min(len(chain), len(again))]); diff != "" || len(again) < len(chain) {
		t.Errorf("%d events before (-want +got):\n%s", len(chain), diff)
	}
	if diff := cmp.Diff(traces, same); diff != "" || len(traces) != 3 {
		t.Errorf("alice's calls (-want +got):\n%s", diff)
	}
	if err := put(db, "alice", "afterwards"); err != nil {
		t.Error(err)
	}
	if report, err := db.Verify(context.Background()); err != nil || !report.OK() {
		t.Errorf("the chain afterwards: %q, %v", report.Problems, err)
	}
	if got, err := db.Pragma("integrity_check"); err != nil || got != "ok" {
		t.Errorf("integrity: %q, %v", got, err)
	}
}

// chainOf is the whole chain, and the ids of alice's calls in it.
func chainOf(t *testing.T, db *sqlite.DB) (chain []store.Event, calls []string) {
	t.Helper()
	err := db.View(context.Background(), func(tx store.Tx) (err error) {
		if chain, err = tx.EventsAfter(0, 1000); err != nil {
			return err
		}
		return tx.Traces(auth.Principal{User: "alice"}.Scope(), func(trace store.Trace) bool {
			calls = append(calls, fmt.Sprint(trace.Block, " ", trace.RequestID))
			return true
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return chain, calls
}

// histories are the steps of some instances of alice's.
func histories(t *testing.T, db *sqlite.DB, instances []store.Instance) (all []store.Step) {
	t.Helper()
	err := db.View(context.Background(), func(tx store.Tx) error {
		for _, i := range instances {
			steps, err := tx.Steps(auth.Principal{User: "alice"}.Scope(), i.ID, 0, store.MaxSteps)
			if err != nil {
				return err
			}
			all = append(all, steps...)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func query(t *testing.T, path, text string) string {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var got string
	if err := db.QueryRow(text).Scan(&got); err != nil {
		t.Fatal(err)
	}
	return got
}
