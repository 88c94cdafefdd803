package definition_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/tools"
	"prax/tools/definition"
)

// house is a source and all that can be seen of it.
type house struct {
	*definition.Source
	path string

	mu      sync.Mutex
	logs    bytes.Buffer
	applied []string // names of the tools in force, joined, at each change
	refuse  error    // of Apply
	now     time.Time
	changes []definition.Status
}

func (h *house) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.logs.Write(p)
}

func (h *house) apply(set *definition.Set) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.refuse != nil {
		return h.refuse
	}
	h.applied = append(h.applied, names(set.Tools))
	return nil
}

func names(list []*tools.Tool) string {
	var all []string
	for _, t := range list {
		all = append(all, t.Name)
	}
	return strings.Join(all, " ")
}

func (h *house) change(s definition.Status) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.changes = append(h.changes, s)
}

// await waits until the tools of the newest change are these.
func (h *house) await(t *testing.T, want string) {
	t.Helper()
	h.until(t, "in force is "+want, func() bool { return h.applied[len(h.applied)-1] == want })
}

// says waits until the log has this text.
func (h *house) says(t *testing.T, text string) {
	t.Helper()
	h.until(t, "the log says "+text, func() bool { return strings.Contains(h.logs.String(), text) })
}

// patience is how long a test waits for what must come: a busy machine is slow.
const patience = time.Minute

// until asks under the lock until it is so.
func (h *house) until(t *testing.T, what string, so func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for tick := time.Tick(5 * time.Millisecond); ; <-tick {
		h.mu.Lock()
		done := so()
		h.mu.Unlock()
		if done {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain: %s; applied %q", what, h.applied)
		}
	}
}

func (h *house) save(t *testing.T, text string) {
	t.Helper()
	next := h.path + ".new"
	if err := os.WriteFile(next, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(next, h.path); err != nil {
		t.Fatal(err)
	}
}

// later moves the source's clock.
func (h *house) later(by time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(by)
}

func (h *house) clock() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

func newHouse(t *testing.T, text string) *house {
	t.Helper()
	h := &house{path: filepath.Join(t.TempDir(), "praxec.yaml"), now: time.Unix(1_800_000_000, 0)}
	if text != "" {
		h.save(t, text)
	}
	h.Source = definition.Open(definition.Config{
		Path: h.path, Kinds: kinds, Apply: h.apply, Changed: h.change, Log: slog.New(slog.NewTextHandler(h, nil)),
		Now: h.clock,
	})
	return h
}

const other = "version: \"1\"\ncapabilities:\n  other: { description: D., risk: low, expose: tool, executor: { kind: echo } }\n"

// TestReload: a good file replaces what was there, a broken one leaves it, and each reading is told once.
func TestReload(t *testing.T) {
	t.Parallel()
	h := newHouse(t, one(""))
	first := h.Status()
	if !first.OK || first.Tools != 1 || len(first.Digest) != 64 || first.Loaded.IsZero() || names(h.Tools()) != "a.b" {
		t.Fatalf("status %+v", first)
	}
	h.Reload("again") // the same file: nothing happens
	h.save(t, "version: [\n")
	for range 2 {
		s := h.Reload("SIGHUP")
		if s.OK || s.Tools != 1 || s.Digest != first.Digest || s.Loaded != first.Loaded || len(s.Problems) != 1 || s.Problems[0].Line != 2 {
			t.Errorf("broken: %+v", s)
		}
	}
	if err := os.Remove(h.path); err != nil {
		t.Fatal(err)
	}
	if s := h.Reload("SIGHUP"); s.OK || s.Problems[0].Code != definition.FileMissing || names(h.Tools()) != "a.b" {
		t.Errorf("gone: %+v", s)
	}
	h.save(t, other)
	if s := h.Reload("SIGHUP"); !s.OK || s.Tools != 1 || s.Problems != nil || names(h.Tools()) != "other" {
		t.Errorf("mended: %+v", s)
	}
	h.refuse = errors.New("not these")
	h.save(t, "version: \"1\"\n")
	if s := h.Reload("SIGHUP"); s.OK || s.Problems[0].Code != definition.Refused || names(h.Tools()) != "other" {
		t.Errorf("refused by the registry: %+v", s)
	}
	h.refuse = nil
	h.save(t, one(""))
	h.Reload("SIGHUP")
	if diff := cmp.Diff([]string{"a.b", "other", "a.b"}, h.applied); diff != "" {
		t.Errorf("applied (-want +got):\n%s", diff)
	}
	var told []bool
	for _, c := range h.changes {
		told = append(told, c.OK)
	}
	if diff := cmp.Diff([]bool{true, false, false, true, false, true}, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	for _, want := range []string{"praxec.yaml:2:1: error: ", "level=ERROR", "the last good ones stay in force", "not these"} {
		if !strings.Contains(h.logs.String(), want) {
			t.Errorf("the log does not say %q:\n%s", want, &h.logs)
		}
	}
}

// TestOpenBroken: a start with a broken file has no tools of it until it is mended.
func TestOpenBroken(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"missing": "", "broken": "x: ["} {
		h := newHouse(t, text)
		if s := h.Status(); s.OK || s.Tools != 0 || s.Digest != "" || !s.Loaded.IsZero() || len(s.Problems) != 1 || h.Tools() != nil || h.applied != nil {
			t.Errorf("%s: %+v", name, s)
		}
		h.save(t, one(""))
		if s := h.Reload("event"); !s.OK || s.Reason != "event" {
			t.Errorf("%s, mended: %+v", name, s)
		}
	}
}

// TestWarningsAreLogged: once a reading, not as errors.
func TestWarningsAreLogged(t *testing.T) {
	t.Parallel()
	h := newHouse(t, one("    inputSchema: { type: object, anyOf: [true] }\n"))
	if s := h.Status(); !s.OK || len(s.Problems) != 1 {
		t.Errorf("status %+v", s)
	}
	if log := h.logs.String(); strings.Count(log, "level=WARN") != 1 || strings.Contains(log, "level=ERROR") {
		t.Errorf("log:\n%s", log)
	}
}

// TestRun: an edit is in force soon, a broken one is not, and what follows it is.
func TestRun(t *testing.T) {
	t.Parallel()
	h := newHouse(t, one(""))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- h.Run(ctx) }()
	h.save(t, other)
	h.await(t, "other")
	h.save(t, "version: 5")
	h.save(t, one(""))
	h.await(t, "a.b")
	h.Force() // the file looks the same, and whoever asked is told what came of it
	h.says(t, `"definitions were read at SIGHUP" ok=true tools=1 workflows=0 problems=0`)
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Run = %v", err)
	}
}

// TestGone: an operator takes the file away and expects its tools to go, while their callers keep calling. A
// save by removal leaves them: the second counts from when the file was first missed.
func TestGone(t *testing.T) {
	t.Parallel()
	h := newHouse(t, one(""))
	first := h.Status()
	remove := func() {
		t.Helper()
		if err := os.Remove(h.path); err != nil {
			t.Fatal(err)
		}
	}
	at := func(after time.Duration, want string) {
		t.Helper()
		h.later(after)
		if s := h.Reload("poll"); s.OK || s.Problems[0].Code != definition.FileMissing || names(h.Tools()) != want || (s.Digest == first.Digest) != (want != "") || s.Loaded.IsZero() != (want == "") {
			t.Errorf("%v later: %+v, tools %q, want %q", after, s, names(h.Tools()), want)
		}
	}
	remove()
	at(0, "a.b")
	at(999*time.Millisecond, "a.b")
	h.save(t, one(""))
	if s := h.Reload("poll"); !s.OK || s.Digest != first.Digest {
		t.Errorf("back: %+v", s)
	}
	remove()
	at(time.Hour, "a.b") // it was there until now, for all that anybody has seen
	at(time.Millisecond, "a.b")
	at(999*time.Millisecond, "")
	at(time.Hour, "")
	h.save(t, one(""))
	if s := h.Reload("poll"); !s.OK || s.Digest != first.Digest || names(h.Tools()) != "a.b" {
		t.Errorf("back again: %+v", s)
	}
	if diff := cmp.Diff([]string{"a.b", "a.b", "", "a.b"}, h.applied); diff != "" {
		t.Errorf("applied (-want +got):\n%s", diff)
	}
	if log := h.logs.String(); strings.Count(log, "none are in force") != 1 {
		t.Errorf("log:\n%s", log)
	}
}

// TestGoneIsNoticed: by a running source, of itself.
func TestGoneIsNoticed(t *testing.T) {
	t.Parallel()
	h := newHouse(t, one(""))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- h.Run(ctx) }()
	if err := os.Remove(h.path); err != nil {
		t.Fatal(err)
	}
	for tick, end := time.Tick(5*time.Millisecond), time.Now().Add(patience); h.Status().OK; <-tick {
		if time.Now().After(end) {
			t.Fatal("the file is not missed")
		}
	}
	h.later(time.Second)
	h.await(t, "")
	h.save(t, other)
	h.await(t, "other")
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Run = %v", err)
	}
}

// TestRunFolder: an edit of a file that is included, a new one in the folder, one that goes and one that comes again are in
// force soon, and while one is broken or gone everything stays as it was.
func TestRunFolder(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{
		"a.yaml":        "version: \"1\"\ninclude: [ parts/p.yaml ]\n",
		"parts/p.yaml":  tool("p"),
		"parts/q.yaml":  tool("q"),
		"parts/p2.yaml": tool("p2"),
	})
	h := &house{path: dir}
	h.Source = definition.Open(definition.Config{
		Path: dir, Kinds: kinds, Apply: h.apply, Changed: h.change, Log: slog.New(slog.NewTextHandler(h, nil)),
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- h.Run(ctx) }()
	save := func(name, text string) {
		t.Helper()
		next := filepath.Join(dir, "next")
		if err := os.WriteFile(next, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(next, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	h.await(t, "p")
	save("parts/p.yaml", tool("other"))
	h.await(t, "other")
	save("b.yaml", tool("b"))
	h.await(t, "other b")
	save("parts/p.yaml", "capabilities: [")
	h.awaitStatus(t, false)
	save("parts/p.yaml", tool("mended"))
	h.await(t, "mended b")
	if err := os.Remove(filepath.Join(dir, "parts/p.yaml")); err != nil {
		t.Fatal(err)
	}
	h.awaitStatus(t, false)
	if names(h.Tools()) != "mended b" || len(h.Set().Files) != 3 {
		t.Errorf("in force: %s of %v", names(h.Tools()), h.Set().Files)
	}
	save("parts/p.yaml", "include: [ q.yaml ]\n")
	h.await(t, "q b")
	if err := os.Remove(filepath.Join(dir, "b.yaml")); err != nil {
		t.Fatal(err)
	}
	h.await(t, "q")
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Run = %v", err)
	}
}

// tool is a file that has one tool.
func tool(name string) string {
	return "capabilities: { " + name + ": { description: D., risk: low, expose: tool, executor: { kind: echo } } }\n"
}

// awaitStatus waits until the newest reading was good, or was not.
func (h *house) awaitStatus(t *testing.T, ok bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for tick := time.Tick(5 * time.Millisecond); h.Status().OK != ok; <-tick {
		if time.Now().After(deadline) {
			t.Fatalf("status %+v", h.Status())
		}
	}
}

// TestSet: what is in force is there as a whole, and empty before there was anything.
func TestSet(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "")
	if set := h.Set(); set == nil || set.Definitions != nil || set.Definition("hello") != nil {
		t.Errorf("set %+v", h.Set())
	}
	text, err := os.ReadFile("testdata/hello.yaml")
	if err != nil {
		t.Fatal(err)
	}
	h.save(t, string(text))
	if s := h.Reload("SIGHUP"); !s.OK || s.Definitions != 1 || s.Digest != h.Set().Digest || h.Set().Definition("hello") == nil {
		t.Errorf("status %+v", s)
	}
	h.save(t, "version: \"1\"\nworkflows: { hello: {} }\n")
	if s := h.Reload("SIGHUP"); s.OK || s.Definitions != 1 || h.Set().Definition("hello") == nil {
		t.Errorf("broken: %+v", s)
	}
}
