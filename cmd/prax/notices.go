package main

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"prax/auth"
	"prax/store"
	"prax/store/digest"
)

const (
	// settled is how long clients.json is left alone before the operator is told what is wrong with it: somebody may be
	// editing it.
	settled = 3 * time.Second

	// lookEvery is how often it is looked who expires soon.
	lookEvery = time.Hour

	// refusalLife is how long the same mistakes in clients.json are told once.
	refusalLife = 24 * time.Hour
)

// tellOfClients has the operator told of clients that expire soon, and of what is refused of clients.json, until ctx ends.
func (a *app) tellOfClients(ctx context.Context) {
	if a.settings.Notify == nil {
		return
	}
	look := time.NewTimer(settled)
	defer look.Stop()
	for soon := true; ; {
		select {
		case <-ctx.Done():
			return
		case <-a.edited:
			if !soon { // many edits do not put it off
				soon = true
				look.Reset(settled)
			}
		case <-look.C:
			soon = false
			look.Reset(lookEvery)
			a.tellRefused(ctx)
			a.tellExpiring(ctx)
		}
	}
}

// tellExpiring has the operator told once of each client and each moment at which it expires.
func (a *app) tellExpiring(ctx context.Context) {
	now := a.now()
	for some := range slices.Chunk(a.clients.Expiring(auth.Soon), store.MaxNotices) {
		notices := make([]store.Notice, 0, len(some))
		for _, e := range some {
			notices = append(notices, store.Notice{
				Kind: store.NoticeExpiring, Client: e.Client, At: now, Expires: e.At, Until: e.At,
				Once: digest.Hex([]byte("expiring\x00" + e.Client + "\x00" + e.At.UTC().Format(time.RFC3339Nano))),
			})
		}
		a.notify(ctx, notices...)
	}
}

// tellRefused has the operator told once a day of the same mistakes in clients.json.
func (a *app) tellRefused(ctx context.Context) {
	var mistakes []string
	for _, p := range a.clients.Status().Problems {
		if p.IsError() {
			mistakes = append(mistakes, string(p.Code)+"\x00"+p.Client+"\x00"+p.Text)
		}
	}
	if len(mistakes) == 0 {
		return
	}
	slices.Sort(mistakes) // wherever they stand
	now := a.now()
	a.notify(ctx, store.Notice{
		Kind: store.NoticeRefused, At: now, Until: now.Add(refusalLife),
		Once: digest.Hex([]byte("refused\x00" + strings.Join(mistakes, "\x00\x00"))),
	})
}

func (a *app) notify(ctx context.Context, notices ...store.Notice) {
	if err := a.runner.Notify(ctx, notices...); err != nil && ctx.Err() == nil {
		a.out.log.Error("what the operator is to be told could not be written down", slog.Any("error", err))
	}
}
