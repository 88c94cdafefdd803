package runner_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"prax/store"
	"prax/store/sqlite"
	"prax/tools/definition"
	"prax/tools/runner"
)

// childDir tells the test binary to be a child: a process that starts and moves instances on the store in this
// directory until it is killed, and says on its standard output what was answered as done.
const childDir = "PRAX_TEST_RUNNER_DIR"

// childLife bounds a child that nobody kills.
const childLife = 3 * time.Minute

func child(dir string) int {
	if err := live(dir); err != nil {
		fmt.Println("error:", err)
		return 1
	}
	return 0
}

func live(dir string) error {
	set, problems := definition.Load("testdata/flows.yaml", definition.Kinds{})
	if set == nil {
		return fmt.Errorf("definitions: %v", problems)
	}
	db, err := sqlite.Open(context.Background(), sqlite.Config{Dir: dir})
	if err != nil {
		return err
	}
	c := &catalog{}
	c.set(set.Definitions...)
	r := runner.New(runner.Config{Store: db, Catalog: c, Decode: decode})
	ctx, cancel := context.WithTimeout(context.Background(), childLife)
	defer cancel()
	var all sync.WaitGroup
	var say sync.Mutex
	done := func(a *runner.Answer) {
		say.Lock()
		defer say.Unlock()
		fmt.Println("done", a.Stored.ID, a.Stored.Version)
	}
	for range 4 {
		all.Go(func() {
			for ctx.Err() == nil {
				if err := oneLife(ctx, r, done); err != nil {
					fmt.Println("error:", err)
					return
				}
			}
		})
	}
	all.Wait()
	return db.Close()
}

// oneLife drives a few instances of each kind: with a chain at the start, with a timer, with an approval.
func oneLife(ctx context.Context, r *runner.Runner, done func(*runner.Answer)) error {
	for _, life := range [][]string{{"build", "ship"}, {"late", "stay", "stay"}, {"ticket", "again", "again", "drop"}, {"order", "buy", "look", "buy", "leave"}} {
		a, err := r.Start(ctx, work(agent), runner.StartRequest{DefinitionID: life[0]})
		if err != nil {
			return err
		}
		done(a)
		for _, transition := range life[1:] {
			if a, err = r.Submit(ctx, work(agent), request(a, transition, `{"item":"tea"}`)); err != nil || a.Refusal != nil {
				return fmt.Errorf("%s: %s", transition, outcome(a, err))
			}
			done(a)
		}
	}
	return nil
}

// killed runs a child until it has said so much, kills it, and returns the last version of each instance that was
// answered as done.
func killed(t *testing.T, dir string, after int) map[string]int64 {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := map[string]int64{}
	count := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var id string
		var version int64
		if n, _ := fmt.Sscanf(lines.Text(), "done %s %d", &id, &version); n != 2 {
			t.Errorf("child: %s", lines.Text())
			continue
		}
		done[id] = max(done[id], version)
		if count++; count == after {
			_ = cmd.Process.Kill()
		}
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != -1 {
		t.Fatalf("the child was not killed, but ended with %d after %d moves", code, count)
	}
	return done
}

// TestKilled (B096): after a kill at any moment every instance has a step for each version and an event for each
// change, is at least where its caller was told that it is, and can go on.
func TestKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	done := map[string]int64{}
	for _, after := range []int{30, 160, 80} {
		for id, version := range killed(t, dir, after) {
			done[id] = version
		}
	}
	h := openAt(t, dir)
	h.clock.at = time.Now().Add(timeout)
	seen := h.verify(done)
	if seen < len(done) || len(done) < 50 {
		t.Errorf("%d instances are there, %d were answered as done", seen, len(done))
	}
	stop := h.tend()
	defer stop()
	h.eventually("every timer fires", func() bool {
		page, err := h.List(context.Background(), work(agent), store.InstanceFilter{DefinitionID: "late", Status: store.Open})
		return err == nil && len(page.Instances) == 0
	})
}

// verify checks every instance, and moves those that can.
func (h *house) verify(done map[string]int64) (seen int) {
	changes := map[string]int{}
	h.eachEvent(func(e store.Event) {
		if one, ok := h.told(e); ok {
			changes[one.Detail.WorkflowID]++
		}
	})
	for f := (store.InstanceFilter{}); ; {
		page, err := h.List(context.Background(), work(agent), f)
		if err != nil {
			h.Fatal(err)
		}
		for _, i := range page.Instances {
			seen++
			h.whole(i.Instance, changes[i.ID], done[i.ID])
			h.moves(i.Instance)
		}
		if f.Before = page.Next; page.Next == 0 {
			return seen
		}
	}
}

// whole compares an instance with its history and its events.
func (h *house) whole(i store.Instance, events int, answered int64) {
	steps := h.history(agent, i.ID)
	calls := map[string]bool{}
	for n, s := range steps {
		calls[s.Correlation] = true
		if s.Seq != int64(n)+1 {
			h.Errorf("%s: step %d makes version %d", i.ID, n+1, s.Seq)
		}
	}
	if int64(len(steps)) != i.Version || steps[len(steps)-1].To != i.State {
		h.Errorf("%s: %d steps to %s, version %d in %s", i.ID, len(steps), steps[len(steps)-1].To, i.Version, i.State)
	}
	if events != len(calls) {
		h.Errorf("%s: %d events of %d changes", i.ID, events, len(calls))
	}
	if i.Version < answered {
		h.Errorf("%s: version %d, but %d was answered", i.ID, i.Version, answered)
	}
}

// moves takes the instance on, if it is open: none is stuck.
func (h *house) moves(i store.Instance) {
	next := map[string]string{"build": "ship", "ticket": "again", "order": "look"}[i.DefinitionID]
	if i.Status != store.Open || next == "" {
		return
	}
	if _, got := h.submit(agent, &runner.Answer{Stored: i}, next, ""); !strings.HasSuffix(got, fmt.Sprint(i.Version+1)) {
		h.Errorf("%s in %s: %s: %s", i.ID, i.State, next, got)
	}
}
