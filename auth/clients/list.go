package clients

import (
	"slices"
	"time"
)

// Listed is one client as an operator sees it in a list: everything but the secret.
type Listed struct {
	Name    string    `json:"name"` // "" for one that cannot be shown
	UserID  string    `json:"user_id"`
	State   string    `json:"state"` // live, expired, disabled or refused
	Allow   []string  `json:"allow"`
	Roles   []string  `json:"roles"`
	Expires time.Time `json:"expires_at,omitzero"`
}

// List reads the file and the single-token client as [Check] does and gives every client that can be told
// apart, in the order of the file, whatever its state, with the report. A file that does not read gives
// none.
func List(cfg Config, catalogue Catalogue, now time.Time) ([]Listed, Report) {
	s, report := examine(&cfg, catalogue, now)
	if s == nil {
		return nil, report
	}
	list := make([]Listed, 0, len(s.rows))
	for i := range s.rows {
		list = append(list, s.listed(&s.rows[i], now))
	}
	return list, report
}

func (s *snapshot) listed(r *row, now time.Time) Listed {
	p := s.principal(r)
	l := Listed{
		Name: label(p.Client), UserID: label(p.User), State: "live", Expires: p.Expires,
		Allow: p.Allow.Sorted(), Roles: p.Roles.Sorted(),
	}
	switch {
	case r.flags.has(refused):
		l.State = "refused"
	case r.flags.has(disabled):
		l.State = "disabled"
	case r.flags.has(lapsed), p.Expired(now):
		l.State = "expired"
	}
	for i, name := range l.Allow {
		if reveals(name, r.credential) {
			l.Allow[i] = "(hidden)"
		}
	}
	slices.Sort(l.Allow)
	return l
}
