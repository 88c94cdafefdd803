package tools_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/store"
	"prax/tools"
)

// journal is as much of a store as calls need that only record.
type journal struct {
	store.Store
	mu     sync.Mutex
	events []store.Event
}

func (j *journal) Record(e store.Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.events = append(j.events, e)
}

// take counts what was recorded since the last take, and gives the last of it.
func (j *journal) take() (n int, last store.Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if n = len(j.events); n > 0 {
		last = j.events[n-1]
	}
	j.events = nil
	return n, last
}

func deny(t *testing.T, r *tools.Registry, user string, times int) {
	t.Helper()
	for range times {
		if _, err := r.Call(t.Context(), &tools.Call{Principal: principal(user, "work"), Name: "missing", RequestID: "r"}); !errors.Is(err, tools.ErrUnknownTool) {
			t.Fatal(err)
		}
	}
}

// A client's flood of denied calls is so many events a minute, and then one with the count. Other
// clients, and calls that are let in, are recorded as ever.
func TestDeniedCallsAreSampled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		j := &journal{}
		r := tools.NewRegistry(tools.Config{Store: j, AuditReads: true})
		set(t, r, "one", tool("work", auth.Low))
		deny(t, r, "alice", 1000)
		if n, _ := j.take(); n != tools.DenialsAMinute {
			t.Errorf("%d events of 1,000 denied calls", n)
		}
		deny(t, r, "bob", 1)
		if n, e := j.take(); n != 1 || e.Client != "bob-agent" {
			t.Errorf("another client: %d events, %+v", n, e)
		}
		for range 100 {
			if _, err := r.Call(t.Context(), &tools.Call{Principal: principal("alice", "work"), Name: "work"}); err != nil {
				t.Fatal(err)
			}
		}
		if n, _ := j.take(); n != 100 {
			t.Errorf("%d events of 100 calls", n)
		}
		time.Sleep(time.Minute + time.Second)
		synctest.Wait()
		n, e := j.take()
		want := store.Event{Kind: store.EventDenied, Client: "alice-agent", User: "alice", Outcome: "denied",
			Decision: "more denied calls", Detail: fmt.Sprintf(`{"count":%d}`, 1000-tools.DenialsAMinute)}
		e.At = want.At
		if diff := cmp.Diff(want, e); n != 1 || diff != "" {
			t.Errorf("%d events after the minute (-want +got):\n%s", n, diff)
		}
		deny(t, r, "alice", 1)
		if n, e := j.take(); n != 1 || e.Tool != "missing" {
			t.Errorf("the next minute: %d events, %+v", n, e)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if n, _ := j.take(); n != 0 {
			t.Errorf("%d events of a quiet minute", n)
		}
	})
}

// What was not yet told of a minute is told when the registry closes.
func TestDeniedCallsAreToldAtTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		j := &journal{}
		r := tools.NewRegistry(tools.Config{Store: j})
		deny(t, r, "alice", tools.DenialsAMinute+7)
		j.take()
		if err := r.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		if n, e := j.take(); n != 1 || e.Detail != `{"count":7}` {
			t.Errorf("%d events, %+v", n, e)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if n, _ := j.take(); n != 0 {
			t.Errorf("%d events after the end", n)
		}
	})
}

// A token where the tool's name belongs is in no record.
func TestLaw10ATokenAsAName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{auth.TokenPrefix + "canary", "Bearer " + auth.TokenPrefix + "canary"} {
		j := &journal{}
		r := tools.NewRegistry(tools.Config{Store: j})
		if _, err := r.Call(t.Context(), &tools.Call{Principal: principal("alice"), Name: name}); !errors.Is(err, tools.ErrUnknownTool) {
			t.Fatal(err)
		}
		if n, e := j.take(); n != 1 || strings.Contains(fmt.Sprint(e), "canary") || e.Tool == "" {
			t.Errorf("%q: %d events, %+v", name, n, e)
		}
	}
}
