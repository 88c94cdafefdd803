package main

import (
	"context"
	"log/slog"
	"time"

	"prax/store"
)

// useEvery is how often it is written who used a token since.
const useEvery = time.Minute

// useBatch is how many uses share a transaction: others wait for the writer no longer than that takes.
const useBatch = 500

// keepUses writes, until ctx ends and once more then, when tokens were used last.
func (a *app) keepUses(ctx context.Context) error {
	ticks := time.NewTicker(useEvery)
	defer ticks.Stop()
	a.noteUsesAt(ctx, ticks.C)
	return nil
}

func (a *app) noteUsesAt(ctx context.Context, ticks <-chan time.Time) {
	for over := false; !over; {
		select {
		case <-ctx.Done():
			over = true
		case <-ticks:
		}
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), eventPatience)
		err := a.noteUses(last)
		cancel()
		if err != nil {
			a.out.log.Warn("when tokens were used last could not be written", slog.Any("error", err))
		}
	}
}

// noteUses writes the uses since the last time. Their time is now: no request looks at the clock for it. What
// could not be written is forgotten, and noted with the token's next use.
func (a *app) noteUses(ctx context.Context) error {
	now, batch := a.now(), make([]store.Use, 0, useBatch)
	for u := range a.clients.Uses() {
		batch = append(batch, store.Use{Client: u.Client, Token: a.db.Key().Mark(u.Credential[:]), At: now})
		if len(batch) < useBatch {
			continue
		}
		if err := a.writeUses(ctx, batch); err != nil {
			return err
		}
		batch = batch[:0]
	}
	return a.writeUses(ctx, batch)
}

func (a *app) writeUses(ctx context.Context, batch []store.Use) error {
	if len(batch) == 0 {
		return nil
	}
	return a.insist(ctx, func(tx store.Tx) error {
		for _, u := range batch {
			if err := tx.NoteUse(u); err != nil {
				return err
			}
		}
		return nil
	})
}
