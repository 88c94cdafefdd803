package main

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"prax/auth"
	"prax/store"
)

func (l *lawApp) present(c lawClient) {
	l.t.Helper()
	if _, ok := l.app.clients.Authenticate(&http.Request{Header: http.Header{"Authorization": {"Bearer " + c.token}}}); !ok {
		l.t.Fatalf("%s is out", c.name)
	}
}

func (l *lawApp) uses() map[string]store.Use {
	l.t.Helper()
	found := map[string]store.Use{}
	err := l.app.db.View(l.t.Context(), func(tx store.Tx) error {
		all, err := tx.Uses()
		for _, u := range all {
			found[u.Client+" "+u.Token] = u
		}
		return err
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return found
}

func (l *lawApp) mark(c lawClient) string {
	credential := auth.HashToken(c.token)
	return c.name + " " + l.app.db.Key().Mark(credential[:])
}

// TestUsesAreWritten: at each tick, and at the end, by the clock of the server and known by a mark alone.
func TestUsesAreWritten(t *testing.T) {
	t.Parallel()
	l := newLawApp(t, false)
	ticks, ctx := make(chan time.Time), t.Context()
	ctx, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.app.noteUsesAt(ctx, ticks)
	}()
	l.present(granted)
	before := l.now()
	ticks <- before
	ticks <- before // taken when the first was done
	used, known := l.uses()[l.mark(granted)]
	if !known || used.At.Before(before.Truncate(time.Millisecond)) || len(l.uses()) != 1 {
		t.Errorf("after a tick: %+v", l.uses())
	}
	l.present(narrow)
	stop()
	<-done
	if _, known := l.uses()[l.mark(narrow)]; !known || len(l.uses()) != 2 {
		t.Errorf("at the end: %+v", l.uses())
	}
}

// TestUsesOfManyAreWritten, however many there are at once.
func TestUsesOfManyAreWritten(t *testing.T) {
	t.Parallel()
	l := newLawApp(t, false)
	var many []lawClient
	for i := range 2*useBatch + 1 {
		name := fmt.Sprintf("client-%d", i)
		many = append(many, lawClient{name: name, user: "u", token: "law-token-of-" + name})
	}
	l.write(many...)
	for _, c := range many {
		l.present(c)
	}
	if err := l.app.noteUses(t.Context()); err != nil {
		t.Fatal(err)
	}
	uses := l.uses()
	for _, c := range many {
		if _, known := uses[l.mark(c)]; !known {
			t.Errorf("%s is not known", c.name)
		}
	}
}
