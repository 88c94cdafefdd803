package clients

import (
	"context"
	"log/slog"
)

// mostLogged bounds the problems of one reading that are logged.
const mostLogged = 50

// tell logs what came of a reading and hands it to the hook. The snapshots are the same when nothing
// else came into force.
func (r *Registry) tell(reason string, before, after *snapshot) {
	now, report := r.now(), &r.reading.Load().report
	c := Change{
		Reason: reason, Time: now, OK: report.OK, Generation: after.generation, Digest: report.Digest,
		Clients: after.live(now), Errors: report.Errors, Warnings: report.Warnings,
	}
	if !c.OK && len(report.Problems) > 0 {
		c.Failure = report.Problems[0].String()
	}
	if before != after {
		c.compare(before, after, now)
	}
	r.logChange(c, report)
	if r.cfg.OnReload != nil {
		r.cfg.OnReload(c)
	}
}

func (r *Registry) logChange(c Change, report *Report) {
	level, message := slog.LevelInfo, "clients in force"
	if !c.OK {
		level, message = slog.LevelError, "clients file does not read"
	}
	r.log.LogAttrs(context.Background(), level, message,
		slog.String("reason", c.Reason), slog.Uint64("generation", c.Generation),
		slog.String("digest", c.Digest), slog.Int("clients", c.Clients),
		slog.Int("errors", c.Errors), slog.Int("warnings", c.Warnings),
		slog.Int("added", c.Added.Total), slog.Int("changed", c.Changed.Total),
		slog.Int("revoked", c.Revoked.Total), slog.String("failure", c.Failure))
	if !c.OK {
		return
	}
	for _, p := range report.Problems[:min(len(report.Problems), mostLogged)] {
		r.log.LogAttrs(context.Background(), p.level(), "clients: "+p.String())
	}
	if more := report.Omitted() + max(len(report.Problems)-mostLogged, 0); more > 0 {
		r.log.Warn("clients: more problems are not shown", slog.Int("more", more))
	}
}

func (p Problem) level() slog.Level {
	if p.IsError() {
		return slog.LevelError
	}
	return slog.LevelWarn
}
