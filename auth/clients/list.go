package clients

import (
	"slices"
	"time"

	"prax/auth"
)

// State is what a client is now, or one of its tokens.
type State string

// The states.
const (
	Live     State = "live"
	Waiting  State = "waiting"  // not good yet
	Expired  State = "expired"  // or its window cannot be read
	Disabled State = "disabled" // switched off
	Refused  State = "refused"  // for an error in the entry
	Gone     State = "gone"     // in the file no more; for who remembers it
)

// Listed is one client as an operator sees it in a list: everything but the secret.
type Listed struct {
	Name    string        `json:"name"` // "" for one that cannot be shown
	UserID  string        `json:"user_id"`
	State   State         `json:"state"`
	Allow   []string      `json:"allow"`
	Roles   []string      `json:"roles"`
	Rate    auth.Rate     `json:"rate,omitzero"`       // as far as the entry says one
	Expires time.Time     `json:"expires_at,omitzero"` // when it is out, or has been since; zero: never
	Tokens  []ListedToken `json:"tokens"`

	LastUsed time.Time `json:"last_used,omitzero"` // for who knows to fill in
}

// ListedToken is one token of a client, as it stands in the entry.
type ListedToken struct {
	State      State           `json:"state"`
	NotBefore  time.Time       `json:"not_before,omitzero"`
	Expires    time.Time       `json:"expires_at,omitzero"` // the earlier one of its own and its client's
	LastUsed   time.Time       `json:"last_used,omitzero"`  // for who knows to fill in
	Credential auth.Credential `json:"-"`
}

// LiveTokens is how many of its tokens are good now.
func (l *Listed) LiveTokens() (n int) {
	for _, t := range l.Tokens {
		if t.State == Live {
			n++
		}
	}
	return n
}

// NextEnd is when the first of its live tokens lapses; zero: none ever does.
func (l *Listed) NextEnd() (first time.Time) {
	for _, t := range l.Tokens {
		if t.State == Live && !t.Expires.IsZero() && (first.IsZero() || t.Expires.Before(first)) {
			first = t.Expires
		}
	}
	return first
}

// out is when the client is out: of one that is live once the last of its tokens that go on without a gap has lapsed, of
// any other when the last of all does.
func (l *Listed) out(now time.Time) (last time.Time) {
	if l.State != Live {
		for _, t := range l.Tokens {
			if t.Expires.After(last) {
				last = t.Expires
			}
		}
		return last
	}
	var windows []window
	for _, t := range l.Tokens {
		if t.State == Live || t.State == Waiting {
			windows = append(windows, window{t.NotBefore, t.Expires})
		}
	}
	return outAt(windows, now)
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
	for _, rows := range clientsOf(s.rows) {
		list = append(list, s.listed(rows, now))
	}
	return list, report
}

func (s *snapshot) listed(rows []row, now time.Time) Listed {
	p := s.principal(&rows[0])
	l := Listed{
		Name: label(p.Client), UserID: label(p.User), State: s.state(rows, now),
		Allow: p.Allow.Sorted(), Roles: p.Roles.Sorted(), Rate: p.Rate, Tokens: make([]ListedToken, 0, len(rows)),
	}
	for i := range rows {
		t := s.listedToken(&rows[i], now)
		l.Tokens = append(l.Tokens, t)
		for i, name := range l.Allow {
			if reveals(name, t.Credential) {
				l.Allow[i] = "(hidden)"
			}
		}
	}
	slices.Sort(l.Allow)
	l.Expires = l.out(now)
	return l
}

func (s *snapshot) listedToken(r *row, now time.Time) ListedToken {
	return ListedToken{State: s.stateOf(r, now), NotBefore: s.start(r), Expires: s.expiry(r), Credential: r.credential}
}

// state is the best of what the tokens of a client are.
func (s *snapshot) state(rows []row, now time.Time) State {
	best := s.stateOf(&rows[0], now)
	for i := range rows {
		if of := s.stateOf(&rows[i], now); of == Live || of == Waiting && best != Live {
			best = of
		}
	}
	return best
}

func (s *snapshot) stateOf(r *row, now time.Time) State {
	switch w := s.window(r); {
	case r.flags.has(refused):
		return Refused
	case r.flags.has(disabled):
		return Disabled
	case r.flags.has(lapsed):
		return Expired
	case w.holds(now):
		return Live
	case w.comes(now):
		return Waiting
	}
	return Expired
}
