package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"prax/auth"
	"prax/store/sqlite"
	"prax/tools/runner"
)

// crashEffects are workflows and a tool with an effect of every kind. The other end of each keeps a book, in which
// every effect is a line. What ends in _key may be started again, with the same key.
const crashEffects = `version: "1.0.0"
connections:
  book: { kind: cli, command: sh, workingDirectory: ., env: { BOOK: "%[1]s" } }
  ledger: { kind: rest, baseUrl: "%[2]s" }
scripts:
  book.it: { body: "#!/bin/sh\necho \"$1 $IDEMPOTENCY_KEY\" >> \"$BOOK\"\n", verb: run, lifecycle: stable }
capabilities:
  crash.book: { description: Books., risk: medium, expose: tool, inputSchema: { type: object, properties: { id: { type: string } } }, executor: { kind: cli, connection: book, args: [./book.sh, $.arguments.id] } }
workflows:
`

// crashPay is one of the workflows: it pays, once.
const crashPay = `  %[1]s:
    initialState: due
    grants: [memory_remember]
    states:
      due: { transitions: { pay: { target: paid, actor: %[2]s, executor: %[3]s, output: { id: "$.arguments.id" }%[4]s } } }
      paid: { terminal: true }
`

// crashChain pays in two steps that follow a start by themselves.
const crashChain = `  chain:
    initialState: a
    inputSchema: { type: object, properties: { id: { type: string } } }
    states:
      a: { transitions: { one: { target: b, actor: deterministic, executor: { kind: cli, connection: book, args: [./book.sh, $.workflow.input.id, one] } } } }
      b: { transitions: { two: { target: done, actor: deterministic, executor: { kind: cli, connection: book, args: [./book.sh, $.workflow.input.id, two], idempotencyKey: true } } } }
      done: { terminal: true }
`

// crashKinds are the executors by the name of their workflow.
var crashKinds = []struct{ name, actor, executor, more string }{
	{"cli", "agent", `{ kind: cli, connection: book, args: [./book.sh, $.arguments.id] }`, ""},
	{"cli_key", "agent", `{ kind: cli, connection: book, args: [./book.sh, $.arguments.id], idempotencyKey: true }`, ""},
	{"script", "agent", `{ kind: script, subject: book.it, connection: book, args: [$.arguments.id] }`, ""},
	{"script_key", "agent", `{ kind: script, subject: book.it, connection: book, args: [$.arguments.id], idempotencyKey: true }`, ""},
	{"rest", "agent", `{ kind: rest, connection: ledger, method: POST, path: "/{id}", body: { id: $.arguments.id } }`, ""},
	{"rest_key", "agent", `{ kind: rest, connection: ledger, method: POST, path: "/{id}", idempotencyKey: true }`, ", reliability: { retry: { maxAttempts: 4, backoff: fixed, initialDelayMs: 1, retryOn: [transient_error, timeout, connection_error] } }"},
	{"tool", "agent", `{ kind: tool, tool: memory_remember, arguments: { content: $.arguments.id } }`, ""},
	{"high", "human", `{ kind: cli, connection: book, args: [./book.sh, $.arguments.id], risk: high }`, ""},
}

// TestCrashEffects kills a server at every named point of an attempt, with every kind of executor under way, and at
// moments that chance picks. Nothing that was acknowledged is lost, no effect that is not idempotent happens twice,
// counted at the other end, and each that is in doubt is unknown, and can be settled.
func TestCrashEffects(t *testing.T) {
	t.Parallel()
	c := newEffectCrash(t)
	for _, l := range c.lives() {
		t.Logf("%s at %q", l.kind, l.at)
		if c.live(l); t.Failed() {
			break
		}
	}
	c.settle()
}

// effectLife is one server: which workflow is under way, and where it dies.
type effectLife struct{ kind, at string }

// lives are those of all kinds and points, and as many more at random as PRAX_TEST_KILLS says.
func (c *effectCrash) lives() (all []effectLife) {
	kinds := []string{"chain", "direct"}
	for _, k := range crashKinds {
		kinds = append(kinds, k.name)
	}
	random := 2
	if text := os.Getenv("PRAX_TEST_KILLS"); text != "" {
		random, _ = strconv.Atoi(text)
	}
	if crashPoints {
		for _, point := range append(append([]string{}, sqlite.AttemptPoints...), runner.CrashPoints...) {
			for _, kind := range kinds {
				if point == "attempt-renews" && kind != "rest_key" {
					continue // no other is tried again
				}
				all = append(all, effectLife{kind, fmt.Sprintf("%s:%d", point, 1+rand.IntN(4))})
			}
		}
	}
	for n := range random {
		all = append(all, effectLife{kinds[n%len(kinds)], ""})
	}
	return all
}

// effectCrash is a data directory on which servers die, and what their callers know.
type effectCrash struct {
	*crash
	ledger *ledger

	mu     sync.Mutex
	orders map[string]*effectOrder // by the id that its effect is booked under
	next   int
}

// effectOrder is one effect that was asked for.
type effectOrder struct {
	kind     string
	instance string // "": a tool was called
	done     bool   // its caller was told that it happened
}

const effectPerson = crashUsers // the token of a person beside the agents'

func newEffectCrash(t *testing.T) *effectCrash {
	c := &effectCrash{crash: newCrash(t), orders: map[string]*effectOrder{}}
	c.ledger = newLedger(t, filepath.Join(c.dir, "book"))
	text := fmt.Sprintf(crashEffects, c.ledger.path, c.ledger.url)
	for _, k := range crashKinds {
		text += fmt.Sprintf(crashPay, k.name, k.actor, k.executor, k.more)
	}
	text += crashChain
	clients := []map[string]any{{
		"name": "person", "user_id": crashUser(0), "token_sha256": auth.HashToken(crashToken(effectPerson)).Hex(),
		"roles": []string{"human"}, "oversees": "*", "allow": []string{"praxec.command", "praxec.query"},
	}}
	for i := range crashUsers {
		clients = append(clients, map[string]any{
			"name": fmt.Sprintf("agent-%d", i), "user_id": crashUser(i), "token_sha256": auth.HashToken(crashToken(i)).Hex(),
			"allow": []string{"praxec.command", "praxec.query", "crash.book"},
		})
	}
	people, err := json.Marshal(map[string]any{"clients": clients})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"clients.json": string(people), "praxec.yaml": text, "book.sh": "echo \"$1$2 $IDEMPOTENCY_KEY\" >> \"$BOOK\"\n"} {
		if err := os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// live runs a server to its death.
func (c *effectCrash) live(l effectLife) {
	cmd := c.start(l.at)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	ctx, stop := context.WithCancel(c.t.Context())
	var load sync.WaitGroup
	if c.ready(ended) {
		for user := range crashUsers {
			load.Go(func() { c.order(ctx, user, l.kind) })
		}
		c.dieAt(l.at, ended)
	}
	_ = cmd.Process.Kill()
	<-ended
	stop()
	load.Wait()
	if strings.Contains(fmt.Sprint(cmd.Stderr), "panic") {
		c.t.Errorf("%s at %q: %s", l.kind, l.at, cmd.Stderr)
	}
}

// dieAt waits for the end of a server: at a named point, or at a moment that chance picks.
func (c *effectCrash) dieAt(at string, ended <-chan struct{}) {
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	if at != "" {
		select {
		case <-ended:
		case <-ctx.Done():
			c.t.Errorf("not dead at %q after %v", at, patience)
		}
		return
	}
	for enough := c.acknowledgedEffects() + 1 + rand.IntN(10); c.acknowledgedEffects() < enough && pause(ctx); {
		select {
		case <-ended:
			c.t.Error("the server ended by itself")
			return
		default:
		}
	}
}

func (c *effectCrash) asked() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.orders)
}

// effectAnswer is what an agent reads of an answer.
type effectAnswer struct {
	Result struct {
		IsError           bool
		StructuredContent struct {
			Workflow struct {
				ID, State string
				Version   int64
			}
			Result  struct{ Status string }
			Attempt struct{ ID, Status string }
			Error   struct{ Code string }
		}
	}
}

// order asks for one effect after the other, until the server is gone.
func (c *effectCrash) order(ctx context.Context, user int, kind string) {
	for alive := true; alive && ctx.Err() == nil; {
		id := c.newOrder(kind)
		var done bool
		switch kind {
		case "direct":
			var a effectAnswer
			alive = c.call(ctx, user, "crash.book", map[string]any{"id": id}, &a)
			done = alive && !a.Result.IsError
		case "chain":
			done, alive = c.chained(ctx, user, id)
		default:
			done, alive = c.paid(ctx, user, kind, id)
		}
		c.mu.Lock()
		c.orders[id].done = done
		c.mu.Unlock()
	}
}

func (c *effectCrash) newOrder(kind string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next++
	id := fmt.Sprintf("%s-%d", kind, c.next)
	c.orders[id] = &effectOrder{kind: kind}
	return id
}

func (c *effectCrash) started(id string, a effectAnswer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.orders[id].instance = a.Result.StructuredContent.Workflow.ID
}

// chained starts a workflow that pays twice by itself.
func (c *effectCrash) chained(ctx context.Context, user int, id string) (done, alive bool) {
	var a effectAnswer
	if !c.call(ctx, user, "praxec.command", map[string]any{"definitionId": "chain", "input": map[string]any{"id": id}}, &a) {
		return false, false
	}
	c.started(id, a)
	return a.Result.StructuredContent.Workflow.State == "done", true
}

// paid starts a workflow and pays; a person pays what needs an approval.
func (c *effectCrash) paid(ctx context.Context, user int, kind, id string) (done, alive bool) {
	var a effectAnswer
	if !c.call(ctx, user, "praxec.command", map[string]any{"definitionId": kind}, &a) {
		return false, false
	}
	c.started(id, a)
	submits := 1
	if kind == "high" {
		user, submits = effectPerson, 2 // asks, and says yes
	}
	w := &a.Result.StructuredContent.Workflow
	for range submits {
		next := effectAnswer{}
		ok := c.call(ctx, user, "praxec.command", map[string]any{
			"workflowId": w.ID, "expectedVersion": w.Version, "transition": "pay", "arguments": map[string]any{"id": id},
		}, &next)
		if !ok {
			return false, false
		}
		a = next
		w = &a.Result.StructuredContent.Workflow
	}
	return w.State == "paid", true
}
