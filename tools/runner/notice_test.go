package runner_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"prax/store"
	"prax/store/sqlite"
	"prax/tools/executor"
	"prax/tools/runner"
	"prax/tools/workflow"
)

// ear is a hook that remembers what it was told.
type ear struct {
	mu    sync.Mutex
	lines []string
	ids   []string
	do    func(ctx context.Context, n int) error // n counts from 1; nil: it hears everything
}

func (e *ear) Tell(ctx context.Context, id string, line []byte) error {
	e.mu.Lock()
	e.lines, e.ids = append(e.lines, string(line)), append(e.ids, id)
	n, do := len(e.ids), e.do
	e.mu.Unlock()
	if do == nil {
		return nil
	}
	return do(ctx, n)
}

func (e *ear) heard() (lines, ids []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.lines), slices.Clone(e.ids)
}

func (e *ear) count() int {
	_, ids := e.heard()
	return len(ids)
}

func hearing(e *ear) func(*runner.Config, *sqlite.Config) {
	return func(c *runner.Config, _ *sqlite.Config) { c.Hook = e }
}

// deliver has a runner tell the operator until the test says that it stops.
func (h *house) deliver() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		if err := h.Deliver(ctx); err != nil {
			h.Errorf("deliver: %v", err)
		}
	})
	return sync.OnceFunc(func() {
		cancel()
		done.Wait()
	})
}

// waits tells whether any notice does.
func (h *house) waits() bool {
	h.Helper()
	var next time.Time
	if err := h.db.View(context.Background(), func(tx store.Tx) (err error) {
		next, err = tx.NextNotice()
		return err
	}); err != nil {
		h.Fatal(err)
	}
	return !next.IsZero()
}

// members are a line's, which is one, with their values.
func members(t testing.TB, line string) map[string]string {
	t.Helper()
	if strings.Count(line, "\n") != 1 || !strings.HasSuffix(line, "}\n") {
		t.Errorf("not one line: %q", line)
	}
	var m map[string]string
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		t.Errorf("%q: %v", line, err)
	}
	return m
}

// TestNoticeOfAnApproval: the operator is told which approval waits, and nothing of what it is about.
func TestNoticeOfAnApproval(t *testing.T) {
	t.Parallel()
	e := &ear{}
	h := open(t, hearing(e))
	a := h.buy(`{"item":"s3cret tea"}`)
	defer h.deliver()()
	h.eventually("it is told", func() bool { return e.count() == 1 && !h.waits() })
	lines, ids := e.heard()
	equal(t, "message", members(t, lines[0]), map[string]string{
		"id": ids[0], "kind": "approval.opened", "at": "2026-03-02T08:00:00Z", "expires_at": "2026-03-03T08:00:00Z",
		"workflow": a.Stored.ID, "approval": a.Approvals[0].ID,
	})
	if !strings.HasPrefix(ids[0], "nt_") {
		t.Errorf("id %q", ids[0])
	}
}

// TestNoticeOfADoubt: whatever way an attempt comes in doubt, the operator is told.
func TestNoticeOfADoubt(t *testing.T) {
	t.Parallel()
	for name, doubt := range map[string]func(*testing.T, *ear) (*house, string, string){
		"its end": func(t *testing.T, e *ear) (*house, string, string) {
			h, _, a, _ := doubted(t, hearing(e))
			return h, a.Stored.ID, h.attempts(person, a.Stored.ID)[0].ID
		},
		"a tool": func(t *testing.T, e *ear) (*house, string, string) {
			h, p, r := registry(t, 1, false, hearing(e))
			p.do = failingBy(workflow.ClassTimeout, workflow.Doubtful)
			called(context.Background(), r, allowed(agent, "demo.pay"))
			return h, "", h.attempts(person, "")[0].ID
		},
		"a death": func(t *testing.T, e *ear) (*house, string, string) {
			h, p, _ := effects(t, ship, hearing(e))
			ran, dead := make(chan struct{}), make(chan struct{})
			p.do = func(context.Context, int, executor.Request) workflow.Result {
				close(ran)
				<-dead
				return workflow.Result{}
			}
			a := h.begin(agent, "ship")
			go h.submit(agent, a, "go", "")
			<-ran
			t.Cleanup(func() { close(dead) })
			next := *h
			config := h.config
			config.Worker = "worker-2"
			next.Runner = runner.New(config)
			t.Cleanup(next.tend())
			h.eventually("it is in doubt", func() bool { return statuses(h.attempts(agent, a.Stored.ID)) == "unknown" })
			return &next, a.Stored.ID, h.attempts(person, a.Stored.ID)[0].ID
		},
	} {
		e := &ear{}
		h, instance, attempt := doubt(t, e)
		stop := h.deliver()
		h.eventually(name, func() bool { return e.count() > 0 && !h.waits() })
		stop()
		lines, _ := e.heard()
		got := members(t, lines[0])
		equal(t, name, []any{len(lines), got["kind"], got["attempt"], got["workflow"]}, []any{1, "attempt.unknown", attempt, instance})
	}
}

// TestNoNotice: where nobody is told nothing is written down, and what did not happen is not told.
func TestNoNotice(t *testing.T) {
	t.Parallel()
	off := open(t)
	off.buy(`{"item":"tea"}`)
	if err := off.Notify(context.Background(), store.Notice{Kind: store.NoticeRefused, At: morning}); err != nil || off.waits() {
		t.Errorf("without a hook a notice waits, or %v", err)
	}
	if err := off.Deliver(context.Background()); err != nil {
		t.Errorf("without a hook: %v", err)
	}

	e := &ear{}
	h := open(t, hearing(e))
	a := h.begin(agent, "order")
	h.submit(agent, a, "buy", `{"item":7}`)
	boom := errors.New("the disk is full")
	for name, on := range map[string]runner.Changer{
		"a transaction that fails": undoing{h.db, boom},
		"an overtaken move": &changing{Store: h.db, before: func(n int) {
			a = h.must(agent, h.get(agent, a.Stored.ID), "look", "", "cart "+string(rune('1'+n)))
		}},
	} {
		w := work(agent)
		w.On = on
		b, err := h.Submit(context.Background(), w, request(a, "buy", `{"item":"tea"}`))
		if err == nil && b.Change != nil || h.waits() {
			t.Errorf("%s: %s, and a notice waits: %t", name, outcome(b, err), h.waits())
		}
	}
}

// undoing is a store whose changes are undone at the last moment.
type undoing struct {
	store.Store
	err error
}

func (u undoing) Update(ctx context.Context, do func(store.Tx) error) error {
	return u.Store.Update(ctx, func(tx store.Tx) error { return errors.Join(do(tx), u.err) })
}

// TestHookFails: a delivery that fails is tried again, ever more seldom, as the same notice; after a day it is given up, and the
// audit says so.
func TestHookFails(t *testing.T) {
	t.Parallel()
	for name, heals := range map[string]int{"it heals": 4, "it does not": 1 << 20} {
		e := &ear{do: func(_ context.Context, n int) error {
			if n < heals {
				return errors.New("no")
			}
			return nil
		}}
		h := open(t, hearing(e))
		h.buy(`{"item":"tea"}`)
		stop := h.deliver()
		h.eventually("it is tried", func() bool { return e.count() == 1 })
		h.clock.add(4 * time.Second)
		h.Wake()
		step := runner.LongestDelay
		if heals > 100 {
			step = runner.NoticeLife
		}
		tries := 1
		h.eventually(name, func() bool {
			if n := e.count(); n == tries { // the next is due within that
				tries++
				h.clock.add(step)
			}
			h.Wake()
			return !h.waits()
		})
		stop()
		_, ids := e.heard()
		want := min(heals, 2)
		if heals < 100 {
			want = heals
		}
		if len(ids) != want || len(slices.Compact(ids)) != 1 {
			t.Errorf("%s: told as %v, want %d times the same", name, ids, want)
		}
		var given []string
		h.eachEvent(func(e store.Event) {
			if e.Kind == store.EventServer {
				given = append(given, e.Detail)
			}
		})
		if heals > 100 != (len(given) == 1 && strings.Contains(given[0], `"notice":"`+ids[0]+`"`)) {
			t.Errorf("%s: the audit tells %v", name, given)
		}
	}
}

// TestHookHangs: a hook that does not come back holds up nothing else, however much waits for it, and a stop ends it.
func TestHookHangs(t *testing.T) {
	t.Parallel()
	hung := make(chan struct{})
	var once sync.Once
	e := &ear{do: func(ctx context.Context, _ int) error {
		once.Do(func() { close(hung) })
		<-ctx.Done()
		return ctx.Err()
	}}
	h := open(t, hearing(e))
	stop := h.deliver()
	defer func() { stop() }()
	first := h.buy(`{"item":"tea"}`)
	<-hung
	h.clock.add(2 * time.Minute) // beyond its lease
	for range store.MaxNotices + 20 {
		h.buy(`{"item":"tea"}`)
	}
	stop()
	equal(t, "told", e.count(), 1)

	// The next start tells all that was written down, the first one once more.
	again := &ear{}
	h.config.Hook, h.config.Worker = again, "worker-2"
	next := h.restart()
	stop = next.deliver()
	_, before := e.heard()
	at := -1
	h.eventually("the first is told again", func() bool {
		_, ids := again.heard()
		at = slices.Index(ids, before[0])
		return at >= 0
	})
	stop()
	lines, ids := again.heard()
	equal(t, "told again", members(t, lines[at])["workflow"], first.Stored.ID)
	equal(t, "told and waiting", len(ids)+h.drop(), store.MaxNotices)
}

// drop ends all notices that wait, and tells how many did.
func (h *house) drop() int {
	h.Helper()
	var n int64
	if err := h.db.Update(context.Background(), func(tx store.Tx) (err error) {
		n, err = tx.DropNotices()
		return err
	}); err != nil {
		h.Fatal(err)
	}
	return int(n)
}
