package clients

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"prax/auth"
)

// Change is one change of the registry, for the audit: what came into force and for whom. It holds no
// secret.
type Change struct {
	Reason     string    `json:"reason"` // what made the registry look: start, event, poll, SIGHUP …
	Time       time.Time `json:"time"`
	OK         bool      `json:"ok"` // the file could be read
	Generation uint64    `json:"generation"`
	Digest     string    `json:"digest,omitzero"` // of the file, when it reads
	Clients    int       `json:"clients"`         // admitted now
	Bytes      int       `json:"-"`               // of memory that what is in force takes
	Errors     int       `json:"errors"`
	Warnings   int       `json:"warnings"`
	Failure    string    `json:"failure,omitzero"` // the one problem of a file that could not be read
	Added      Names     `json:"added"`
	Changed    Names     `json:"changed"`
	Revoked    Names     `json:"revoked"`
}

// Names are client names, the first few of them with how many there are.
type Names struct {
	Total int      `json:"total"`
	First []string `json:"first"`
}

const mostNames = 64

func (n *Names) add(name string) {
	n.Total++
	if len(n.First) < mostNames {
		n.First = append(n.First, name)
	}
}

// compare fills in who was added, changed and revoked between two snapshots, by the clock at now.
func (c *Change) compare(before, after *snapshot, now time.Time) {
	at := func() time.Time { return now }
	old, next := before.admitted(at), after.admitted(at)
	for len(old) > 0 || len(next) > 0 {
		switch {
		case len(old) == 0 || len(next) > 0 && after.nameOf(next[0]) < before.nameOf(old[0]):
			c.Added.add(after.nameOf(next[0]))
			next = next[1:]
		case len(next) == 0 || before.nameOf(old[0]) < after.nameOf(next[0]):
			c.Revoked.add(before.nameOf(old[0]))
			old = old[1:]
		default:
			if !sameTokens(before, after, old[0], next[0]) {
				c.Changed.add(after.nameOf(next[0]))
			}
			old, next = old[1:], next[1:]
		}
	}
}

// admitted are the rows that let somebody in, by name.
func (s *snapshot) admitted(now func() time.Time) []uint32 {
	in := make([]uint32, 0, len(s.byName))
	for _, i := range s.byName {
		if s.lasting(clientAt(s.rows, int(i)), now) != nil {
			in = append(in, i)
		}
	}
	return in
}

func (s *snapshot) nameOf(i uint32) string { return s.text(s.rows[i].name) }

// sameTokens tells whether two generations say the same of a client, by each of its tokens; i and j are its
// first rows.
func sameTokens(before, after *snapshot, i, j uint32) bool {
	return slices.EqualFunc(clientAt(before.rows, int(i)), clientAt(after.rows, int(j)), func(a, b row) bool {
		return a.flags&lapsed == b.flags&lapsed && before.start(&a).Equal(after.start(&b)) &&
			sameClient(before.principal(&a), after.principal(&b))
	})
}

// sameClient tells whether two generations say the same of a client that presents one token.
func sameClient(a, b auth.Principal) bool {
	return a.Credential == b.Credential && a.User == b.User && a.Spelling == b.Spelling && a.Rate == b.Rate &&
		a.Expires.Equal(b.Expires) &&
		a.Allow.Key() == b.Allow.Key() && a.Workflows.Key() == b.Workflows.Key() &&
		a.Roles.Key() == b.Roles.Key() && a.Permissions.Key() == b.Permissions.Key() &&
		a.Oversees.Key() == b.Oversees.Key()
}

// mostLogged bounds the problems of one reading that are logged.
const mostLogged = 50

// tell logs what came of a reading and hands it to the hook. The snapshots are the same when nothing
// else came into force.
func (r *Registry) tell(reason string, before, after *snapshot) {
	now, report := r.now(), &r.reading.Load().report
	c := Change{
		Reason: reason, Time: now, OK: report.OK, Generation: after.generation, Digest: report.Digest,
		Clients: after.live(now), Bytes: after.bytes(), Errors: report.Errors, Warnings: report.Warnings,
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
