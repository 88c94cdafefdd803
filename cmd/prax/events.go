package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/go-json-experiment/json"

	"prax/auth/clients"
	"prax/server"
	"prax/store"
)

// eventPatience bounds how long an event of the server's own may wait to be written.
const eventPatience = 5 * time.Second

// note writes an event of its own into the chain. That it could not be written is for the log: what it
// tells has happened all the same.
func (h *house) note(e store.Event, detail any) {
	text, err := json.Marshal(detail, json.Deterministic(true))
	if err == nil {
		e.Detail = string(text)
		ctx, cancel := context.WithTimeout(context.Background(), eventPatience)
		defer cancel()
		err = h.insist(ctx, func(tx store.Tx) error {
			tx.AddEvent(e)
			return nil
		})
	}
	if err != nil {
		h.out.log.Error("audit event was not written", slog.String("kind", string(e.Kind)), slog.Any("error", err))
	}
}

// insist tries again for as long as the store is only busy.
func (h *house) insist(ctx context.Context, f func(store.Tx) error) error {
	const pause = 20 * time.Millisecond
	for {
		err := h.db.Update(ctx, f)
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

func (h *house) started(addr string) {
	h.note(store.Event{At: h.now(), Kind: store.EventServer, Outcome: "ok"},
		serverEvent{Event: "start", Version: readBuild().Version, Addr: addr, Enabled: h.settings.Enabled})
}

func (h *house) stopped() {
	h.note(store.Event{At: h.now(), Kind: store.EventServer, Outcome: "ok"},
		serverEvent{Event: "stop", Version: readBuild().Version, Enabled: h.settings.Enabled})
}

// reloaded is told of every reading of clients.json that changed something.
func (h *house) reloaded(c clients.Change) {
	h.first.CompareAndSwap(nil, &c)
	if c.Clients > 0 {
		h.live.Store(true)
	}
	outcome := "ok"
	if !c.OK {
		outcome = "error"
	}
	h.note(store.Event{At: c.Time, Kind: store.EventReload, Outcome: outcome, Registry: c.Generation}, c)
}

// denied records a caller that was refused before its message was read.
func (h *house) denied(d server.Denial) {
	e := store.Event{
		At: d.At, Kind: store.EventDenied, RequestID: d.RequestID, Remote: d.Remote,
		Decision: string(d.Reason), Outcome: "denied", Detail: "",
	}
	if d.Count > 1 {
		text, _ := json.Marshal(map[string]int{"count": d.Count}) // a number
		e.Detail = string(text)
	}
	h.db.Record(e)
}
