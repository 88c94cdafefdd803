package watch_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"prax/auth/watch"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.WriteFile(path, []byte(text), 0o600))
}

// replace saves as careful editors do: another file beside it, renamed over it.
func replace(t *testing.T, path, text string) {
	t.Helper()
	write(t, path+".new", text)
	must(t, os.Rename(path+".new", path))
}

// follower reads the file at each call, as a registry does.
type follower struct {
	t       *testing.T
	path    string
	watcher *watch.Watcher
	mu      sync.Mutex
	text    string // as the last call found it; "-" for no file
	reasons []string
}

// follow watches until the test ends.
func follow(t *testing.T, path string, opts watch.Options) *follower {
	t.Helper()
	f := &follower{t: t, path: path, text: "?", watcher: watch.New(path, opts)}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- f.watcher.Run(ctx, f.changed) }()
	t.Cleanup(func() {
		cancel()
		must(t, <-done)
	})
	return f
}

func (f *follower) changed(reason string) bool {
	text, err := os.ReadFile(f.path)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.text = string(text); err != nil {
		f.text = "-"
	}
	f.reasons = append(f.reasons, reason)
	return true
}

// sees waits until the follower has read this text.
func (f *follower) sees(text string) {
	f.t.Helper()
	f.until("the text "+text, func() bool { return f.text == text })
}

func (f *follower) until(what string, ok func() bool) {
	f.t.Helper()
	deadline, tick := time.After(10*time.Second), time.NewTicker(2*time.Millisecond)
	defer tick.Stop()
	for {
		f.mu.Lock()
		reached, text := ok(), f.text
		f.mu.Unlock()
		if reached {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			f.t.Fatalf("waited in vain for %s; the last text is %q", what, text)
		}
	}
}

// modes are the two ways to find a change, each without the other.
var modes = map[string]watch.Options{
	"events": {Poll: time.Hour, Gap: time.Millisecond},
	"poll":   {Poll: 5 * time.Millisecond, Gap: time.Millisecond, NoEvents: true},
}

// story is a way of saving, or of losing, a file; each step must be seen before the next is taken.
type story struct {
	name string
	tell func(t *testing.T, dir string, f *follower)
}

var stories = []story{
	{"in place", func(t *testing.T, _ string, f *follower) {
		for _, text := range []string{"two", "three", "four"} {
			write(t, f.path, text)
			f.sees(text)
		}
	}},
	{"renamed over, three times", func(t *testing.T, _ string, f *follower) {
		for _, text := range []string{"two", "three", "four"} {
			replace(t, f.path, text)
			f.sees(text)
		}
	}},
	{"moved away and written again, as vim with a backup", func(t *testing.T, _ string, f *follower) {
		for _, text := range []string{"two", "three", "four"} {
			must(t, os.Rename(f.path, f.path+"~"))
			write(t, f.path, text)
			f.sees(text)
		}
	}},
	{"removed and made again", func(t *testing.T, _ string, f *follower) {
		must(t, os.Remove(f.path))
		f.sees("-")
		write(t, f.path, "two")
		f.sees("two")
	}},
	{"same size, with the time set back", func(t *testing.T, _ string, f *follower) {
		info, err := os.Stat(f.path)
		must(t, err)
		for _, text := range []string{"two", "six", "ten"} {
			write(t, f.path, text)
			must(t, os.Chtimes(f.path, info.ModTime(), info.ModTime()))
			f.sees(text)
		}
	}},
	{"two saves in a burst", func(t *testing.T, _ string, f *follower) {
		for range 20 {
			write(t, f.path, "first of two")
			write(t, f.path, "last of two")
			f.sees("last of two")
			write(t, f.path, "x")
			write(t, f.path, "y")
			f.sees("y")
		}
	}},
	{"replaced by a directory and back", func(t *testing.T, _ string, f *follower) {
		must(t, os.Remove(f.path))
		must(t, os.Mkdir(f.path, 0o700))
		f.sees("-")
		must(t, os.Remove(f.path))
		write(t, f.path, "two")
		f.sees("two")
	}},
}

func TestSaves(t *testing.T) {
	t.Parallel()
	for mode, opts := range modes {
		for _, s := range stories {
			t.Run(mode+"/"+s.name, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				path := filepath.Join(dir, "file")
				write(t, path, "one")
				f := follow(t, path, opts)
				f.sees("one")
				s.tell(t, dir, f)
			})
		}
	}
}

// TestLinkSwap: a mount whose file is a link through a link to a directory, which is swapped as Kubernetes
// does; then a change behind all links.
func TestLinkSwap(t *testing.T) {
	t.Parallel()
	for mode, opts := range modes {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			version := func(name, text string) {
				must(t, os.Mkdir(filepath.Join(dir, name), 0o700))
				write(t, filepath.Join(dir, name, "file"), text)
			}
			swap := func(name string) {
				must(t, os.Symlink(name, filepath.Join(dir, "..data_tmp")))
				must(t, os.Rename(filepath.Join(dir, "..data_tmp"), filepath.Join(dir, "..data")))
			}
			version("..v1", "one")
			swap("..v1")
			must(t, os.Symlink("..data/file", filepath.Join(dir, "file")))
			f := follow(t, filepath.Join(dir, "file"), opts)
			f.sees("one")
			for name, text := range map[string]string{"..v2": "two", "..v3": "three"} {
				version(name, text)
				swap(name)
				f.sees(text)
			}
			write(t, filepath.Join(dir, "..data", "file"), "behind the links")
			f.sees("behind the links")
		})
	}
}

// TestDirectories: the directory may be made later, be removed, and be another one under its name. Without
// the poll only its first appearance can be told, so that both ways work together here.
func TestDirectories(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string]watch.Options{
		"both": {Poll: 5 * time.Millisecond, Gap: time.Millisecond},
		"poll": modes["poll"],
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			above := filepath.Join(t.TempDir(), "a")
			dir := filepath.Join(above, "b")
			path := filepath.Join(dir, "file")
			f := follow(t, path, opts)
			f.sees("-")
			for _, text := range []string{"one", "two"} {
				must(t, os.MkdirAll(dir, 0o700))
				write(t, path, text)
				f.sees(text)
				must(t, os.RemoveAll(above))
				f.sees("-")
			}
		})
	}
}

// TestForce calls back though nothing changed.
func TestForce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	write(t, path, "one")
	f := follow(t, path, watch.Options{Poll: time.Hour, Gap: time.Millisecond, NoEvents: true})
	f.sees("one")
	first := f.watcher.Force()
	f.until("a forced call", func() bool { return len(f.reasons) == 2 && f.reasons[1] == watch.Forced })
	<-first
	<-f.watcher.Force()
	f.until("another", func() bool { return len(f.reasons) == 3 })
}

// TestForceTellsWhenItIsOver: not before the call is over that began after the asking, though one was under way then.
func TestForceTellsWhenItIsOver(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	write(t, path, "one")
	synctest.Test(t, func(t *testing.T) {
		calls, release := 0, make(chan struct{})
		w := watch.New(path, watch.Options{NoEvents: true, Poll: time.Hour})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			ended <- w.Run(ctx, func(string) bool {
				calls++
				<-release
				return true
			})
		}()
		synctest.Wait() // within the call at the start
		over := w.Force()
		again := w.Force()
		for call := range 3 {
			select {
			case <-over:
				if call < 2 {
					t.Errorf("it is over after %d calls", call)
				}
			default:
				if call == 2 {
					t.Error("it is not over")
				}
			}
			if call < 2 {
				release <- struct{}{}
				time.Sleep(time.Second)
				synctest.Wait()
			}
		}
		<-again
		if calls != 2 {
			t.Errorf("%d calls", calls)
		}
		cancel()
		must(t, <-ended)
	})
}

// TestTiming is the rhythm of looking, by a clock that stands still until nothing else can happen.
func TestTiming(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	write(t, path, "one")
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var calls []time.Duration
		var during func()
		var unread bool
		begin := time.Now()
		w := watch.New(path, watch.Options{NoEvents: true})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			done <- w.Run(ctx, func(string) bool {
				mu.Lock()
				defer mu.Unlock()
				calls = append(calls, time.Since(begin))
				if during != nil {
					during()
				}
				return !unread
			})
		}()
		settle := func(d time.Duration) []time.Duration {
			time.Sleep(d)
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			got := calls
			calls = nil
			return got
		}

		if got := settle(time.Minute); len(got) != 1 || got[0] != 0 {
			t.Errorf("without a change it calls at %v, want once at the start", got)
		}
		write(t, path, "another size")
		saved := time.Since(begin)
		if got := settle(10 * time.Second); len(got) != 1 || got[0]-saved > 700*time.Millisecond {
			t.Errorf("a change at %v leads to calls at %v, want one within 700 ms", saved, got)
		}
		mu.Lock()
		unread = true
		mu.Unlock()
		write(t, path, "a third size")
		if got := settle(10 * time.Second); len(got) < 15 {
			t.Errorf("a file that cannot be read now is tried %d times in ten seconds, want at every look", len(got))
		}
		mu.Lock()
		unread = false
		mu.Unlock()
		if got := settle(10 * time.Second); len(got) > 1 {
			t.Errorf("once it was read it is called for %d times more, want at most the one that read it", len(got))
		}
		for range 100 {
			w.Force()
			synctest.Wait()
		}
		if got := settle(10 * time.Second); len(got) != 1 {
			t.Errorf("forced a hundred times at once it calls at %v, want once", got)
		}
		for range 200 { // for two seconds
			w.Force()
			time.Sleep(10 * time.Millisecond)
		}
		got := settle(10 * time.Second)
		for i := 1; i < len(got); i++ {
			if got[i]-got[i-1] < 200*time.Millisecond {
				t.Errorf("calls at %v and %v are closer than 200 ms", got[i-1], got[i])
			}
		}
		if len(got) < 8 || len(got) > 12 {
			t.Errorf("forced all the time for two seconds it calls %d times, want about ten", len(got))
		}
		mu.Lock()
		during = func() {
			during = nil
			write(t, path, "changed while the call runs")
		}
		mu.Unlock()
		w.Force()
		if got := settle(10 * time.Second); len(got) != 2 {
			t.Errorf("a change during a call leads to calls at %v, want two", got)
		}
		cancel()
		must(t, <-done)
	})
}

// TestRunEnds with its context, at once, and may be run again.
func TestRunEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	w := watch.New(filepath.Join(t.TempDir(), "missing"), watch.Options{})
	for range 2 {
		calls := 0
		must(t, w.Run(ctx, func(string) bool { calls++; return true }))
		if calls != 1 {
			t.Errorf("%d calls, want the one at the start", calls)
		}
	}
}
