package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"prax/auth"
	"prax/store"
	"prax/store/sqlite"
)

// ledger is the other end of the effects: a file to which programs add a line each, and a server that books what it
// is sent, after it has failed once where it was given a key.
type ledger struct {
	path, url string

	mu     sync.Mutex
	booked []string
	failed map[string]bool
}

func newLedger(t *testing.T, path string) *ledger {
	l := &ledger{path: path, failed: map[string]bool{}}
	s := httptest.NewServer(l)
	t.Cleanup(s.Close)
	l.url = s.URL
	return l
}

func (l *ledger) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := r.Header.Get("Idempotency-Key")
	if key != "" && !l.failed[key] {
		l.failed[key] = true
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	l.booked = append(l.booked, strings.Trim(r.URL.Path, "/")+" "+key)
	w.WriteHeader(http.StatusCreated)
}

// lines are the keys under which each id was booked.
func (l *ledger) lines(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(l.path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := map[string][]string{}
	for _, line := range append(strings.Split(string(text), "\n"), l.booked...) {
		if id, key, ok := strings.Cut(line, " "); ok {
			lines[id] = append(lines[id], key)
		}
	}
	return lines
}

// settle starts a last server that takes up what the dead ones left, stops it politely, and holds the store to the
// books. Then it has a person settle what is in doubt.
func (c *effectCrash) settle() {
	stop := c.serveAgain()
	c.runsOut()
	stop()
	lines := c.ledger.lines(c.t)
	db, err := sqlite.Open(c.t.Context(), sqlite.Config{Dir: c.data()})
	if err != nil {
		c.t.Fatal(err)
	}
	report, err := db.Verify(c.t.Context())
	if err != nil || !report.OK() {
		c.t.Errorf("the audit does not verify: %+v, %v", report, err)
	}
	var doubts []store.Attempt
	err = db.View(c.t.Context(), func(tx store.Tx) (err error) {
		doubts, err = c.compareEffects(tx, lines)
		return err
	})
	if err != nil {
		c.t.Error(err)
	}
	if err := db.Close(); err != nil {
		c.t.Error(err)
	}
	c.t.Logf("%d effects asked for, %d acknowledged, %d in doubt", c.asked(), c.acknowledgedEffects(), len(doubts))
	if c.acknowledgedEffects() == 0 {
		c.t.Error("no effect was ever acknowledged: the harness proves nothing")
	}
	c.resolve(doubts)
}

func (c *effectCrash) acknowledgedEffects() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range c.orders {
		if o.done {
			n++
		}
	}
	return n
}

// serveAgain starts a server that nobody kills. stop ends it politely.
func (c *effectCrash) serveAgain() (stop func()) {
	cmd := c.start("")
	ended := make(chan struct{})
	go func() { defer close(ended); _ = cmd.Wait() }()
	if !c.ready(ended) {
		_ = cmd.Process.Kill()
		c.t.Fatal("the last server does not start")
	}
	return func() {
		_ = cmd.Process.Signal(os.Interrupt)
		ctx, cancel := context.WithTimeout(c.t.Context(), patience)
		defer cancel()
		select {
		case <-ended:
		case <-ctx.Done():
			_ = cmd.Process.Kill()
			c.t.Fatal("the last server does not stop")
		}
	}
}

// operations are those of a status, as the operator lists them.
func (c *effectCrash) operations(status string) (ids []string) {
	text, err := c.prepare("operations", "list", "--status", status, "--json", "-n", "200").Output()
	if err != nil {
		c.t.Fatalf("operations list: %v", err)
	}
	var found struct{ Operations []struct{ ID string } }
	if err := json.Unmarshal(text, &found); err != nil {
		c.t.Fatal(err)
	}
	for _, o := range found.Operations {
		ids = append(ids, o.ID)
	}
	return ids
}

// runsOut waits until nothing runs any more.
func (c *effectCrash) runsOut() {
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	for len(c.operations("running")) > 0 {
		if !pause(ctx) {
			c.t.Fatal("attempts of dead servers still run")
		}
	}
}

// compareEffects holds the store to the books. It returns what is in doubt.
func (c *effectCrash) compareEffects(tx store.Tx, lines map[string][]string) (doubts []store.Attempt, err error) {
	attempts := map[string][]store.Attempt{}
	for user := range crashUsers {
		scope := auth.Principal{User: crashUser(user)}.Scope()
		for before := int64(0); ; {
			rows, err := tx.ListAttempts(scope, store.AttemptFilter{Before: before, Limit: store.MaxPage})
			if err != nil {
				return nil, err
			}
			if len(rows) == 0 {
				break
			}
			for _, row := range rows {
				before = row.Number
				attempts[row.Instance] = append(attempts[row.Instance], row.Attempt)
				if row.Status == store.AttemptUnknown {
					doubts = append(doubts, row.Attempt)
				}
			}
		}
	}
	for id, o := range c.orders {
		if err := c.compareEffect(tx, id, o, lines, attempts[o.instance]); err != nil {
			c.t.Errorf("%s (%+v): %v", id, *o, err)
		}
	}
	return doubts, nil
}

// compareEffect holds one order to the books.
func (c *effectCrash) compareEffect(tx store.Tx, id string, o *effectOrder, lines map[string][]string, attempts []store.Attempt) error {
	switch {
	case o.kind == "tool":
		return c.compareMemory(tx, id, o, attempts)
	case o.kind == "chain":
		one, two := lines[id+"one"], lines[id+"two"]
		if len(one) > 1 || len(slices.Compact(slices.Sorted(slices.Values(two)))) > 1 {
			return fmt.Errorf("booked %d times, and under the keys %q", len(one), two)
		}
		if o.done && (len(one) == 0 || len(two) == 0) {
			return fmt.Errorf("acknowledged, and booked %d and %d times", len(one), len(two))
		}
		return nil
	}
	booked := lines[id]
	keys := slices.Compact(slices.Sorted(slices.Values(booked)))
	idempotent := strings.HasSuffix(o.kind, "_key")
	switch {
	case idempotent && len(keys) > 1:
		return fmt.Errorf("booked under %d keys", len(keys))
	case !idempotent && len(booked) > 1:
		return fmt.Errorf("booked %d times", len(booked))
	case o.done && len(booked) == 0:
		return fmt.Errorf("acknowledged, and not booked")
	case o.instance == "":
		return nil
	}
	return c.compareState(tx, o, len(booked) > 0, attempts)
}

// compareState holds an instance to what the books say of it.
func (c *effectCrash) compareState(tx store.Tx, o *effectOrder, booked bool, attempts []store.Attempt) error {
	i, err := tx.Instance(auth.Principal{User: crashUser(0), Oversees: auth.Everything()}.Scope(), o.instance)
	if err != nil {
		return err
	}
	doubtful := slices.ContainsFunc(attempts, func(a store.Attempt) bool { return a.Status == store.AttemptUnknown })
	switch {
	case o.done && i.State != "paid":
		return fmt.Errorf("acknowledged as paid, stored as %s", i.State)
	case i.State == "paid" && !booked:
		return fmt.Errorf("paid, and not booked")
	case i.State != "paid" && booked && !doubtful:
		return fmt.Errorf("booked, and neither paid nor in doubt")
	}
	return nil
}

// compareMemory does the same for what a tool remembered.
func (c *effectCrash) compareMemory(tx store.Tx, id string, o *effectOrder, attempts []store.Attempt) error {
	n := 0
	for user := range crashUsers {
		found, err := tx.SearchDocuments(auth.Principal{User: crashUser(user)}.Scope(), store.Query{Kind: store.Memory, Words: store.QueryWords(id), All: true})
		if err != nil {
			return err
		}
		for _, d := range found {
			if d.Body == id {
				n++
			}
		}
	}
	if n > 1 {
		return fmt.Errorf("remembered %d times", n)
	}
	if o.instance == "" {
		return nil
	}
	return c.compareState(tx, o, n > 0, attempts)
}

// resolve has a person settle what is in doubt: some of it happened, the rest did not.
func (c *effectCrash) resolve(doubts []store.Attempt) {
	stop := c.serveAgain()
	defer stop()
	for n, a := range doubts {
		how := "--applied"
		if n%2 == 1 {
			how = "--not-applied"
		}
		if text, err := c.prepare("operations", "reconcile", a.ID, how).CombinedOutput(); err != nil {
			c.t.Errorf("settle %s (%s, %s): %v\n%s", a.ID, a.Kind, a.Message, err, text)
		}
	}
	if left := c.operations("unknown"); len(left) > 0 {
		c.t.Errorf("%d are still in doubt", len(left))
	}
}
