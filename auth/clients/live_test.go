package clients_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"prax/auth"
	"prax/auth/clients"
)

// live is a registry that runs on a real file by the real clock.
type live struct {
	*world
	dir     string
	slowest time.Duration // of the saves
}

// write saves text in place: until it is whole, the file is torn.
func (l *live) write(text string) {
	l.t.Helper()
	began := time.Now()
	l.world.write(text)
	l.slowest = max(l.slowest, time.Since(began))
}

// run makes a world that runs until the test ends.
func run(t *testing.T, text string, opts ...func(*clients.Config)) *live {
	t.Helper()
	return runAt(t, t.TempDir(), text, opts...)
}

func runAt(t *testing.T, dir, text string, opts ...func(*clients.Config)) *live {
	t.Helper()
	l := &live{dir: dir, world: &world{t: t, path: filepath.Join(dir, "clients.json"), log: &lockedBuffer{}}}
	if text != "" {
		l.write(text)
	}
	cfg := clients.Config{Path: l.path}
	for _, opt := range opts {
		opt(&cfg)
	}
	reg, err := clients.Open(cfg, tools, slog.New(slog.NewTextHandler(l.log, nil)), nil)
	if err != nil {
		t.Fatal(err)
	}
	l.Registry = reg
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- reg.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return l
}

func (l *live) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

// until waits for what must come true soon. The bound is generous: machines are busy.
func (l *live) until(what string, ok func() bool) {
	l.t.Helper()
	deadline, tick := time.After(10*time.Second), time.NewTicker(2*time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			l.t.Fatalf("waited in vain: %s; status %+v", what, l.Status())
		}
	}
}

func (l *live) in(token string) {
	l.t.Helper()
	l.until(token+" is admitted", func() bool { return l.knows(token) })
}

func (l *live) out(token string) {
	l.t.Helper()
	l.until(token+" is out", func() bool { return !l.knows(token) })
}

// rename saves as vim does: the old file becomes a backup, the new one takes its name.
func (l *live) rename(text string) {
	l.t.Helper()
	l.must(os.WriteFile(l.path+".new", []byte(text), 0o600))
	l.must(os.Rename(l.path+".new", l.path))
}

func noEvents(c *clients.Config) { c.NoEvents = true }

func client(name string) (entry, token string) {
	token = name + "-token-0123456789"
	return `{"name": "` + name + `", "user_id": "` + name + `", "token": "` + token + `"}`, token
}

// TestReload edits a real file in every way, while the entry beside it is looked up all the time and must
// never be missing.
func TestReload(t *testing.T) {
	t.Parallel()
	l := run(t, file(bystander))
	stop := l.hold(byToken)
	defer stop()
	a, aToken := client("ada")
	b, bToken := client("ben")
	has := func(want string) func() bool {
		return func() bool {
			p, _ := l.Lookup(auth.HashToken(aToken))
			return strings.Join(p.Allow.Sorted(), " ")+"@"+p.User == want
		}
	}
	with := func(members string) string { return strings.TrimSuffix(a, "}") + members + "}" }

	l.write(file(bystander, a)) // add
	l.in(aToken)
	l.write(file(bystander, a, b))
	l.in(bToken)
	l.write(file(bystander, a)) // remove
	l.out(bToken)
	l.write(file(bystander, with(`, "allow": ["memory_recall"]`)))
	l.until("narrowed", has("memory_recall@ada"))
	l.write(file(bystander, with(`, "allow": ["memory_recall", "memory_remember"]`)))
	l.until("widened", has("memory_recall memory_remember@ada"))
	l.write(file(bystander, strings.Replace(with(`, "allow": []`), `"user_id": "ada"`, `"user_id": "eva"`, 1)))
	l.until("another user", has("@eva"))
	l.write(file(bystander, with(`, "disabled": true`)))
	l.out(aToken)
	l.write(file(bystander, strings.Replace(a, aToken, "rotated-token-0123456789", 1)))
	l.in("rotated-token-0123456789")
	l.want(aToken, false)
	l.write(file(bystander, with(`, "expires_at": "2999-01-01T00:00:00Z"`))) // a lease, then a shorter one
	l.in(aToken)
	soon := time.Now().Add(time.Second).UTC().Format(time.RFC3339Nano)
	l.write(file(bystander, with(`, "expires_at": "`+soon+`"`)))
	l.out(aToken)
	l.write(file(bystander, with(`, "expires_at": "2999-01-01T00:00:00Z"`))) // extended
	l.in(aToken)
	l.write(file(bystander, a)) // two saves in a burst
	l.write(file(bystander, b))
	l.in(bToken)
	l.want(aToken, false)
	stop()
	l.write(`{"clients": []}`) // nobody
	l.out(byToken)
	l.write(file(bystander))
	l.in(byToken)
}

// TestReloadRenameSaves: as vim saves, three times, each time to another inode; and a save that leaves size
// and time as they were. With file events, and where there are none, as on a network mount.
func TestReloadRenameSaves(t *testing.T) {
	t.Parallel()
	for mode, opt := range map[string]func(*clients.Config){"events": func(*clients.Config) {}, "no events": noEvents} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			l := run(t, file(bystander), opt)
			stop := l.hold(byToken)
			defer stop()
			for _, name := range []string{"v1", "v2", "v3"} {
				entry, token := client(name)
				l.rename(file(bystander, entry))
				l.in(token)
			}
			entry, token := client("v4")
			l.sameSizeAndTime(file(bystander, entry))
			l.in(token)
			l.out("v3-token-0123456789")
		})
	}
}

// hold looks a token up without pause, from a goroutine of its own, until it is told to stop.
func (l *live) hold(token string) (stop func()) {
	quit, done := make(chan struct{}), make(chan int)
	go func() {
		missed, tick := 0, time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				done <- missed
				return
			case <-tick.C:
				if !l.knows(token) {
					missed++
				}
			}
		}
	}()
	stopped := false
	return func() {
		if stopped {
			return
		}
		stopped = true
		close(quit)
		switch missed := <-done; {
		case missed > 0 && l.slowest > 400*time.Millisecond:
			l.t.Skipf("the disk held a save up for %v: a file that is torn for so long admits nobody", l.slowest)
		case missed > 0:
			l.t.Errorf("%s was missing %d times while others were edited", token, missed)
		}
	}
}

// sameSizeAndTime saves text of the size of the file with the file's modification time.
func (l *live) sameSizeAndTime(text string) {
	l.t.Helper()
	info, err := os.Stat(l.path)
	l.must(err)
	if int64(len(text)) != info.Size() {
		l.t.Fatalf("the text has %d bytes, the file %d", len(text), info.Size())
	}
	l.write(text)
	l.must(os.Chtimes(l.path, info.ModTime(), info.ModTime()))
}

// TestReloadBroken: a file that breaks is served for a moment, then refused, and served again when mended,
// whichever way it breaks and with nothing but the clock to end the grace.
func TestReloadBroken(t *testing.T) {
	t.Parallel()
	good := file(alice(""))
	breaks := map[string]func(*live){
		"not JSON":     func(l *live) { l.write("{bad") },
		"zero bytes":   func(l *live) { l.write("") },
		"half written": func(l *live) { l.write(good[:len(good)/2]) },
		"deleted":      func(l *live) { l.must(os.Remove(l.path)) },
		"moved away":   func(l *live) { l.must(os.Rename(l.path, l.path+".away")) },
		"directory gone": func(l *live) {
			l.must(os.RemoveAll(l.dir))
		},
		"no events": func(l *live) { l.write("{bad") },
	}
	for name, damage := range breaks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "sub")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			opt := func(*clients.Config) {}
			if name == "no events" {
				opt = noEvents
			}
			l := runAt(t, dir, good, opt)
			l.in(aliceToken)
			changed := l.Changed()
			broken := time.Now()
			damage(l)
			l.until("the damage is noticed", func() bool { return !l.Status().OK })
			// The grace began no earlier than the damage, so within a second of it she is served.
			if served := l.knows(aliceToken); !served && time.Since(broken) < time.Second {
				t.Error("refused at once")
			}
			l.out(aliceToken)
			if wait := time.Since(broken); wait < time.Second {
				t.Errorf("refused %v after the damage, within the grace", wait)
			}
			select {
			case <-changed: // streams are told, though no file event happens now
			case <-time.After(10 * time.Second):
				t.Error("nobody is told that the grace is over")
			}
			l.must(os.MkdirAll(l.dir, 0o700))
			l.write(good)
			l.in(aliceToken)
		})
	}
}

// TestReloadBadSavesWithoutEnd: a file that is saved broken a hundred times a second is refused all the same.
func TestReloadBadSavesWithoutEnd(t *testing.T) {
	t.Parallel()
	l := run(t, file(alice("")))
	l.in(aliceToken)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-tick.C:
				if err := os.WriteFile(l.path, []byte("{bad"+strings.Repeat(" ", i%100)), 0o600); err != nil {
					t.Error(err)
					return
				}
			}
		}
	}()
	l.out(aliceToken)
	close(stop)
	<-done
	l.want(aliceToken, false)
	l.write(file(alice("")))
	l.in(aliceToken)
}

// TestReloadHalfWrittenSaves: an editor that empties the file and fills it a moment later puts nobody out.
func TestReloadHalfWrittenSaves(t *testing.T) {
	t.Parallel()
	l := run(t, file(bystander))
	l.in(byToken)
	stop := l.hold(byToken)
	defer stop()
	entry, token := client("new")
	l.write("")
	l.write(file(bystander)[:20])
	l.write(file(bystander, entry))
	l.in(token)
	l.must(os.Remove(l.path))
	l.write(file(bystander))
	l.out(token)
}

// TestReloadLinkSwap: the file of a Kubernetes mount, whose directory is swapped under it.
func TestReloadLinkSwap(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mount := func(version, text string) {
		t.Helper()
		for _, err := range []error{
			os.Mkdir(filepath.Join(dir, version), 0o700),
			os.WriteFile(filepath.Join(dir, version, "clients.json"), []byte(text), 0o600),
			os.Symlink(version, filepath.Join(dir, "..data_tmp")),
			os.Rename(filepath.Join(dir, "..data_tmp"), filepath.Join(dir, "..data")),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	mount("..1", file(bystander))
	if err := os.Symlink("..data/clients.json", filepath.Join(dir, "clients.json")); err != nil {
		t.Fatal(err)
	}
	l := runAt(t, dir, "")
	l.in(byToken)
	stop := l.hold(byToken)
	defer stop()
	for _, name := range []string{"k1", "k2", "k3"} {
		entry, token := client(name)
		mount("..v"+name, file(bystander, entry))
		l.in(token)
	}
}

// TestReloadStrange: a FIFO in the file's place neither hangs the registry nor lets anybody in.
func TestReloadStrange(t *testing.T) {
	t.Parallel()
	l := run(t, file(alice("")))
	l.in(aliceToken)
	l.must(os.Remove(l.path))
	l.must(os.Symlink("/dev/zero", l.path))
	l.out(aliceToken)
	l.must(os.Remove(l.path))
	l.write(file(alice("")))
	l.in(aliceToken)
}

// TestReloadSingleIsUntouched by whatever becomes of the file.
func TestReloadSingleIsUntouched(t *testing.T) {
	t.Parallel()
	l := run(t, file(alice("")), withSingle(clients.Single{Token: singleToken, UserID: "u1"}))
	l.in(aliceToken)
	stop := l.hold(singleToken)
	defer stop()
	l.write("{bad")
	l.out(aliceToken)
	l.must(os.Remove(l.path))
	l.until("the loss is noticed", func() bool {
		p := l.Status().Problems
		return len(p) > 0 && p[0].Code == clients.FileMissing
	})
	l.write(file(bystander))
	l.in(byToken)
}

// TestRunWithoutFile only waits for its end.
func TestRunWithoutFile(t *testing.T) {
	t.Parallel()
	reg, err := clients.Open(clients.Config{Single: &clients.Single{Token: singleToken, UserID: "u1"}}, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := reg.Run(ctx); err != nil {
		t.Error(err)
	}
}
