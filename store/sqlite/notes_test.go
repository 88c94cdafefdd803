package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"prax/auth"
	"prax/store"
	"prax/store/digest"
	"prax/store/sqlite"
)

// TestNotedMoves has batches of random functions work on a store that notes the moves of what it has in memory, and on one
// that has no memory: both answer the same, and hold the same.
func TestNotedMoves(t *testing.T) {
	t.Parallel()
	quota := store.Quota{InstanceBytes: 2600}
	noting, plain := opened(t, sqlite.Config{Quota: quota}), opened(t, sqlite.Config{Quota: quota, Memory: -1})
	rapid.Check(t, func(r *rapid.T) {
		users := []string{"u" + store.NewID(), "v" + store.NewID()}
		var all []store.Instance
		for n := range 4 {
			i, err := startInstance(noting, users[n%2], "")
			if err != nil {
				r.Fatal(err)
			}
			if err := startThis(plain, i); err != nil {
				r.Fatal(err)
			}
			all = append(all, i)
		}
		for range rapid.IntRange(1, 12).Draw(r, "batches") {
			batch := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) function { return drawFunction(r, all) }), 1, 8).Draw(r, "batch")
			got, want := inOneBatch(noting, batch), inOneBatch(plain, batch)
			if diff := cmp.Diff(want, got); diff != "" {
				r.Fatalf("without memory (-), with it (+)\n%s", diff)
			}
			now := holds(r, plain, all)
			if diff := cmp.Diff(now, holds(r, noting, all)); diff != "" {
				r.Fatalf("without memory (-), with it (+)\n%s", diff)
			}
			for n := range all {
				all[n] = now[n].Instance
			}
		}
	})
}

func startThis(db *sqlite.DB, i store.Instance) error {
	return db.Update(context.Background(), func(tx store.Tx) error {
		if _, err := tx.PutDefinition(aDefinition()); err != nil {
			return err
		}
		return tx.CreateInstance(i, store.Step{Seq: 1, Kind: "start", To: "a", At: i.Created}, nil)
	})
}

// function is what one caller does in a transaction: its acts as far as they succeed, and then perhaps an error.
type function struct {
	acts []act
	fail bool
}

type act struct {
	kind     string
	instance store.Instance // as the act takes it to be
	attempt  string
}

func drawFunction(r *rapid.T, all []store.Instance) function {
	kinds := []string{"move", "move", "move", "move", "move", "end", "read", "open", "close", "close", "show", "ask", "answer", "use", "die", "panic", "exit"}
	acts := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) act {
		n := rapid.IntRange(0, len(all)-1).Draw(r, "instance")
		i := all[n]
		i.Version = max(1, i.Version+rapid.SampledFrom([]int64{0, 0, 0, 1, -1}).Draw(r, "version"))
		return act{rapid.SampledFrom(kinds).Draw(r, "kind"), i, fmt.Sprint("at_", i.ID, rapid.IntRange(1, 3).Draw(r, "attempt"))}
	}), 1, 3).Draw(r, "acts")
	return function{acts, rapid.IntRange(0, 5).Draw(r, "fail") == 0}
}

var errOnPurpose = errors.New("on purpose")

func (f function) run(tx store.Tx) error {
	for _, a := range f.acts {
		if err := a.do(tx); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	if f.fail {
		return errOnPurpose
	}
	return nil
}

func (a act) do(tx store.Tx) error {
	s := auth.Principal{User: a.instance.User}.Scope()
	at := time.UnixMilli(1_700_000_000_000).UTC()
	switch a.kind {
	case "read":
		i, err := tx.Instance(s, a.instance.ID)
		if err == nil && i.Version < a.instance.Version {
			err = fmt.Errorf("%w: read version %d", errOnPurpose, i.Version)
		}
		return err
	case "open", "use":
		attempt := anAttempt(a.instance)
		if attempt.ID = a.attempt; a.kind == "use" {
			attempt.Approval = approvalID(a.instance)
		}
		return tx.OpenAttempt(attempt)
	case "close":
		status := store.AttemptDone
		if strings.HasSuffix(a.attempt, "1") {
			status = store.AttemptKept
		}
		return tx.CloseAttempt(store.Closing{ID: a.attempt, Status: status, Output: []byte(`{"n":1}`), At: at})
	case "call":
		tx.AddEvent(store.Event{Kind: store.EventCall, User: a.instance.User, RequestID: a.instance.ID})
		return nil
	case "die":
		return sqlite.Break(tx)
	case "panic":
		panic("on purpose")
	case "exit":
		return sqlite.EndGoroutine(tx)
	case "tell":
		tx.AddEvent(store.Event{Kind: store.EventReload})
		return nil
	case "show":
		return tx.Acknowledge(s, a.instance.ID, store.Acknowledgement{Subject: "s", Hash: strings.Repeat("h", int(a.instance.Version)), At: at})
	}
	next, m := moved(a.instance)
	switch a.kind {
	case "end":
		m.Next.Status = store.Completed
	case "ask":
		m.Approval = anApproval(next)
	case "answer":
		m.Consumed = approvalID(a.instance)
	}
	tx.AddEvent(moveEvent(next))
	return tx.Move(m)
}

// anApproval is the one that is opened with a version of an instance.
func anApproval(i store.Instance) *store.Approval {
	material := []byte(`{"transition":"go"}`)
	return &store.Approval{
		ID: approvalID(i), User: i.User, Instance: i.ID, Version: i.Version, Definition: i.DefinitionID, Hash: i.DefinitionHash, Transition: "go",
		Material: material, Digest: digest.Hex(material), Tier: "low", Client: "agent", Status: store.ApprovalOpen,
		Created: i.Updated, Expires: i.Updated.Add(store.ApprovalLife),
	}
}

func approvalID(i store.Instance) string { return fmt.Sprint("ap_", i.ID, i.Version) }

// inOneBatch has functions share a transaction, and tells what each of them answered.
func inOneBatch(db *sqlite.DB, all []function) []string {
	answers := make([]string, len(all))
	begun, gate := make(chan struct{}), make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		_ = db.Update(context.Background(), func(store.Tx) error {
			close(begun)
			<-gate
			return nil
		})
	})
	<-begun
	for n, f := range all {
		group.Go(func() { answers[n] = answerOf(db.Update(context.Background(), f.run)) })
		for db.Queued() <= n {
			runtime.Gosched()
		}
	}
	close(gate)
	group.Wait()
	return answers
}

func answerOf(err error) string {
	for _, known := range []error{nil, errOnPurpose, store.ErrConflict, store.ErrQuota, store.ErrNotFound} {
		if errors.Is(err, known) {
			return fmt.Sprint(known)
		}
	}
	return err.Error()
}

// holding is what a store has of an instance and its user.
type holding struct {
	Instance store.Instance
	Steps    []store.Step
	Open     bool // an attempt is
	Asks     int  // approvals that are open
	Kept     int64
}

func holds(r *rapid.T, db *sqlite.DB, all []store.Instance) (found []holding) {
	for _, i := range all {
		s := auth.Principal{User: i.User}.Scope()
		var h holding
		err := db.View(context.Background(), func(tx store.Tx) (err error) {
			if h.Instance, err = tx.Instance(s, i.ID); err != nil {
				return err
			}
			if h.Steps, err = tx.Steps(s, i.ID, 0, 100); err != nil {
				return err
			}
			_, failed := tx.BlockingAttempt(s, i.ID)
			h.Open = failed == nil
			asked, err := tx.OpenApprovals(s, i.ID, i.Updated, 0)
			if h.Asks = len(asked); err != nil {
				return err
			}
			h.Kept, err = sqlite.KeptOf(tx, i.User)
			return err
		})
		if err != nil {
			r.Fatal(err)
		}
		remembered, err := db.Instance(context.Background(), s, i.ID)
		if diff := cmp.Diff(h.Instance, remembered); diff != "" || err != nil {
			r.Fatalf("in the file (-), in memory (+)\n%s%v", diff, err)
		}
		found = append(found, h)
	}
	return found
}

// TestFileIsRight: where memory was wrong about the file, which nothing but a damage can bring about, who shares the batch
// is answered all the same, and memory learns.
func TestFileIsRight(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := opened(t, sqlite.Config{Dir: dir})
	var all []function
	var instances []store.Instance
	for range 4 {
		i, err := startInstance(db, "alice", "")
		if err != nil {
			t.Fatal(err)
		}
		instances = append(instances, i)
		all = append(all, function{acts: []act{{kind: "move", instance: i}}})
	}
	behind, err := sql.Open("sqlite", filepath.Join(dir, "prax.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer behind.Close()
	if _, err := behind.Exec(`UPDATE instance SET version = 5 WHERE id = ?`, instances[1].ID); err != nil {
		t.Fatal(err)
	}
	want := []string{"<nil>", store.ErrConflict.Error(), "<nil>", "<nil>"}
	if diff := cmp.Diff(want, inOneBatch(db, all)); diff != "" {
		t.Error(diff)
	}
	for n, i := range instances {
		got, err := db.Instance(context.Background(), auth.Principal{User: "alice"}.Scope(), i.ID)
		if want := map[bool]int64{true: 5, false: 2}[n == 1]; err != nil || got.Version != want {
			t.Errorf("instance %d has version %d, %v; want %d", n, got.Version, err, want)
		}
	}
}

// TestNotedOnAFullDisk: what was answered as done is there, and nothing else, whoever else in the batch found no room.
func TestNotedOnAFullDisk(t *testing.T) {
	t.Parallel()
	db := opened(t, sqlite.Config{})
	s := auth.Principal{User: "alice"}.Scope()
	var full atomic.Int32
	var group sync.WaitGroup
	var all []store.Instance
	for range 12 {
		i, err := startInstance(db, "alice", "")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, i)
	}
	for n, i := range all {
		group.Go(func() {
			for done := 0; done < 40 && full.Load() < 200; {
				next, m := moved(i)
				m.Next.Context = []byte(fmt.Sprintf(`{"n":%d,"x":%q}`, next.Version, strings.Repeat("x", 500*(n+done%7))))
				m.Steps[0].Delta = m.Next.Context
				switch err := db.Update(context.Background(), func(tx store.Tx) error { tx.AddEvent(moveEvent(next)); return tx.Move(m) }); {
				case err == nil:
					i, done = m.Next, done+1
				case errors.Is(err, store.ErrFull):
					if full.Add(1)%20 == 0 {
						_ = db.SetMaxPages(100_000)
					}
				default:
					t.Errorf("version %d of %d: %v", next.Version, n, err)
					return
				}
				if done%10 == n%10 {
					_ = db.SetMaxPages(1) // which is what it has
				}
			}
			var filed store.Instance
			err := db.View(context.Background(), func(tx store.Tx) (err error) { filed, err = tx.Instance(s, i.ID); return err })
			remembered, forgot := db.Instance(context.Background(), s, i.ID)
			if err = errors.Join(err, forgot); err != nil || filed.Version != i.Version || remembered.Version != i.Version || string(filed.Context) != string(i.Context) {
				t.Errorf("done up to version %d: the file has %d, memory %d, %v", i.Version, filed.Version, remembered.Version, err)
			}
		})
	}
	group.Wait()
	if err := db.SetMaxPages(100_000); err != nil { // it is closed with room
		t.Fatal(err)
	}
	if full.Load() == 0 {
		t.Error("the disk was never full")
	}
	if report, err := db.Verify(context.Background()); err != nil || !report.OK() {
		t.Errorf("%v, %q", err, report.Problems)
	}
}
