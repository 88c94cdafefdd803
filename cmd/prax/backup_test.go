package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"prax/store/sqlite"
)

// TestBackupOfABusyServer: a backup of a real server under load, restored, is one moment of it: nothing that was
// acknowledged before the command began is missing, every change has exactly its event, and the chain verifies.
func TestBackupOfABusyServer(t *testing.T) {
	t.Parallel()
	c := newCrash(t)
	c.busy(func() {
		for i := range min(3, (kills(t)+1)/2) {
			c.until(20 * (i + 1))
			before := c.snapshot()
			dir, data := filepath.Join(c.dir, fmt.Sprint("backup", i)), filepath.Join(c.dir, fmt.Sprint("restored", i))
			c.command("backup", dir)
			c.command("restore", dir, "--data", data, "--clients", filepath.Join(data, "..", fmt.Sprint("clients", i, ".json")))
			c.judge(fmt.Sprint("backup ", i), data, before)
		}
	})
	c.judge("the server itself", c.data(), c.snapshot())
}

// TestOperationsKilled: SIGKILL at any moment of an archive, a backup or a restore, beside a server under load. What
// was acknowledged is there, the archives and the chain are one, and no half of a thing is taken for the whole.
func TestOperationsKilled(t *testing.T) {
	t.Parallel()
	c := newCrash(t)
	archives := filepath.Join(c.dir, "archives")
	if err := os.Mkdir(archives, 0o700); err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(c.dir, "source")
	c.busy(func() {
		c.until(20)
		c.command("backup", source)
		// Each round kills three commands, and verifies a chain that the load makes longer all the time.
		for i := range min((kills(t)+1)/2, 6) {
			c.until(20 + 5*i)
			dir, data := filepath.Join(c.dir, fmt.Sprint("backup", i)), filepath.Join(c.dir, fmt.Sprint("restored", i))
			before := c.snapshot()
			c.killed("backup", dir)
			if b, err := sqlite.OpenBackup(dir); err == nil {
				_ = b.Close()
				c.command("restore", dir, "--data", data, "--clients", data+".json")
				c.judge("a whole backup", data, before)
			}
			c.killed("audit", "archive", archives)
			c.command("audit", "verify", "--archive", archives)
			again := filepath.Join(c.dir, fmt.Sprint("again", i))
			c.killed("restore", source, "--data", again, "--clients", again+".json")
			if db, err := sqlite.OpenReadOnly(again); err == nil {
				report, err := db.Verify(t.Context())
				if err != nil || !report.OK() {
					t.Errorf("a restore that was killed: %+v, %v", report, err)
				}
				_ = db.Close()
			}
		}
	})
	c.command("audit", "archive", archives)
	c.command("audit", "verify", "--archive", archives)
}

// busy runs f beside a server under load, and stops it politely.
func (c *crash) busy(f func()) {
	c.t.Helper()
	c.serving(func(*exec.Cmd) {
		ctx, stop := context.WithCancel(c.t.Context())
		var load sync.WaitGroup
		defer load.Wait()
		defer stop()
		for i := range crashUsers {
			load.Go(func() { c.write(ctx, i) })
			load.Go(func() { c.write(ctx, i) })
			load.Go(func() { c.read(ctx, i) })
		}
		f()
	})
}

// serving runs f beside a server, and stops it politely, if f has not.
func (c *crash) serving(f func(*exec.Cmd)) {
	c.t.Helper()
	cmd := c.start("")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	defer func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-ended
		if code := cmd.ProcessState.ExitCode(); code != 0 {
			c.t.Errorf("the server ended with %d\n%s", code, cmd.Stderr)
		}
	}()
	if !c.ready(ended) {
		c.t.Errorf("the server is not ready\n%s", cmd.Stderr)
		return
	}
	f(cmd)
}

// until waits for so many acknowledged writes.
func (c *crash) until(writes int) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	for c.acknowledged() < writes {
		if !pause(ctx) {
			c.t.Fatalf("only %d writes were acknowledged within %v", c.acknowledged(), patience)
		}
	}
}

// snapshot is what was acknowledged until now.
func (c *crash) snapshot() map[string]map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := map[string]map[string]string{}
	for user, documents := range c.acked {
		now[user] = map[string]string{}
		for id, body := range documents {
			now[user][id] = body
		}
	}
	return now
}

// judge holds a data directory to what was acknowledged until a moment.
func (c *crash) judge(what, data string, acked map[string]map[string]string) {
	c.t.Helper()
	db, err := sqlite.OpenReadOnly(data)
	if err != nil {
		c.t.Errorf("%s: %v", what, err)
		return
	}
	defer db.Close()
	report, err := db.Verify(c.t.Context())
	if err != nil || !report.OK() {
		c.t.Errorf("%s does not verify: %+v, %v", what, report, err)
	}
	then := &crash{t: c.t, acked: acked}
	check := then.compare
	if report.Anchor != nil {
		check = then.kept // the events of older writes are in the archives
	}
	if err := db.View(c.t.Context(), check); err != nil {
		c.t.Errorf("%s: %v", what, err)
	}
}

// command runs prax and wants it to succeed.
func (c *crash) command(args ...string) {
	c.t.Helper()
	if said, err := c.prepare(args...).CombinedOutput(); err != nil {
		c.t.Errorf("prax %q: %v\n%s", args, err, said)
	}
}

// killed runs prax and kills it at some moment.
func (c *crash) killed(args ...string) {
	c.t.Helper()
	cmd := c.prepare(args...)
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	timer := time.AfterFunc(time.Duration(rand.IntN(400))*time.Millisecond, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	_ = cmd.Wait()
}
