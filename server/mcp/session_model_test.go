package mcp_test

import (
	"fmt"
	"strings"

	"prax/auth"
	"prax/auth/policy"
)

// The names of a session's world.
var (
	sessionTools   = [...]string{"note.read", "note_write", turn, "wipe.all"} // sorted
	sessionClients = [...]string{"ann", "bob", "cee"}

	// allowable are the entries of an allowlist: both spellings of the tools, and what only looks like them.
	allowable = [...]string{"note.read", "note_read", "note_write", "wipe.all", "wipe_all", turn, "Note.Read", "*", "default", "note-write"}

	// callable are the names that callers ask for.
	callable = [...]string{"note.read", "note_read", "note_write", "wipe.all", "wipe_all", turn, "Note.Read", "*", "gone", "note.write"}
)

// turn is the tool that edits the world when it runs. It is always there, and LOW.
const turn = "turn"

// rules are all that decides about a call, as plain as can be: the model that the server is held against.
type rules struct {
	tiers   [len(sessionTools)]auth.Tier // TierUnknown: there is no such tool
	clients [len(sessionClients)]struct {
		in       bool
		allow    [len(allowable)]bool
		spelling auth.Spelling
	}
}

// tool is the canonical name that a caller's name stands for; "" for none.
func (r *rules) tool(asked string) string {
	for i, name := range sessionTools {
		if r.tiers[i] != auth.TierUnknown && (asked == name || asked == underscored(name)) {
			return name
		}
	}
	return ""
}

func (r *rules) tier(tool string) auth.Tier {
	for i, name := range sessionTools {
		if name == tool {
			return r.tiers[i]
		}
	}
	return auth.TierUnknown
}

// reason is what is decided about one call.
func (r *rules) reason(who int, asked string) policy.Reason {
	tool := r.tool(asked)
	switch {
	case tool == "":
		return policy.Unknown
	case r.tier(tool) == auth.High:
		return policy.HighRisk
	case !r.allows(who, tool):
		return policy.NotAllowed
	}
	return policy.Allowed
}

// allows tells whether the client is in and has the tool in its allowlist, in either spelling.
func (r *rules) allows(who int, tool string) bool {
	c := r.clients[who]
	for i, entry := range allowable {
		if c.in && c.allow[i] && (entry == tool || entry == underscored(tool)) {
			return true
		}
	}
	return false
}

// listed are the names in the client's list, as it spells them: those are sorted by their canonical name.
func (r *rules) listed(who int) []string {
	names := []string{}
	for _, tool := range sessionTools {
		if r.reason(who, tool) != policy.Allowed {
			continue
		}
		if r.clients[who].spelling == auth.Underscore {
			tool = underscored(tool)
		}
		names = append(names, tool)
	}
	return names
}

// file is the clients.json of these rules.
func (r *rules) file() string {
	var entries []string
	for i, name := range sessionClients {
		c, allow := r.clients[i], []string{}
		for j, entry := range allowable {
			if c.allow[j] {
				allow = append(allow, fmt.Sprintf("%q", entry))
			}
		}
		entries = append(entries, fmt.Sprintf(`{"name":%q,"user_id":"u_%s","token":%q,"disabled":%t,"tool_names":%q,"allow":[%s]}`,
			name, name, sessionToken(i), !c.in, map[auth.Spelling]string{auth.Dot: "dot", auth.Underscore: "underscore"}[c.spelling], strings.Join(allow, ",")))
	}
	return `{"clients":[` + strings.Join(entries, ",") + `]}`
}

func sessionToken(who int) string { return "a-long-enough-token-of-" + sessionClients[who] }

func underscored(name string) string { return strings.ReplaceAll(name, ".", "_") }

// choices is the input of a fuzz target as a row of small choices; at its end every choice is the first.
type choices struct{ left []byte }

// pick is a number below n.
func (c *choices) pick(n int) int {
	if len(c.left) == 0 {
		return 0
	}
	chosen := int(c.left[0]) % n
	c.left = c.left[1:]
	return chosen
}

func (c *choices) yes() bool { return c.pick(2) == 1 }

func of[T any](c *choices, all ...T) T { return all[c.pick(len(all))] }

func (c *choices) rules() (r rules) {
	c.tools(&r)
	for who := range r.clients {
		c.client(&r, who)
	}
	return r
}

func (c *choices) tools(r *rules) {
	for i, name := range sessionTools {
		r.tiers[i] = of(c, auth.Low, auth.Medium, auth.High, auth.TierUnknown)
		if name == turn {
			r.tiers[i] = auth.Low
		}
	}
}

func (c *choices) client(r *rules, who int) {
	is := &r.clients[who]
	is.in = c.pick(8) != 1
	is.spelling = of(c, auth.Dot, auth.Underscore)
	mask := c.pick(256) | c.pick(256)<<8
	for i := range is.allow {
		is.allow[i] = mask>>i&1 == 0
	}
}
