package storetest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/store"
)

// instances: one is read back whole, by each way there is to it, also after a restart.
func instances(t *testing.T, open Opener) {
	f := start(t, open)
	i := newInstance("alice", "demo")
	i.RunID, i.TraceID, i.Summary, i.Shared = "run-1", "trace-1", "what it is about", true
	i.Due = dawn.Add(time.Hour)
	half := 0.5
	step := firstStep(i)
	step.Correlation, step.Arguments, step.Output, step.Delta = "cor_1", []byte(`{"in":1}`), []byte(`[1,"x",null]`), []byte(`{"n":1}`)
	evidence := []store.Evidence{
		{ID: "ev_1", Seq: 1, Kind: "test_report", URI: "file:///x", Summary: "green", Digest: "ab", Confidence: &half, Client: "agent", User: "alice", At: dawn},
		{ID: "ev_2", Seq: 1, Kind: "human_request", At: dawn},
	}
	f.must(func(tx store.Tx) error {
		if _, err := tx.PutDefinition(plain("demo")); err != nil {
			return err
		}
		tx.AddEvent(told)
		if err := tx.CreateInstance(i, step, evidence); err != nil {
			return err
		}
		got, err := tx.Instance(scope("alice"), i.ID)
		if diff := cmp.Diff(i, got); diff != "" {
			t.Errorf("in the transaction that made it (-want +got):\n%s", diff)
		}
		return err
	})
	f.reopen()
	s := scope("alice")
	if diff := cmp.Diff(i, f.instance(s, i.ID)); diff != "" {
		t.Errorf("by id (-want +got):\n%s", diff)
	}
	f.look(func(tx store.Tx) error {
		got, err := tx.Instance(s, i.ID)
		byRun, runErr := tx.RunInstance(s, "run-1")
		kept, keptErr := tx.EvidenceOf(s, i.ID)
		if diff := cmp.Diff([]any{i, i, evidence}, []any{got, byRun, kept}); diff != "" {
			t.Errorf("by id, by run, evidence (-want +got):\n%s", diff)
		}
		return errors.Join(err, runErr, keptErr)
	})
	if diff := cmp.Diff([]store.Step{step}, f.steps(s, i.ID)); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	listed := f.listed(s, store.InstanceFilter{})
	if len(listed) != 1 || listed[0].Number == 0 || cmp.Diff(i, listed[0].Instance) != "" {
		t.Errorf("list: %+v", listed)
	}
	bare := newInstance("alice", "demo")
	bare.Input, bare.Context, bare.Memo = nil, nil, nil
	f.begin(bare)
	if got := f.instance(s, bare.ID); string(got.Input) != "{}" || string(got.Context) != "{}" || string(got.Memo) != "{}" {
		t.Errorf("without objects: %s, %s, %s, want empty ones", got.Input, got.Context, got.Memo)
	}
	done := newInstance("alice", "demo")
	done.Status = store.Completed
	f.begin(done)
	if got := f.instance(s, done.ID); !got.Ended.Equal(done.Updated) {
		t.Errorf("one that ends where it starts ended at %v", got.Ended)
	}
}

// refusedStarts: what is out of bounds is refused whole, and says which bound it is; a function that goes on
// regardless leaves nothing by half.
func refusedStarts(t *testing.T, open Opener) {
	f := start(t, open)
	f.must(func(tx store.Tx) error { _, err := tx.PutDefinition(plain("demo")); return err })
	long := func(n int) string { return strings.Repeat("x", n) }
	object := func(n int) []byte { return []byte(`{"x":"` + long(n) + `"}`) }
	tests := map[string]struct {
		change func(*store.Instance, *store.Step)
		want   error // nil: any
	}{
		"no id":                 {func(i *store.Instance, _ *store.Step) { i.ID = "" }, nil},
		"no user":               {func(i *store.Instance, _ *store.Step) { i.User = "" }, nil},
		"no state":              {func(i *store.Instance, _ *store.Step) { i.State = "" }, nil},
		"version 0":             {func(i *store.Instance, _ *store.Step) { i.Version = 0 }, nil},
		"version 2":             {func(i *store.Instance, s *store.Step) { i.Version, s.Seq = 2, 2 }, nil},
		"another step":          {func(_ *store.Instance, s *store.Step) { s.Seq = 2 }, nil},
		"no kind of step":       {func(_ *store.Instance, s *store.Step) { s.Kind = "" }, nil},
		"unknown status":        {func(i *store.Instance, _ *store.Step) { i.Status = "done" }, nil},
		"unknown definition":    {func(i *store.Instance, _ *store.Step) { i.DefinitionID = "other" }, store.ErrNotFound},
		"unknown content":       {func(i *store.Instance, _ *store.Step) { i.DefinitionHash = long(64) }, store.ErrNotFound},
		"input is no object":    {func(i *store.Instance, _ *store.Step) { i.Input = []byte(`[]`) }, nil},
		"context is no JSON":    {func(i *store.Instance, _ *store.Step) { i.Context = []byte(`{"a":`) }, nil},
		"arguments are no JSON": {func(_ *store.Instance, s *store.Step) { s.Arguments = []byte(`{"a":`) }, nil},
		"input too large":       {func(i *store.Instance, _ *store.Step) { i.Input = object(store.MaxContextBytes) }, store.ErrQuota},
		"context too large":     {func(i *store.Instance, _ *store.Step) { i.Context = object(store.MaxContextBytes) }, store.ErrQuota},
		"memo too large":        {func(i *store.Instance, _ *store.Step) { i.Memo = object(store.MaxMemoBytes) }, store.ErrQuota},
		"run id too long":       {func(i *store.Instance, _ *store.Step) { i.RunID = long(store.MaxIDBytes + 1) }, store.ErrQuota},
		"trace id too long":     {func(i *store.Instance, _ *store.Step) { i.TraceID = long(store.MaxIDBytes + 1) }, store.ErrQuota},
		"summary too long":      {func(i *store.Instance, _ *store.Step) { i.Summary = long(store.MaxTextBytes + 1) }, store.ErrQuota},
		"arguments too large":   {func(_ *store.Instance, s *store.Step) { s.Arguments = object(store.MaxValueBytes) }, store.ErrQuota},
		"state is not UTF-8":    {func(i *store.Instance, _ *store.Step) { i.State = "\xff" }, nil},
		"the id of another":     {func(i *store.Instance, _ *store.Step) { i.ID = "wf_taken" }, store.ErrConflict},
	}
	taken := newInstance("bob", "demo")
	taken.ID = "wf_taken"
	f.begin(taken)
	for name, test := range tests {
		i := newInstance("alice", "demo")
		step := firstStep(i)
		test.change(&i, &step)
		err := f.Update(context.Background(), func(tx store.Tx) error { return tx.CreateInstance(i, step, nil) })
		if err == nil || test.want != nil && !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
		_ = f.Update(context.Background(), func(tx store.Tx) error { // some of these succeed: there was nothing to undo
			_ = tx.CreateInstance(i, step, nil)
			return nil
		})
	}
	if got := f.listed(scope("alice"), store.InstanceFilter{}); len(got) != 0 {
		t.Errorf("something is kept: %+v", got)
	}
}

// oneRunID: of many starts under one run id, one succeeds; it stays taken when the run has ended, and is
// free for other users.
func oneRunID(t *testing.T, open Opener) {
	f := start(t, open)
	f.must(func(tx store.Tx) error { _, err := tx.PutDefinition(plain("demo")); return err })
	const callers = 50
	errs := make([]error, callers)
	started := make([]store.Instance, callers)
	var group sync.WaitGroup
	for n := range callers {
		group.Go(func() {
			i := newInstance("alice", "demo")
			i.RunID = "r"
			started[n] = i
			errs[n] = f.Update(context.Background(), func(tx store.Tx) error {
				tx.AddEvent(told)
				return tx.CreateInstance(i, firstStep(i), nil)
			})
		})
	}
	group.Wait()
	won := -1
	for n, err := range errs {
		switch {
		case err == nil && won < 0:
			won = n
		case !errors.Is(err, store.ErrConflict):
			t.Errorf("caller %d: %v, want ErrConflict", n, err)
		}
	}
	if won < 0 {
		t.Fatal("nobody started")
	}
	f.expectRun("alice", "r", started[won].ID)
	f.move(after(started[won], func(i *store.Instance) { i.Status = store.Completed }))
	again := newInstance("alice", "demo")
	again.RunID = "r"
	if err := f.Update(context.Background(), func(tx store.Tx) error {
		return tx.CreateInstance(again, firstStep(again), nil)
	}); !errors.Is(err, store.ErrConflict) {
		t.Errorf("the run id of one that has ended: %v, want ErrConflict", err)
	}
	bobs := newInstance("bob", "demo")
	bobs.RunID = "r"
	f.begin(bobs)
	f.expectRun("bob", "r", bobs.ID)
	f.expectRun("alice", "r", started[won].ID)
	for range 2 {
		f.begin(newInstance("alice", "demo")) // without a run id there is no other of the same
	}
	f.expectRun("alice", "", "")
	if got := f.listed(scope("alice"), store.InstanceFilter{}); len(got) != 3 {
		t.Errorf("%d instances, want 3", len(got))
	}
}

// expectRun checks which instance a user finds by a run id; "" for none.
func (f *fixture) expectRun(user, runID, want string) {
	f.Helper()
	f.look(func(tx store.Tx) error {
		got, err := tx.RunInstance(scope(user), runID)
		if want == "" && errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if got.ID != want {
			f.Errorf("%s finds %q by run id %q, want %q", user, got.ID, runID, want)
		}
		return err
	})
}

// due: timers of open instances only, those due first first.
func due(t *testing.T, open Opener) {
	f := start(t, open)
	expectNext := func(want time.Time) {
		t.Helper()
		f.look(func(tx store.Tx) error {
			got, err := tx.NextDue()
			if !got.Equal(want) {
				t.Errorf("next due: %v, want %v", got, want)
			}
			return err
		})
	}
	expectDue := func(now time.Time, limit int, want ...string) {
		t.Helper()
		f.look(func(tx store.Tx) error {
			all, err := tx.DueInstances(now, limit)
			var got []string
			for _, i := range all {
				got = append(got, i.ID)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("due at %v (-want +got):\n%s", now, diff)
			}
			return err
		})
	}
	expectNext(time.Time{})
	at := func(user string, after time.Duration) store.Instance {
		i := newInstance(user, "demo")
		if after != 0 {
			i.Due = dawn.Add(after)
		}
		return f.begin(i)
	}
	late, early, same := at("alice", 3*time.Second), at("bob", time.Second), at("carol", 3*time.Second)
	at("alice", 0)
	ended := at("alice", time.Second)
	f.move(after(ended, func(i *store.Instance) { i.Status = store.Cancelled }))
	expectNext(early.Due)
	expectDue(early.Due.Add(-time.Millisecond), 10)
	expectDue(early.Due, 10, early.ID)
	expectDue(dawn.Add(time.Hour), 10, early.ID, late.ID, same.ID)
	expectDue(dawn.Add(time.Hour), 2, early.ID, late.ID)
	f.reopen()
	f.move(after(early, func(i *store.Instance) { i.Due = dawn.Add(time.Minute) }))
	f.move(after(late, func(i *store.Instance) { i.Due = time.Time{} }))
	expectNext(same.Due)
	expectDue(dawn.Add(time.Hour), 10, same.ID, early.ID)
	openDefinitionsAre(t, f, map[string]bool{"demo": true})
}

// openDefinitionsAre checks which definitions have open instances.
func openDefinitionsAre(t *testing.T, f *fixture, want map[string]bool) {
	t.Helper()
	ended := f.begin(newInstance("alice", "ended"))
	f.move(after(ended, func(i *store.Instance) { i.Status = store.Completed }))
	f.look(func(tx store.Tx) error {
		all, err := tx.OpenDefinitions()
		got := map[string]bool{}
		for _, d := range all {
			got[d.ID] = d.Hash == plain(d.ID).Hash
		}
		if diff := cmp.Diff(want, got); diff != "" || len(all) != len(want) {
			t.Errorf("definitions of open instances (-want +got):\n%s", diff)
		}
		return err
	})
}

// acknowledgements: the newest hash of each subject, of who stands on the owner's side.
func acknowledgements(t *testing.T, open Opener) {
	f := start(t, open)
	i := f.begin(newInstance("alice", "demo"))
	note := func(s auth.Scope, subject, hash string, at time.Time) error {
		return f.Update(context.Background(), func(tx store.Tx) error {
			return tx.Acknowledge(s, i.ID, store.Acknowledgement{Subject: subject, Hash: hash, At: at})
		})
	}
	overseer := auth.Principal{User: "boss", Oversees: auth.Names("alice")}.Scope()
	for _, err := range []error{
		note(scope("alice"), "skill.a", "h1", dawn), note(scope("alice"), "skill.b", "h2", dawn),
		note(scope("alice"), "skill.a", "h3", dawn.Add(time.Second)), note(overseer, "skill.b", "other", dawn), note(overseer, "skill.c", "h", dawn),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	if err := note(scope("bob"), "skill.a", "h", dawn); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("in a foreign instance: %v, want ErrNotFound", err)
	}
	if err := note(scope("alice"), "", "h", dawn); err == nil {
		t.Error("nothing was acknowledged")
	}
	f.reopen()
	want := []store.Acknowledgement{{Subject: "skill.a", Hash: "h3", At: dawn.Add(time.Second)}, {Subject: "skill.b", Hash: "h2", At: dawn}}
	for _, s := range []auth.Scope{scope("alice"), overseer} {
		f.look(func(tx store.Tx) error {
			got, err := tx.Acknowledgements(s, i.ID)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			return err
		})
	}
	if got := f.instance(scope("alice"), i.ID); got.Version != 1 {
		t.Errorf("the version is %d", got.Version)
	}
	err := f.Update(context.Background(), func(tx store.Tx) error {
		for n := range store.MaxShown {
			if err := tx.Acknowledge(scope("alice"), i.ID, store.Acknowledgement{Subject: numbered("s", n), Hash: "h", At: dawn}); err != nil {
				return err
			}
		}
		return nil
	})
	if !errors.Is(err, store.ErrQuota) {
		t.Errorf("more than %d subjects: %v, want ErrQuota", store.MaxShown, err)
	}
}
