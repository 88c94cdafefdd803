package control

import (
	"time"

	"prax/auth"
	"prax/auth/policy"
	"prax/tools"
)

// Access is whether a client may use a tool, and why.
type Access struct {
	As      string   `json:"as"`
	Tool    string   `json:"tool,omitzero"`
	Allowed bool     `json:"allowed"`
	Reason  string   `json:"reason"`
	Facts   []Fact   `json:"facts"`            // what decides, in the order in which it is looked at
	Usable  []string `json:"usable,omitempty"` // without a tool: the names that the client may use
}

// Fact is one thing that a decision hangs on.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Holds bool   `json:"holds"` // it stands in nobody's way
}

// Explain decides by the pipeline's own decision, never by one of its own, and lays the facts beside
// it.
func Explain(c Clients, t Tools, as, tool string, now time.Time) Access {
	a := Access{As: as, Tool: tool, Reason: ErrNoClient.Error()}
	p, live := c.ByName(as)
	a.Facts = append(a.Facts, Fact{"client", liveness(live), live})
	if live {
		a.Facts = append(a.Facts, Fact{"user", p.User, p.User != ""}, Fact{"expires", expiry(p), !p.Expired(now)})
	}
	if tool == "" {
		return a.list(t, p, live)
	}
	found, exists := t.Find(tool)
	a.Facts = append(a.Facts, Fact{"tool", existence(found, exists), exists})
	if exists {
		a.Facts = append(a.Facts, Fact{"tier", found.Tier.String(), found.Tier.Exposable()})
	}
	if live && exists {
		granted := policy.Granted(p.Allow, policy.Target{Name: found.Name, Underscore: tools.Spelling(found.Name, auth.Underscore)})
		a.Facts = append(a.Facts, Fact{"allowlist", granting(granted), granted})
	}
	if live {
		d := t.Decide(p, tool)
		a.Allowed, a.Reason = d.OK, string(d.Reason)
	}
	return a
}

func (a Access) list(t Tools, p auth.Principal, live bool) Access {
	if !live {
		return a
	}
	a.Usable = []string{}
	for _, tool := range t.List(p) {
		a.Usable = append(a.Usable, tool.Name)
	}
	a.Allowed = len(a.Usable) > 0
	a.Reason = "nothing that it was granted exists and is not HIGH"
	if a.Allowed {
		a.Reason = "may use what is listed"
	}
	return a
}

func liveness(live bool) string {
	if live {
		return "live"
	}
	return "none of that name that is live: not there, refused, disabled or expired"
}

func expiry(p auth.Principal) string {
	if p.Expires.IsZero() {
		return "never"
	}
	return p.Expires.UTC().Format(time.RFC3339)
}

func existence(t *tools.Tool, exists bool) string {
	if !exists {
		return "does not exist"
	}
	return t.Name
}

func granting(granted bool) string {
	if granted {
		return "has it"
	}
	return "does not have it"
}
