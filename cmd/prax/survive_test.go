package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"prax/store"
	"prax/store/sqlite"
)

// TestStopUnderLoad: a server that is told to stop under load answers all that it took on: no answer is cut off,
// every write that is stored was acknowledged, and it ends with 0.
func TestStopUnderLoad(t *testing.T) {
	t.Parallel()
	c := newCrash(t)
	var torn atomic.Int64
	c.serving(func(cmd *exec.Cmd) {
		var load sync.WaitGroup
		for i := range 8 * crashUsers {
			load.Go(func() { c.rememberWhole(i%crashUsers, &torn) })
		}
		c.until(100)
		_ = cmd.Process.Signal(syscall.SIGTERM)
		load.Wait()
	})
	if n := torn.Load(); n > 0 {
		t.Errorf("%d answers were cut off", n)
	}
	c.inquest("the stop")
	c.storedAre(c.acknowledged())
}

// rememberWhole remembers one thing after another until the server takes no more, and counts the answers that
// began and did not end.
func (c *crash) rememberWhole(user int, torn *atomic.Int64) {
	for {
		body := fmt.Sprintf("fact %d of user %d", c.sent.Add(1), user)
		resp, err := c.send(c.t.Context(), http.DefaultClient, user, "memory_remember", map[string]any{"content": body})
		if err != nil {
			return // refused, or closed before a byte of an answer
		}
		text, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		var answer struct {
			Result struct{ StructuredContent struct{ ID string } }
		}
		switch {
		case err != nil:
			torn.Add(1)
			return
		case resp.StatusCode != http.StatusOK:
			return // it says that it stops
		case json.Unmarshal(text, &answer) != nil:
			torn.Add(1)
			return
		}
		if id := answer.Result.StructuredContent.ID; id != "" {
			c.mu.Lock()
			c.acked[crashUser(user)][id] = body
			c.mu.Unlock()
		}
	}
}

// storedAre holds the store to so many documents.
func (c *crash) storedAre(want int) {
	c.t.Helper()
	db, err := sqlite.OpenReadOnly(c.data())
	if err != nil {
		c.t.Fatal(err)
	}
	defer db.Close()
	var stored int
	if err := db.View(c.t.Context(), func(tx store.Tx) (err error) { stored, err = countDocuments(tx); return err }); err != nil {
		c.t.Fatal(err)
	}
	if stored != want {
		c.t.Errorf("%d writes are stored, %d were acknowledged", stored, want)
	}
}

// TestFloodedByOne: while one client calls, writes and searches as fast as it can, another is never refused, and
// finds what it wrote.
func TestFloodedByOne(t *testing.T) {
	t.Parallel()
	c := newCrash(t)
	c.serving(func(*exec.Cmd) {
		ctx, stop := context.WithCancel(t.Context())
		var flood sync.WaitGroup
		defer flood.Wait()
		defer stop()
		for range 12 {
			flood.Go(func() { c.write(ctx, 0) })
			flood.Go(func() { c.read(ctx, 0) })
			flood.Go(func() { c.move(ctx, 0) })
		}
		c.until(50)
		for n := range 3 {
			c.unaffected(ctx, 1, n)
		}
	})
	c.inquest("the flood")
}

// unaffected writes, reads it back, and takes a move; none of it may be refused.
func (c *crash) unaffected(ctx context.Context, user, n int) {
	c.t.Helper()
	word := fmt.Sprintf("quokka%d", n)
	c.sent.Add(1)
	var written, read, begun struct {
		Result struct {
			IsError bool
			Content []struct{ Text string }
		}
		Error any
	}
	for _, step := range []struct {
		tool      string
		arguments map[string]any
		answer    any
	}{
		{"memory_remember", map[string]any{"content": word}, &written},
		{"memory_recall", map[string]any{"query": word}, &read},
		{"praxec.command", map[string]any{"definitionId": "round"}, &begun},
	} {
		if !c.call(ctx, user, step.tool, step.arguments, step.answer) {
			c.t.Fatalf("%s: no answer", step.tool)
		}
	}
	if written.Result.IsError || read.Result.IsError || begun.Result.IsError || written.Error != nil || read.Error != nil || begun.Error != nil {
		c.t.Errorf("round %d beside a flood: %+v, %+v, %+v", n, written, read, begun)
	}
	if len(read.Result.Content) == 0 || !strings.Contains(read.Result.Content[0].Text, word) {
		c.t.Errorf("round %d does not find what it wrote: %+v", n, read)
	}
}
