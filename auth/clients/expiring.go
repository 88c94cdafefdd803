package clients

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"prax/auth"
)

// Expiring is a client that is admitted now and will be out.
type Expiring struct {
	Client string
	At     time.Time // from when on it is out, unless the file says otherwise by then
}

// Expiring are the clients that are admitted now and will be out within this time, the next one first. It
// walks all clients: it is for who asks now and then, not for requests.
func (r *Registry) Expiring(within time.Duration) []Expiring {
	now := r.now()
	return r.current.Load().at(func() time.Time { return now }).expiring(now, within)
}

func (s *snapshot) expiring(now time.Time, within time.Duration) []Expiring {
	var list []Expiring
	at := func() time.Time { return now }
	for _, rows := range clientsOf(s.rows) {
		if last := s.lasting(rows, at); last == nil || !last.flags.has(expires) {
			continue
		}
		if out := outAt(s.windows(rows), now); !out.IsZero() && !out.After(now.Add(within)) {
			list = append(list, Expiring{strings.Clone(s.text(rows[0].name)), out})
		}
	}
	slices.SortFunc(list, func(a, b Expiring) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Client, b.Client)) })
	return list
}

// windows are when a client of these rows is admitted.
func (s *snapshot) windows(rows []row) []window {
	list := make([]window, 0, len(rows))
	for i := range rows {
		if r := &rows[i]; !r.flags.has(out) {
			list = append(list, s.window(r))
		}
	}
	return list
}

// remindEvery is how often the log names the clients that expire soon, beside what each reading says.
const remindEvery = 24 * time.Hour

// remind tells the log once a day who expires soon, until ctx ends.
func (r *Registry) remind(ctx context.Context) {
	ticks := time.NewTicker(remindEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
			r.logExpiring()
		}
	}
}

func (r *Registry) logExpiring() {
	list := r.Expiring(auth.Soon)
	for _, e := range list[:min(len(list), mostLogged)] {
		r.log.Warn("client expires soon", slog.String("client", e.Client), slog.Time("at", e.At))
	}
	if more := len(list) - mostLogged; more > 0 {
		r.log.Warn("more clients expire soon than are shown", slog.Int("more", more))
	}
}
