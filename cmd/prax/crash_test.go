package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"prax/auth"
	"prax/store"
	"prax/store/sqlite"
)

// defaultKills is how often a server is killed when PRAX_TEST_KILLS does not say.
const defaultKills = 6

// TestCrash kills a real server under mixed load, at random and (in a build with the tag crashpoints)
// at every named point, starts it again on the same files, and holds it to what it had acknowledged:
// nothing of that is lost, every change has exactly its event, and the audit verifies each time.
func TestCrash(t *testing.T) {
	t.Parallel()
	c := newCrash(t)
	for i := range kills(t) {
		at := c.point(i)
		t.Logf("kill %d: %s", i, at)
		if atFirstStart(at) && c.acknowledged() == 0 {
			c.forget()
		}
		c.life(at)
		c.inquest(at)
	}
	if c.acknowledged() == 0 {
		t.Error("no write was ever acknowledged: the harness proves nothing")
	}
	c.tellStarts()
}

// tellStarts says how long a server takes to its first answer after a kill, and after a stop in order.
func (c *crash) tellStarts() {
	c.serving(func(*exec.Cmd) {})
	var clean time.Duration
	began := time.Now()
	c.serving(func(*exec.Cmd) { clean = time.Since(began) })
	slices.Sort(c.starts)
	if n := len(c.starts); n > 0 {
		c.t.Logf("ready after a kill within %v in the middle of %d, %v at most; after a stop in order within %v",
			c.starts[n/2], n, c.starts[n-1], clean)
	}
}

func kills(t *testing.T) int {
	text := os.Getenv("PRAX_TEST_KILLS")
	if text == "" {
		return defaultKills
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("PRAX_TEST_KILLS=%q: want a number of kills", text)
	}
	return n
}

// crash is one data directory that servers die on, and what their callers were told.
type crash struct {
	t    *testing.T
	dir  string
	prax string
	url  string

	mu    sync.Mutex
	acked map[string]map[string]string // user, document id, body
	moved map[string]map[string]int64  // user, instance id, version
	sent  atomic.Int64

	starts []time.Duration // of servers after others were killed, to their first answer

	as *syscall.SysProcAttr // of the servers; nil: as the tests
}

const crashUsers = 3

func crashUser(i int) string { return fmt.Sprintf("u_%d", i) }

func crashToken(i int) string { return fmt.Sprintf("crash-harness-token-%d", i) }

func newCrash(t *testing.T) *crash {
	c := &crash{t: t, dir: t.TempDir(), acked: map[string]map[string]string{}, moved: map[string]map[string]int64{}}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c.prax = filepath.Join(c.dir, "prax")
	if err := os.Symlink(self, c.prax); err != nil {
		t.Fatal(err)
	}
	for i := range crashUsers {
		c.acked[crashUser(i)], c.moved[crashUser(i)] = map[string]string{}, map[string]int64{}
	}
	c.admit(crashUsers, crashTools...)
	if err := os.WriteFile(filepath.Join(c.dir, "praxec.yaml"), []byte(crashWorkflow), 0o600); err != nil {
		t.Fatal(err)
	}
	return c
}

var crashTools = []string{"praxec.command", "praxec.query", "memory_remember", "memory_recall", "get_current_datetime", "trace_search"}

// admit makes so many agents the clients, with these tools: one a user, then again from the first.
func (c *crash) admit(agents int, allow ...string) {
	var clients []map[string]any
	for i := range agents {
		clients = append(clients, map[string]any{
			"name": fmt.Sprintf("agent-%d", i), "user_id": crashUser(i % crashUsers), "token_sha256": auth.HashToken(crashToken(i)).Hex(),
			"allow": allow,
		})
	}
	text, err := json.Marshal(map[string]any{"clients": clients})
	if err == nil {
		err = os.WriteFile(filepath.Join(c.dir, "clients.json"), text, 0o600)
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// point is where the i-th server dies: at each named point once, from the first start on, then by
// turns at a moment that chance picks ("") and at a point of a write, the n-th time.
func (c *crash) point(i int) string {
	if !crashPoints {
		return ""
	}
	// After the first starts one that gets far enough to acknowledge something: later ones may lose it.
	points := slices.Insert(slices.Clone(sqlite.CrashPoints), slices.IndexFunc(sqlite.CrashPoints, func(p string) bool { return !atFirstStart(p) }), "")
	if i < len(points) {
		return points[i]
	}
	writing := slices.DeleteFunc(slices.Clone(sqlite.CrashPoints), onceALife)
	if i%2 == 0 {
		return ""
	}
	return fmt.Sprintf("%s:%d", writing[i%len(writing)], 2+rand.IntN(8))
}

// onceALife tells whether a point is reached only when a server starts or stops.
func onceALife(point string) bool { return atFirstStart(point) || atStop(point) }

// atFirstStart: the schema is made once; whoever looks at what a dead server left makes it too.
func atFirstStart(point string) bool { return strings.HasSuffix(point, "-migration") }

func atStop(point string) bool {
	return strings.HasSuffix(point, "-head") || strings.HasSuffix(point, "-checkpoint")
}

// forget makes the next start a first one.
func (c *crash) forget() {
	if err := os.RemoveAll(c.data()); err != nil {
		c.t.Fatal(err)
	}
	for _, versions := range c.moved {
		clear(versions)
	}
}

func (c *crash) data() string { return filepath.Join(c.dir, "data") }

// life starts a server, loads it, and sees it dead.
func (c *crash) life(at string) {
	began := time.Now()
	cmd := c.start(at)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	ctx, stop := context.WithCancel(c.t.Context())
	var load sync.WaitGroup
	if c.ready(ended) {
		c.starts = append(c.starts, time.Since(began))
		for i := range 2 * crashUsers {
			load.Go(func() { c.write(ctx, i%crashUsers) })
			load.Go(func() { c.read(ctx, i%crashUsers) })
		}
		for i := range crashUsers {
			load.Go(func() { c.move(ctx, i) })
		}
		c.die(cmd, at, ended)
	}
	_ = cmd.Process.Kill()
	<-ended
	stop()
	load.Wait()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() || status.Signal() != syscall.SIGKILL {
		c.t.Errorf("the server at %q ended by itself: %v\n%s", at, cmd.ProcessState, cmd.Stderr)
	}
}

func (c *crash) start(at string, env ...string) *exec.Cmd {
	addr := freeAddress(c.t)
	c.url = "http://" + addr
	cmd := c.prepare("serve")
	cmd.Env = append(append(cmd.Env, "MCP_SERVER_ENABLED=true", "PRAX_ADDR="+addr, "PRAX_LOG=warn", "PRAX_CRASH_AT="+at), env...)
	cmd.Stderr, cmd.SysProcAttr = new(bytes.Buffer), c.as
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	return cmd
}

// prepare is a command of prax in the folder of the test, with nothing of our environment that it does not need.
func (c *crash) prepare(args ...string) *exec.Cmd {
	cmd := exec.Command(c.prax, args...)
	cmd.Dir = c.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "GORACE=" + raceOptions, "MCP_CLIENTS_PATH=clients.json", "PRAX_DATA=" + c.data()}
	return cmd
}

// freeAddress is one on which nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// ready waits until the server takes calls; false when it died before it did.
func (c *crash) ready(ended <-chan struct{}) bool {
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	for {
		select {
		case <-ended:
			return false
		default:
		}
		if resp, err := http.Get(c.url + "/readyz"); err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return true
			}
		}
		if !pause(ctx) {
			c.t.Errorf("not ready after %v", patience)
			return false
		}
	}
}

// die sees a loaded server to its end: at a point of a write by itself, at one of its stop after a
// polite signal. For a moment that chance picks it returns after some acknowledged writes, and the
// caller kills it in the middle of the next.
func (c *crash) die(cmd *exec.Cmd, at string, ended <-chan struct{}) {
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	enough := c.sent.Load() + 10 + rand.Int64N(200)
	for (at == "" || atStop(at)) && !over(ended) { // a head is signed within a second, which a slow machine reaches here
		if c.sent.Load() >= enough || !pause(ctx) {
			break
		}
	}
	if at == "" {
		return
	}
	if atStop(at) {
		_ = cmd.Process.Signal(syscall.SIGTERM)
	}
	select {
	case <-ended:
	case <-ctx.Done():
		c.t.Errorf("not dead at %q after %v", at, patience)
	}
}

// over tells whether a server has ended.
func over(ended <-chan struct{}) bool {
	select {
	case <-ended:
		return true
	default:
		return false
	}
}

func (c *crash) acknowledged() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, documents := range c.acked {
		n += len(documents)
	}
	return n
}

// inquest opens what the dead server left behind.
func (c *crash) inquest(at string) {
	c.t.Helper()
	ctx := c.t.Context()
	db, err := sqlite.Open(ctx, sqlite.Config{Dir: c.data()})
	if err != nil {
		c.t.Fatalf("after %q the store does not open: %v", at, err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			c.t.Errorf("close: %v", err)
		}
	}()
	report, err := db.Verify(ctx)
	if err != nil || !report.OK() {
		c.t.Fatalf("after %q the audit does not verify: %+v, %v", at, report, err)
	}
	if err := db.View(ctx, func(tx store.Tx) error { return errors.Join(c.compare(tx), c.once(tx)) }); err != nil {
		c.t.Errorf("after %q: %v", at, err)
	}
}

// once holds the store to what was asked for: nothing of it may be there twice.
func (c *crash) once(tx store.Tx) error {
	stored, err := countDocuments(tx)
	if err == nil && int64(stored) > c.sent.Load() {
		err = fmt.Errorf("%d documents stored, %d asked for", stored, c.sent.Load())
	}
	return err
}

// compare holds the store to what callers were told, and the chain to the store.
func (c *crash) compare(tx store.Tx) error {
	if err := errors.Join(c.kept(tx), c.stepped(tx)); err != nil {
		return err
	}
	writes, err := countWrites(tx)
	if err != nil {
		return err
	}
	stored, err := countDocuments(tx)
	if err != nil {
		return err
	}
	if n := c.acknowledged(); stored != writes || writes < n {
		return fmt.Errorf("%d writes acknowledged, %d documents stored, %d events of writes in the chain", n, stored, writes)
	}
	return nil
}

// kept holds the store to what callers were told.
func (c *crash) kept(tx store.Tx) error {
	for user, documents := range c.acked {
		scope := auth.Principal{User: user}.Scope()
		for id, body := range documents {
			d, err := tx.Document(scope, id)
			if err != nil {
				return fmt.Errorf("acknowledged document of %s: %w", user, err)
			}
			if d.Body != body {
				return fmt.Errorf("acknowledged %q of %s, stored %q", body, user, d.Body)
			}
		}
	}
	return nil
}

func countDocuments(tx store.Tx) (n int, err error) {
	for i := range crashUsers {
		counts, err := tx.Namespaces(auth.Principal{User: crashUser(i)}.Scope(), store.Memory)
		if err != nil {
			return 0, err
		}
		for _, count := range counts {
			n += count.Documents
		}
	}
	return n, nil
}

// countWrites counts the events of changes in the chain.
func countWrites(tx store.Tx) (n int, err error) {
	for after := int64(0); ; {
		events, err := tx.EventsAfter(after, 1000)
		if err != nil || len(events) == 0 {
			return n, err
		}
		for _, e := range events {
			after = e.Seq
			for _, e := range e.All() {
				if e.Kind == store.EventCall && e.Tool == "memory_remember" && e.Outcome == "ok" {
					n++
				}
			}
		}
	}
}
