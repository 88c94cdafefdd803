package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"prax/auth"
	"prax/store"
	"prax/store/sqlite"
	"prax/tools/runner"
)

// crashGate is a workflow that asks a person, and prax is to tell of that.
const crashGate = `version: "1.0.0"
workflows:
  gate:
    initialState: s
    states:
      s: { transitions: { ask: { target: t, executor: { kind: human, queue: q } } } }
      t: { terminal: true }
`

// TestCrashNotices kills a server between the moment at which an approval is on the disk and the one at which it is known that the
// operator was told of it, and at moments around. In the end each approval was told, under one id however often, and none was
// told that is not there.
func TestCrashNotices(t *testing.T) {
	t.Parallel()
	c := newCrash(t)
	for name, text := range map[string]string{
		"praxec.yaml": crashGate, "tell.sh": "#!/bin/sh\nexec cat >> told\n", "config.env": "PRAX_NOTIFY=[\"./tell.sh\"]\n",
	} {
		if err := os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	lives := []string{"", ""}
	if crashPoints {
		for _, point := range append(slices.Clone(runner.NoticePoints), "mid-move", "before-commit", "after-commit") {
			lives = append(lives, fmt.Sprintf("%s:%d", point, 2+rand.IntN(3)))
		}
	}
	for _, at := range lives {
		t.Logf("dies at %q", at)
		c.gates(at)
	}
	told := c.tellAll()
	asked := c.approvals()
	for id := range asked {
		if len(told[id]) != 1 {
			t.Errorf("approval %s was told under the ids %v, want one", id, told[id])
		}
	}
	for id := range told {
		if !asked[id] {
			t.Errorf("told of the approval %s, which is not there", id)
		}
	}
	if len(asked) < len(lives) {
		t.Errorf("%d approvals in %d lives", len(asked), len(lives))
	}
}

// gates starts a server, has it ask people, and sees it dead.
func (c *crash) gates(at string) {
	cmd := c.start(at)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	ctx, stop := context.WithTimeout(c.t.Context(), patience)
	defer stop()
	var load sync.WaitGroup
	if c.ready(ended) {
		asked := make(chan struct{}, 100)
		for user := range crashUsers {
			load.Go(func() {
				for range 4 {
					if c.gate(ctx, user) {
						asked <- struct{}{}
					}
				}
			})
		}
		if at == "" {
			select {
			case <-asked:
			case <-ended:
			case <-ctx.Done():
			}
		} else {
			select {
			case <-ended:
			case <-ctx.Done():
				c.t.Errorf("not dead at %q", at)
			}
		}
	}
	_ = cmd.Process.Kill()
	<-ended
	stop()
	load.Wait()
	if strings.Contains(fmt.Sprint(cmd.Stderr), "panic") {
		c.t.Errorf("at %q: %s", at, cmd.Stderr)
	}
}

// gate has a workflow ask a person, and tells whether it was acknowledged.
func (c *crash) gate(ctx context.Context, user int) bool {
	var a effectAnswer
	if !c.call(ctx, user, "praxec.command", map[string]any{"definitionId": "gate"}, &a) {
		return false
	}
	w := a.Result.StructuredContent.Workflow
	return c.call(ctx, user, "praxec.command", map[string]any{"workflowId": w.ID, "expectedVersion": w.Version, "transition": "ask"}, &a)
}

// tellAll has a server tell what is left, and returns what was told: the ids of notices by approval.
func (c *crash) tellAll() map[string][]string {
	c.serving(func(*exec.Cmd) {
		ctx, cancel := context.WithTimeout(c.t.Context(), patience)
		defer cancel()
		for c.noticeWaits() {
			if !pause(ctx) {
				c.t.Fatal("not everything was told in time")
			}
		}
	})
	text, err := os.ReadFile(filepath.Join(c.dir, "told"))
	if err != nil {
		c.t.Fatal(err)
	}
	told := map[string][]string{}
	for line := range bytes.Lines(text) {
		var m struct{ ID, Kind, Approval string }
		if err := json.Unmarshal(line, &m); err != nil || m.Kind != string(store.NoticeApproval) {
			c.t.Errorf("told %q: %v", line, err)
		}
		if !slices.Contains(told[m.Approval], m.ID) {
			told[m.Approval] = append(told[m.Approval], m.ID)
		}
	}
	return told
}

// noticeWaits tells whether the operator still is to be told of something.
func (c *crash) noticeWaits() (waits bool) {
	c.t.Helper()
	c.look(func(tx store.Tx) error {
		next, err := tx.NextNotice()
		waits = !next.IsZero()
		return err
	})
	return waits
}

// approvals are those that are open, by their ids.
func (c *crash) approvals() map[string]bool {
	c.t.Helper()
	ids := map[string]bool{}
	c.look(func(tx store.Tx) error {
		all, err := tx.OpenApprovals(auth.Principal{User: "root", Oversees: auth.Everything()}.Scope(), "", time.Now(), store.MaxPage)
		for _, a := range all {
			ids[a.ID] = true
		}
		return err
	})
	return ids
}

// look reads the store, beside a server or without.
func (c *crash) look(read func(store.Tx) error) {
	c.t.Helper()
	db, err := sqlite.OpenReadOnly(c.data())
	if err != nil {
		c.t.Fatal(err)
	}
	defer db.Close()
	if err := db.View(c.t.Context(), read); err != nil {
		c.t.Fatal(err)
	}
}
