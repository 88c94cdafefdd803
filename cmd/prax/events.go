package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"prax/auth/clients"
	"prax/server"
	"prax/store"
)

// eventPatience bounds how long an event of the server's own may wait to be written.
const eventPatience = 5 * time.Second

// note writes an event of its own into the chain; before a server serves anybody, together with the one of its start.
// That it could not be written is for the log: what it tells has happened all the same.
func (a *app) note(e store.Event, detail any) {
	text, err := json.Marshal(detail, json.Deterministic(true))
	if err != nil {
		a.out.log.Error("audit event was not written", slog.String("kind", string(e.Kind)), slog.Any("error", err))
		return
	}
	e.Detail = string(text)
	if !a.early.hold(e) {
		a.write(e)
	}
}

// write writes events of the server's own in one transaction.
func (a *app) write(events ...store.Event) {
	if len(events) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), eventPatience)
	defer cancel()
	err := a.insist(ctx, func(tx store.Tx) error {
		for _, e := range events {
			tx.AddEvent(e)
		}
		return nil
	})
	if err != nil {
		for _, e := range events {
			a.out.log.Error("audit event was not written", slog.String("kind", string(e.Kind)), slog.Any("error", err))
		}
	}
}

// early are the events of a start, which share one commit: nobody is served before.
type early struct {
	mu     sync.Mutex
	holds  bool
	events []store.Event
}

// hold keeps an event until the end of the start; false when there is no start, or it is over.
func (s *early) hold(e store.Event) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.holds {
		s.events = append(s.events, e)
	}
	return s.holds
}

// begin has events held from now on.
func (s *early) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holds = true
}

// end is the events of the start, which is over.
func (s *early) end() []store.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	events := s.events
	s.holds, s.events = false, nil
	return events
}

// insist tries again for as long as the store is only busy.
func (a *app) insist(ctx context.Context, f func(store.Tx) error) error {
	const pause = 20 * time.Millisecond
	for {
		err := a.db.Update(ctx, f)
		if !errors.Is(err, store.ErrBusy) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// serverEvent is the detail of a start and of a stop.
type serverEvent struct {
	Event   string `json:"event"`
	Version string `json:"version"`
	Addr    string `json:"addr,omitzero"`
	Enabled bool   `json:"enabled"`
}

func (a *app) started(addr string) {
	a.note(store.Event{At: a.now(), Kind: store.EventServer, Outcome: "ok"},
		serverEvent{Event: "start", Version: readBuild().Version, Addr: addr, Enabled: a.settings.Enabled})
	a.write(a.early.end()...)
}

func (a *app) stopped() {
	a.note(store.Event{At: a.now(), Kind: store.EventServer, Outcome: "ok"},
		serverEvent{Event: "stop", Version: readBuild().Version, Enabled: a.settings.Enabled})
}

// reloaded is told of every reading of clients.json that changed something.
func (a *app) reloaded(c clients.Change) {
	a.first.CompareAndSwap(nil, &c)
	if a.quiet {
		return
	}
	a.judgeTokens(c.OK)
	select {
	case a.edited <- struct{}{}:
	default:
	}
	if a.metrics != nil {
		a.metrics.Reloaded(c.OK)
	}
	pace(c.Bytes)
	outcome := "ok"
	if !c.OK {
		outcome = "error"
	}
	a.note(store.Event{At: c.Time, Kind: store.EventReload, Outcome: outcome, Registry: c.Generation}, c)
}

// denied records a caller that was refused before its message was read.
func (a *app) denied(d server.Denial) {
	e := store.Event{
		At: d.At, Kind: store.EventDenied, RequestID: d.RequestID, Remote: d.Remote, Client: d.Client, User: d.User,
		Decision: string(d.Reason), Outcome: "denied", Detail: "",
	}
	if d.Count > 1 {
		text, _ := json.Marshal(map[string]int{"count": d.Count}) // a number
		e.Detail = string(text)
	}
	a.db.Record(e)
}
