package server

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestOneSourceThatFails: what a source cannot say is missing, with the source's name, and everything else is there.
func TestOneSourceThatFails(t *testing.T) {
	t.Parallel()
	whole := Sources{
		Registry: func(context.Context) (RegistryFacts, error) {
			return RegistryFacts{Generation: 7, Clients: 3, Expiring: 2, FileOK: true, Loaded: time.UnixMilli(1_700_000_000_500)}, nil
		},
		Definitions: func(context.Context) (DefinitionsFact, error) { return false, nil },
		Store: func(context.Context) (StoreFacts, error) {
			return StoreFacts{Queue: 4, Busy: 5, Database: 4096, WAL: 1 << 40}, nil
		},
		Waiting: func(context.Context) (WaitingFacts, error) {
			return WaitingFacts{Attempts: map[string]int{"running": 1, "unknown": 2}, Approvals: 6}, nil
		},
		Writable: func(context.Context) (WritableFact, error) { return true, nil },
	}
	series := map[string]map[string]float64{
		"registry": {
			"prax_registry_generation": 7, "prax_registry_clients": 3, "prax_registry_clients_expiring": 2, "prax_registry_file_ok": 1, "prax_registry_loaded_timestamp_seconds": 1_700_000_000.5,
		},
		"definitions": {"prax_definitions_file_ok": 0},
		"store":       {"prax_store_queue_length": 4, "prax_store_busy_total": 5, "prax_store_database_bytes": 4096, "prax_store_wal_bytes": 1 << 40},
		"waiting": {
			`prax_attempts{status="running"}`: 1, `prax_attempts{status="unknown"}`: 2, "prax_approvals_open": 6, "prax_approvals_oldest_seconds": 0,
		},
		"writable": {"prax_store_writable": 1},
	}
	broken := errors.New("broken")
	for name, change := range map[string]func(*Sources){
		"":         func(*Sources) {},
		"registry": func(s *Sources) { s.Registry = func(context.Context) (f RegistryFacts, err error) { panic("bug") } },
		"definitions": func(s *Sources) {
			s.Definitions = func(context.Context) (DefinitionsFact, error) { return true, broken }
		},
		"store":    func(s *Sources) { s.Store = func(context.Context) (f StoreFacts, err error) { return f, broken } },
		"waiting":  func(s *Sources) { s.Waiting = func(context.Context) (f WaitingFacts, err error) { return f, broken } },
		"writable": func(s *Sources) { s.Writable = func(context.Context) (WritableFact, error) { panic(broken) } },
	} {
		var log buffer
		s := New(Config{Metrics: NewMetrics(), Log: slog.New(slog.NewTextHandler(&log, nil))})
		from := whole
		change(&from)
		got := scraped(t, s, from)
		for source, want := range series {
			up := source != name
			for one, value := range want {
				if got, there := got[one]; there != up || up && got != value {
					t.Errorf("%q fails: %s is %v, there %v", name, one, got, there)
				}
			}
			if got := got[`prax_source_up{source="`+source+`"}`]; got != truth(up) {
				t.Errorf("%q fails: source %s is up: %v", name, source, got)
			}
		}
		if told := strings.Count(log.String(), "source="); told != int(1-truth(name == "")) {
			t.Errorf("%q fails: the log has %s", name, log.String())
		}
	}
	if got := seriesOf(scraped(t, New(Config{Metrics: NewMetrics()}), Sources{}), "prax_source_up"); len(got) > 0 {
		t.Errorf("sources that there are not: %v", got)
	}
}

// number is a fact of these tests.
type number int

func (number) write(*text) {}

// TestASourceThatHangs holds a scrape for two seconds and no longer, is not asked a second time meanwhile, and is told
// of once it is back.
func TestASourceThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New(Config{Metrics: NewMetrics()})
		var asked atomic.Int64
		back := make(chan struct{})
		hung := source[number]{log: s.cfg.Log, ask: func(context.Context) (number, error) { asked.Add(1); <-back; return 7, nil }}
		fine := source[number]{log: s.cfg.Log, old: time.Minute, ask: func(context.Context) (number, error) { return number(asked.Add(100)), nil }}
		type told struct {
			Value number
			OK    bool
		}
		look := func() (took time.Duration, got [2]told) {
			began := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), sourceTimeout)
			defer cancel()
			hung.begin()
			fine.begin()
			for at, one := range []*source[number]{&hung, &fine} {
				got[at].Value, got[at].OK = one.take(ctx.Done())
			}
			return time.Since(began), got
		}
		for range 3 {
			took, got := look()
			if took != sourceTimeout || got[0].OK || !got[1].OK {
				t.Errorf("while it hangs: %v after %v", got, took)
			}
		}
		if n := asked.Load(); n != 101 {
			t.Errorf("asked %d times: want the one that hangs once, and the other once a minute", n)
		}
		close(back)
		synctest.Wait()
		if took, got := look(); took != 0 || !cmp.Equal(got, [2]told{{7, true}, {got[1].Value, true}}) {
			t.Errorf("once it is back: %v after %v", got, took)
		}
		time.Sleep(time.Minute)
		if _, got := look(); got[1].Value < 200 {
			t.Errorf("a minute later what is old is told: %v", got)
		}
	})
}

// TestTheOldestApproval is told by its age.
func TestTheOldestApproval(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var w text
		WaitingFacts{Approvals: 1, Oldest: time.Now().Add(-90 * time.Minute)}.write(&w)
		if got := parsed(t, string(w.buf)); got["prax_approvals_oldest_seconds"] != 5400 {
			t.Errorf("%v", got)
		}
		w = text{}
		WaitingFacts{Approvals: 1, Oldest: time.Now().Add(time.Minute)}.write(&w)
		if got := parsed(t, string(w.buf)); got["prax_approvals_oldest_seconds"] != 0 {
			t.Errorf("of a clock that was set back: %v", got)
		}
	})
}
