package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"prax/auth"
	"prax/store"
	"prax/store/sqlite"
)

// traces is what the two walks of a user come by, as ids with the number of the block.
func traces(t *testing.T, db *sqlite.DB, user string) (calls, workflows []string) {
	t.Helper()
	s := auth.Principal{User: user}.Scope()
	err := db.View(context.Background(), func(tx store.Tx) error {
		err := tx.Traces(s, func(trace store.Trace) bool {
			if trace.User != user {
				t.Errorf("%q came by a call of %q", user, trace.User)
			}
			calls = append(calls, fmt.Sprint(trace.Block, " ", trace.RequestID))
			return true
		})
		return errors.Join(err, tx.Observed(s, func(e store.Event) bool {
			workflows = append(workflows, e.RequestID)
			return true
		}))
	})
	if err != nil {
		t.Fatal(err)
	}
	return calls, workflows
}

// slowTraces is the same, from the whole chain.
func slowTraces(chain []store.Event, user string) (calls, workflows []string) {
	add := func(e *store.Event, block int64) {
		switch {
		case e.User != user:
		case e.Kind == store.EventCall:
			calls = append(calls, fmt.Sprint(block, " ", e.RequestID))
		case e.Kind == store.EventWorkflow:
			workflows = append(workflows, e.RequestID)
		}
	}
	for n := len(chain) - 1; n >= 0; n-- {
		e := &chain[n]
		add(e, 0)
		for c := len(e.Calls) - 1; c >= 0; c-- {
			add(&e.Calls[c], e.Seq)
		}
	}
	return calls, workflows
}

// foundBySlowWay checks that users find in the chain what is theirs there, and that it is whole.
func foundBySlowWay(t *testing.T, db *sqlite.DB, users []string) {
	t.Helper()
	chain := chainLeft(t, db)
	for _, user := range users {
		calls, workflows := traces(t, db, user)
		slowCalls, slowWorkflows := slowTraces(chain, user)
		if diff := cmp.Diff([][]string{slowCalls, slowWorkflows}, [][]string{calls, workflows}); diff != "" {
			t.Errorf("what %q finds (-in the chain +found):\n%s", user, diff)
		}
	}
	if report, err := db.Verify(context.Background()); err != nil || !report.OK() {
		t.Errorf("verify: %v, problems %q", err, report.Problems)
	}
}

func chainLeft(t *testing.T, db *sqlite.DB) (chain []store.Event) {
	t.Helper()
	for seq := int64(0); ; seq = chain[len(chain)-1].Seq {
		var next []store.Event
		err := db.View(context.Background(), func(tx store.Tx) (err error) {
			next, err = tx.EventsAfter(seq, 100)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(next) == 0 {
			return chain
		}
		chain = append(chain, next...)
	}
}

// addMixed adds a block of calls, and now and then of what was done in workflows, of some of the users, each of whom has
// up to three in it; and events beside it.
func addMixed(t *testing.T, db *sqlite.DB, r *rand.Rand, users []string, id string, at time.Time) {
	t.Helper()
	block := store.Event{Kind: store.EventBlock, At: at}
	for _, n := range r.Perm(len(users))[:r.IntN(len(users))] {
		for range 1 + r.IntN(3) {
			e := store.Event{Kind: store.EventCall, User: users[n], Tool: "echo", RequestID: fmt.Sprint(id, "c", len(block.Calls))}
			switch r.IntN(8) {
			case 0:
				e.Kind = store.EventWorkflow
			case 1:
				e.Detail = fmt.Sprintf(`{"a":1,"user":%q}`, users[r.IntN(len(users))])
			}
			block.Calls = append(block.Calls, e)
		}
	}
	err := db.Update(context.Background(), func(tx store.Tx) error {
		if len(block.Calls) > 0 {
			tx.AddEvent(block)
		}
		if r.IntN(3) == 0 {
			tx.AddEvent(store.Event{Kind: store.EventCall, At: at, User: users[r.IntN(len(users))], RequestID: id + "e"})
			tx.AddEvent(store.Event{Kind: store.EventWorkflow, At: at, User: users[r.IntN(len(users))], RequestID: id + "w"})
		}
		if r.IntN(3) == 0 {
			for n := range r.IntN(30) { // so many that they are gathered, or fewer
				kind := []store.EventKind{store.EventCall, store.EventWorkflow, store.EventServer}[r.IntN(3)]
				tx.AddEvent(store.Event{Kind: kind, At: at, User: users[r.IntN(len(users))], RequestID: fmt.Sprint(id, "s", n)})
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestManyUsers: however many users are in a block, each finds what is its own in the chain, and nothing else: at once,
// after runs of leads were merged, after a start, and when the older half was archived.
func TestManyUsers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	users := append(append([]string{""}, users(40)...), `a "quoted" one`, "käthe\n", "one of many 1\"}")
	r := rand.New(rand.NewPCG(1, 2))
	dawn := time.UnixMilli(1_700_000_000_000).UTC()
	var seconds atomic.Int64
	now := func() time.Time { return dawn.Add(time.Duration(seconds.Load()) * time.Second) }
	db := open(t, sqlite.Config{Dir: dir, Now: now, ReadLimit: time.Hour})
	var found []string // nobody finds what is nobody's
	for n := 1; n < len(users); n += effort {
		found = append(found, users[n])
	}
	for n := range sqlite.MergeRuns*sqlite.MergeRuns + 80 {
		seconds.Store(int64(n))
		addMixed(t, db, r, users, fmt.Sprint("n", n), now())
		if n%50 == 49 {
			if err := db.MergeLeads(); err != nil {
				t.Fatal(err)
			}
		}
		if n%100 == 20 {
			foundBySlowWay(t, db, found)
		}
	}
	for runs := ""; ; {
		now := query(t, filepath.Join(dir, "prax.db"), "SELECT group_concat(n) FROM (SELECT level || ':' || count(*) AS n FROM lead_run GROUP BY level)")
		if now == runs {
			t.Log("runs by level", runs)
			break
		}
		runs = now
		if err := db.MergeLeads(); err != nil {
			t.Fatal(err)
		}
	}
	foundBySlowWay(t, db, found)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	read, err := sqlite.OpenReadOnly(dir)
	if err != nil {
		t.Fatal(err)
	}
	foundBySlowWay(t, read, found)
	if err := read.Close(); err != nil {
		t.Fatal(err)
	}
	db = opened(t, sqlite.Config{Dir: dir, Now: now, ReadLimit: time.Hour})
	for _, half := range []time.Duration{100 * time.Second, time.Hour} {
		if _, err := db.Archive(context.Background(), t.TempDir(), dawn.Add(half)); err != nil {
			t.Fatal(err)
		}
		foundBySlowWay(t, db, found)
	}
	if got := query(t, filepath.Join(dir, "prax.db"), "SELECT (SELECT count(*) FROM lead) || ' ' || (SELECT count(*) FROM lead_run)"); got != "0 0" {
		t.Errorf("leads and runs of nothing: %s", got)
	}
}

// TestLeads: leads are read as they were written, in the order of their keys, from rows of about a page.
func TestLeads(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		first := rapid.Int64Range(1, 1<<40).Draw(r, "first")
		keys := rapid.SampledFrom([]int64{3, 1 << 10, 1<<32 - 1}).Draw(r, "keys")
		leads := make([][3]int64, rapid.IntRange(0, 3000).Draw(r, "leads"))
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 0))
		for n := range leads {
			leads[n] = [3]int64{random.Int64N(keys + 1), first + random.Int64N(5000), random.Int64N(512)}
		}
		again, sizes, err := sqlite.LeadsAgain(first, leads)
		slices.SortFunc(leads, func(a, b [3]int64) int { return slices.Compare(a[:], b[:]) })
		if err != nil || !slices.Equal(leads, again) {
			r.Fatalf("%d leads are read as %d others: %v", len(leads), len(again), err)
		}
		for n, size := range sizes {
			if keys > 1000 && size > 4200 || n < len(sizes)-1 && size < 3900 {
				r.Errorf("row %d of %d has %d bytes", n, len(sizes), size)
			}
		}
	})
}

// FuzzReadLeads: whatever stands for leads, reading ends, with an error or with no more of them than there can be.
func FuzzReadLeads(f *testing.F) {
	f.Add([]byte{1, 2, 3})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		if n, err := sqlite.ReadLeads(b); n > len(b)/3 || err == nil && n == 0 && len(b) > 0 {
			t.Errorf("%d leads in %d bytes, %v", n, len(b), err)
		}
	})
}

// TestFullRuns: a run that is full stays as it is, and leads on. Not parallel: it changes when one is full.
func TestFullRuns(t *testing.T) {
	defer sqlite.FullRun(800)()
	dir := t.TempDir()
	db := opened(t, sqlite.Config{Dir: dir})
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 5 * sqlite.MergeRuns {
		addMixed(t, db, r, many, fmt.Sprint("n", n), time.UnixMilli(1_700_000_000_000))
		if err := db.MergeLeads(); err != nil {
			t.Fatal(err)
		}
	}
	if got := query(t, filepath.Join(dir, "prax.db"), "SELECT count(*) > 3 FROM lead_run WHERE level = 100"); got != "1" {
		t.Error("there are no full runs")
	}
	if got := query(t, filepath.Join(dir, "prax.db"), "SELECT count(*) FROM lead_run WHERE level BETWEEN 1 AND 99"); got != "0" {
		t.Errorf("%s runs in between", got)
	}
	foundBySlowWay(t, db, many)
}

// TestSharedRowTampering: verifying says when calls that share a row, or the leads to them, were changed.
func TestSharedRowTampering(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for range 3 { // a block each
		db := open(t, sqlite.Config{Dir: dir, BlockEvery: time.Hour})
		recordMany(db, "x")
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if got := query(t, filepath.Join(dir, "prax.db"), "SELECT count(*) FROM block_user WHERE pos >= 8589934592"); got != "3" {
		t.Fatalf("%s shared rows", got)
	}
	for name, test := range map[string]struct{ script, says string }{
		"nothing":          {"", ""},
		"lead taken out":   {"DELETE FROM lead WHERE run = 2", "is not led to"},
		"all leads":        {"DELETE FROM lead; DELETE FROM lead_run", "is not led to"},
		"leads exchanged":  {"UPDATE lead SET leads = (SELECT leads FROM lead WHERE run = 1), key = key + 1 WHERE run = 2", "is not led to"},
		"leads cut":        {"UPDATE lead SET leads = substr(leads, 1, length(leads) - 3) WHERE run = 2", "is not led to"},
		"leads to nothing": {"UPDATE lead_run SET last = 99 WHERE number = 3", "lead to events that are missing"},
		"run out of reach": {"UPDATE lead_run SET first = first + 1, last = last + 1 WHERE number = 1", "is not led to"},
		"call":             {"UPDATE block_user SET calls = replace(calls, 'memory_recall', 'memory_forget') WHERE seq = 2", "event 2 was changed"},
		"spelling":         {"UPDATE block_user SET calls = replace(calls, ',', ', ') WHERE seq = 2", "event 2 is not led to"},
		"given to one":     {"UPDATE block_user SET user = 'bob' WHERE seq = 2", "event 2 is not led to"},
		"calls of one":     {"UPDATE block_user SET user = 'bob', pos = pos - 8589934592 WHERE seq = 2", "event 2 is not led to"},
		"taken out":        {"DELETE FROM block_user WHERE seq = 2", "event 2 was changed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			copied := copyStore(t, dir)
			tamper(t, copied, test.script)
			wantProblem(t, copied, test.says)
		})
	}
}

// TestUsersOfOneKey: users whose calls, or whose calls and what others did in workflows, have one key of leads find what is
// their own all the same, each once.
func TestUsersOfOneKey(t *testing.T) {
	t.Parallel()
	all := append(users(8), "ueb4d7ec", "u376eeb84", "ud8b0a6d1", "u9a5379f9")
	for _, one := range [][2]uint32{
		{sqlite.LeadKey("ueb4d7ec", false), sqlite.LeadKey("u376eeb84", false)}, {sqlite.LeadKey("ud8b0a6d1", true), sqlite.LeadKey("u9a5379f9", false)},
	} {
		if one[0] != one[1] {
			t.Fatal("the users have different keys")
		}
	}
	db := opened(t, sqlite.Config{})
	for n := range 3 {
		block := store.Event{Kind: store.EventBlock}
		for i, user := range all {
			id := fmt.Sprint("n", n, "u", i)
			block.Calls = append(block.Calls, store.Event{Kind: store.EventCall, User: user, Tool: "echo", RequestID: id + "c"},
				store.Event{Kind: store.EventWorkflow, User: user, RequestID: id + "w"})
		}
		if err := db.Update(context.Background(), func(tx store.Tx) error { tx.AddEvent(block); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	foundBySlowWay(t, db, all)
}

// TestLeadsOutOfReach: verifying says when leads are all there, and are not found, or will not be when others are archived.
func TestLeadsOutOfReach(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := open(t, sqlite.Config{Dir: dir})
	r := rand.New(rand.NewPCG(5, 6))
	for n := range 2 * sqlite.MergeRuns {
		addMixed(t, db, r, many, fmt.Sprint("n", n), time.UnixMilli(1_700_000_000_000))
	}
	if err := errors.Join(db.MergeLeads(), db.Close()); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ script, says string }{
		"nothing":            {"", ""},
		"a row before":       {"INSERT INTO lead SELECT run, key + 1, x'' FROM lead", "is not led to"},
		"the run ends early": {"UPDATE lead_run SET last = max(first, last - 1)", "is not led to"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			copied := copyStore(t, dir)
			tamper(t, copied, test.script)
			wantProblem(t, copied, test.says)
		})
	}
}

// TestKeysOfWorkflows: no name makes the key of what another user did in workflows by being a letter longer.
func TestKeysOfWorkflows(t *testing.T) {
	t.Parallel()
	for before := range rune(0x300) {
		if sqlite.LeadKey("ill", true) == sqlite.LeadKey(string(before)+"ill", false) {
			t.Errorf("%q does", string(before)+"ill")
		}
	}
}
