package main

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"prax/auth/clients"
	"prax/server"
	"prax/store"
	"prax/tools/definition"
)

// ready is what /readyz shows. Anybody may ask, so reasons hold no path and no name.
func (a *app) ready(ctx context.Context) server.Readiness {
	s := a.clients.Status()
	r := server.Readiness{Registry: server.RegistryState{Generation: s.Generation, Stale: !s.OK}}
	if !s.Loaded.IsZero() {
		r.Registry.Age = max(a.now().Sub(s.Loaded), 0)
	}
	switch {
	case s.OK || s.Stale:
	case awaitsFile(s):
		r.Warnings = append(r.Warnings, server.Problem{Check: "registry", Reason: "there is no clients file yet: prax client add makes it"})
	default:
		r.Problems = append(r.Problems, server.Problem{Check: "registry", Reason: "the clients file cannot be read, and admits nobody: see the log, or prax check"})
	}
	if a.defined != nil && !a.defined.Status().OK {
		r.Warnings = append(r.Warnings, server.Problem{Check: "definitions", Reason: definitionsReason(a.defined.Status())})
	}
	if a.certificate != nil {
		if concern := a.certificate.Concern(a.now()); concern != "" {
			r.Warnings = append(r.Warnings, server.Problem{Check: "certificate", Reason: concern})
		}
	}
	if err := a.db.Health(ctx); err != nil {
		a.out.log.Error("store is not ready", slog.Any("error", err))
		r.Problems = append(r.Problems, server.Problem{Check: server.CheckStore, Reason: storeReason(err)})
	}
	return r
}

// awaitsFile tells whether there is no clients file and has been none since the start: the first client is still to come,
// nobody was lost.
func awaitsFile(s clients.Status) bool {
	return s.Loaded.IsZero() && slices.ContainsFunc(s.Problems, func(p clients.Problem) bool { return p.Code == clients.FileMissing })
}

// definitionsReason is what a file of definitions that cannot be used leaves in force.
func definitionsReason(s definition.Status) string {
	left := "the last good ones are in force"
	if s.Digest == "" {
		left = "none are in force"
	}
	return "the file of definitions cannot be used, " + left + ": see the log, or prax check"
}

// storeReason is why the store cannot take a write, in words that give nothing away.
func storeReason(err error) string {
	for _, known := range []error{store.ErrFull, store.ErrBusy, store.ErrClosed} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return "cannot take a write: see the log"
}
