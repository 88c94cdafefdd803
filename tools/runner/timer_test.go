package runner_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store"
	"prax/store/sqlite"
	"prax/tools/runner"
	"prax/tools/workflow"
	"prax/tools/workflow/workflowtest"
)

// timeout is that of the definitions which have one.
const timeout = time.Minute

// tight is a store that gives a user little room.
func tight(_ *runner.Config, db *sqlite.Config) { db.Quota = store.Quota{InstanceBytes: 4 << 10} }

// real is the time of the bubble that a test runs in.
func real(c *runner.Config, db *sqlite.Config) { c.Now, db.Now = time.Now, time.Now }

// tend runs the timers of a house until stop is called.
func (h *house) tend() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		if err := h.Run(ctx); err != nil {
			h.Errorf("run: %v", err)
		}
	})
	return func() {
		cancel()
		done.Wait()
	}
}

// expired tells whether an instance is where its timeout leads, as the store has it: nobody touches it by looking.
func (h *house) state(id string) string {
	i, err := h.db.Instance(context.Background(), agent.Scope(), id)
	if err != nil {
		h.Fatal(err)
	}
	return fmt.Sprintf("%s %d", i.State, i.Version)
}

// TestTimer applies each timeout when its time comes, also one that comes up while a later one is waited for.
func TestTimer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := open(t, real)
		h.catalog.set(append(load(t, "testdata/flows.yaml"), written(t, `
  slow:
    initialState: s
    timeoutMs: 3600000
    onTimeout: { target: expired }
    states:
      s: { transitions: { go: { target: expired } } }
      expired: { terminal: true }
`)...)...)
		stop := h.tend()
		defer stop()
		slow := h.begin(agent, "slow").Stored.ID
		time.Sleep(timeout)
		late, done := h.begin(agent, "late").Stored.ID, h.begin(agent, "late")
		h.must(agent, done, "go", "", "done 2")
		time.Sleep(timeout - time.Millisecond)
		synctest.Wait()
		equal(t, "just before", h.state(late), "s 1")
		time.Sleep(10 * time.Millisecond)
		synctest.Wait()
		equal(t, "when it is due", h.state(late), "expired 2")
		equal(t, "one that was done in time", h.state(done.Stored.ID), "done 2")
		equal(t, "one that has time", h.state(slow), "s 1")
		time.Sleep(time.Hour)
		synctest.Wait()
		equal(t, "that one, an hour later", h.state(slow), "expired 2")
		equal(t, "the first, then", h.state(late), "expired 2")
		last := h.begin(agent, "late").Stored.ID
		time.Sleep(timeout + 10*time.Millisecond)
		synctest.Wait()
		equal(t, "one that came when nothing was waited for", h.state(last), "expired 2")
		step := h.history(agent, late)[1]
		equal(t, "step", []string{step.Kind, step.From, step.To, step.Actor, step.Client}, []string{"timeout", "s", "expired", "", ""})
		changes, _ := h.events(late)
		if e := changes[1]; e.Client != "" || e.User != "ann" || !strings.Contains(e.types(), "workflow.timed_out") {
			t.Errorf("event: %+v", e)
		}
	})
}

// TestTimersAfterRestart (B095): what came due while nobody was running is applied at once, and exactly once, whatever
// the clock does then.
func TestTimersAfterRestart(t *testing.T) {
	t.Parallel()
	h := open(t)
	var ids []string
	for range 3 {
		ids = append(ids, h.begin(agent, "late").Stored.ID)
	}
	noted := h.begin(agent, "noted").Stored.ID
	h.clock.add(time.Hour)
	for range 2 {
		next := h.restart()
		stop := next.tend()
		for _, id := range ids {
			next.eventually("the timeout is applied", func() bool { return next.state(id) == "expired 2" })
		}
		next.eventually("the timeout is noted", func() bool { return next.state(noted) == "s 2" })
		stop()
		h.clock.add(-2 * time.Hour)
	}
	h.clock.add(4 * time.Hour)
	stop := h.restart().tend()
	defer stop()
	h.begin(agent, "late")
	for _, id := range append(ids, noted) {
		a := h.get(agent, id)
		equal(t, "version", a.Stored.Version, 2)
		if a.Change != nil || a.Expired || !a.Stored.Due.IsZero() {
			t.Errorf("the timeout is applied again: %+v", a)
		}
	}
	a := h.must(agent, h.get(agent, noted), "stay", "", "s 3")
	equal(t, "due", a.Stored.Due, time.Time{})
}

// TestManyAreDue applies more timeouts than one reading gives.
func TestManyAreDue(t *testing.T) {
	t.Parallel()
	h := open(t)
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			for range 35 { // 200 are one reading
				h.begin(agent, "late")
			}
		})
	}
	all.Wait()
	h.clock.add(timeout)
	stop := h.tend()
	defer stop()
	h.eventually("all of them are applied", func() bool {
		next := time.Time{}
		err := h.db.View(context.Background(), func(tx store.Tx) (err error) {
			next, err = tx.NextDue()
			return err
		})
		return err == nil && next.IsZero()
	})
	open, err := h.List(context.Background(), work(agent), store.InstanceFilter{Status: store.Open})
	if err != nil || len(open.Instances) != 0 {
		t.Errorf("still open: %d, %v", len(open.Instances), err)
	}
}

// TestTouchedTooLate: whoever touches an instance whose time is over meets the timeout, before the timer does.
func TestTouchedTooLate(t *testing.T) {
	t.Parallel()
	h := open(t)
	a, b := h.begin(agent, "late"), h.begin(agent, "late")
	h.clock.add(timeout)
	seen := h.get(agent, a.Stored.ID)
	if outcome(seen, nil) != "expired 2" || !seen.Expired {
		t.Errorf("get: %s, expired %v", outcome(seen, nil), seen.Expired)
	}
	if again := h.get(agent, a.Stored.ID); again.Expired || again.Change != nil {
		t.Errorf("get again: %+v", again)
	}
	late, got := h.submit(agent, b, "go", "")
	equal(t, "submit", got, "expired 2 WORKFLOW_TIMED_OUT")
	if !late.Expired {
		t.Error("the answer does not tell that the timeout was applied")
	}
}

// TestTouchedAtOnce: of many who find that the time is over one applies the timeout, and all see it applied.
func TestTouchedAtOnce(t *testing.T) {
	t.Parallel()
	h := open(t)
	id := h.begin(agent, "late").Stored.ID
	h.clock.add(timeout)
	stop := h.tend()
	defer stop()
	var applied atomic.Int32
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			a := h.get(agent, id)
			if a.Stored.State != "expired" || a.Refusal != nil {
				t.Errorf("get: %s", outcome(a, nil))
			}
			if a.Expired {
				applied.Add(1)
			}
		})
	}
	all.Wait()
	if n := applied.Load(); n > 1 {
		t.Errorf("applied %d times", n)
	}
	equal(t, "state", h.state(id), "expired 2")
}

// TestNotedTimeout: a timeout that leads nowhere is a step of its own, once, and nothing has expired by it.
func TestNotedTimeout(t *testing.T) {
	t.Parallel()
	h := open(t)
	a := h.begin(agent, "noted")
	h.clock.add(timeout)
	b := h.get(agent, a.Stored.ID)
	equal(t, "get", outcome(b, nil), "s 2")
	equal(t, "expired", b.Expired, false)
	equal(t, "step", h.history(agent, a.Stored.ID)[1].Kind, "timeout")
	equal(t, "get again", outcome(h.get(agent, a.Stored.ID), nil), "s 2 unchanged")
	h.must(agent, b, "go", "", "done 3")
}

// TestTimerOfDamaged: an instance that cannot be read keeps no timer busy and no other instance waiting; once it can be
// read again, whoever touches it meets the timeout.
func TestTimerOfDamaged(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]func(jsontext.Value) (*workflow.Definition, error){
		"no definition": func(jsontext.Value) (*workflow.Definition, error) { return nil, errors.New("a later version's") },
		"a panic":       func(jsontext.Value) (*workflow.Definition, error) { panic("bug") },
	} {
		h := open(t)
		a := h.begin(agent, "late").Stored.ID
		h.clock.add(timeout)
		config := h.config
		config.Decode = broken
		config.Catalog = &catalog{}
		config.Catalog.(*catalog).set()
		damaged := *h
		damaged.Runner = runner.New(config)
		stop := damaged.tend()
		h.eventually("it is put aside", func() bool { return h.state(a) == "s 2" })
		stop()
		changes, _ := h.events(a)
		if e := changes[1]; e.types() != "workflow.timed_out" || e.Code != string(workflow.Corrupt) {
			t.Errorf("%s: event %+v", name, e)
		}
		equal(t, name+": in good order", outcome(h.get(agent, a), nil), "expired 3")
	}
}

// TestTimerWithoutRoom: an instance whose timeout its user has no room for is cancelled, and not tried for ever.
func TestTimerWithoutRoom(t *testing.T) {
	t.Parallel()
	h := open(t, tight)
	h.catalog.set(written(t, `
  extended:
    initialState: s
    timeoutMs: 60000
    onTimeout: { target: more }
    states:
      s: { transitions: { go: { target: done } } }
      more: { transitions: { go: { target: done } } }
      done: { terminal: true }
`)...)
	a := h.begin(agent, "extended", input(fmt.Sprintf(`{"x":%q}`, strings.Repeat("x", 3150))))
	h.clock.add(timeout)
	stop := h.tend()
	defer stop()
	h.eventually("it is cancelled", func() bool { return h.state(a.Stored.ID) != "s 1" })
	b := h.get(agent, a.Stored.ID)
	if b.Stored.Status != store.Cancelled || !strings.Contains(b.Stored.Reason, "the timeout could not be applied") {
		t.Errorf("stored: %s %q", b.Stored.Status, b.Stored.Reason)
	}
}

// failing is a store that cannot be read for a while.
type failing struct {
	store.Store
	broken atomic.Bool
	tried  atomic.Int32
}

func (f *failing) View(ctx context.Context, do func(store.Tx) error) error {
	if f.broken.Load() {
		f.tried.Add(1)
		return store.ErrBusy
	}
	return f.Store.View(ctx, do)
}

// TestTimerOutlivesFailures: while the store fails it is asked ever more seldom; then nothing is lost.
func TestTimerOutlivesFailures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := open(t, real)
		id := h.begin(agent, "late").Stored.ID
		weak := &failing{Store: h.db}
		weak.broken.Store(true)
		config := h.config
		config.Store = weak
		sick := *h
		sick.Runner = runner.New(config)
		stop := sick.tend()
		defer stop()
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := weak.tried.Load(); n < 60 || n > 70 {
			t.Errorf("tried %d times in an hour, want one a minute and a few at the start", n)
		}
		weak.broken.Store(false)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		equal(t, "state", h.state(id), "expired 2")
	})
}

// outside is a definition that would run an executor outside the engine: by a move, and after a timeout.
func outside(definitions *random) *workflow.Definition {
	tool := &workflow.Executor{Kind: "tool", Tier: auth.Low}
	return definitions.pin(&workflow.Definition{
		Version: 1, Initial: "s", Timeout: timeout, OnTimeout: "late",
		States: []*workflow.State{
			{Name: "s", Transitions: []*workflow.Transition{
				{Name: "run", Actor: workflow.Agent, Target: "done", Action: workflow.Action{Executor: tool}},
				{Name: "go", Actor: workflow.Agent, Target: "late"},
			}},
			{Name: "late", Transitions: []*workflow.Transition{
				{Name: "notify", Actor: workflow.Deterministic, Target: "done", Action: workflow.Action{Executor: tool, Output: []workflow.Slot{workflowtest.Put("sent", true)}}},
			}},
			{Name: "done", Terminal: true},
		},
	})
}

// TestNoExecutor: an executor that this version does not have changes nothing by itself; what led to it stands, and
// what the server sets going needs a starter who is still live (law 3).
func TestNoExecutor(t *testing.T) {
	t.Parallel()
	h, definitions := openRandom(t)
	d := outside(definitions)
	h.catalog.set(d)
	a := h.begin(agent, d.ID)
	_, got := h.submit(agent, a, "run", "")
	equal(t, "a move", got, "EXECUTOR_FAILED")
	equal(t, "state", h.state(a.Stored.ID), "s 1")
	h.must(agent, a, "go", "", "late 2 CHAIN_FAILED")

	for name, tt := range map[string]struct {
		live func(string) (auth.Principal, bool)
		want string
	}{
		"live":         {func(string) (auth.Principal, bool) { return agent, true }, "CHAIN_FAILED"},
		"out":          {func(string) (auth.Principal, bool) { return auth.Principal{}, false }, "CLIENT_REVOKED"},
		"expired":      {func(string) (auth.Principal, bool) { return auth.Principal{Expires: morning}, true }, "CLIENT_REVOKED"},
		"nobody knows": {nil, "CLIENT_REVOKED"},
	} {
		id := h.begin(agent, d.ID).Stored.ID
		h.clock.add(timeout)
		next := *h
		config := h.config
		config.Live = tt.live
		next.Runner = runner.New(config)
		stop := next.tend()
		h.eventually("the timeout is applied", func() bool { return h.state(id) == "late 2" })
		stop()
		changes, _ := h.events(id)
		equal(t, name, changes[1].Code, tt.want)
	}
}
