package doctor

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"prax/auth"
	"prax/auth/clients"
)

// taking is how long a server may take until an edit is in force.
const taking = 5 * time.Second

const checkHint = "prax check names each, with its line"

// clients is the file of clients: whether it reads, who is out, and what grants nothing.
func (x *examination) clients(context.Context) {
	x.looked("clients")
	if !x.Clients.OK {
		x.unusable()
		return
	}
	x.refusals()
	x.plainTokens()
	x.ends()
	x.stale()
	if x.Enabled && x.Clients.Clients == 0 {
		x.found(Error, Nobody, x.Clients.Path, "prax client add NAME", "MCP_SERVER_ENABLED is true and no client is live: /mcp answers 404 at a start")
	}
}

// unusable is why nobody of the file is admitted.
func (x *examination) unusable() {
	text, hint := "it cannot be used", "prax check"
	if len(x.Clients.Problems) > 0 {
		text = x.Clients.Problems[0].Text
		if x.Clients.Problems[0].Code == clients.FileMissing {
			hint = "prax client add NAME makes it; MCP_CLIENTS_PATH or --clients names another"
		}
	}
	x.found(Error, ClientsUnusable, x.Clients.Path, hint, "nobody of the file of clients, %s, is admitted: %s", x.Clients.Path, text)
}

// refusals are entries that are out for a mistake, and what check fails for. What other checks here tell of is left out.
func (x *examination) refusals() {
	var refused, names, members, rest []string
	for _, p := range x.Clients.Problems {
		text := p.Text
		if p.Client != "" {
			text = fmt.Sprintf("%s: %s", p.Client, p.Text)
		}
		switch p.Code {
		case clients.UnknownTool, clients.HighTool:
			names = append(names, text)
		case clients.UnknownMember:
			members = append(members, text)
		case clients.ExpiredClient, clients.ExpiresSoon, clients.LooseMode, clients.NobodyListed:
		default:
			if p.IsError() {
				refused = append(refused, text)
			} else {
				rest = append(rest, text)
			}
		}
	}
	x.several(Error, Refused, "mistakes in the file of clients put entries out", refused)
	x.several(Error, GrantsNothing, "names in allow grant nothing", names)
	x.several(Error, UnreadMember, "nothing reads these members of the file of clients", members)
	x.several(Warning, ClientsDoubtful, "the file of clients is doubtful", rest)
}

// several is one finding of all that is wrong in one way.
func (x *examination) several(severity string, code Code, what string, all []string) {
	if len(all) > 0 {
		x.found(severity, code, x.Clients.Path, checkHint, "%s: %s", what, some(all))
	}
}

func (x *examination) plainTokens() {
	if n := x.Clients.Plain; n > 0 {
		x.found(Warning, PlainToken, x.Clients.Path, "prax token hash prints the token_sha256 to put in its place; prax client rotate NAME makes a new one",
			"%s of the file of clients: whoever reads it, or a copy, can call", plain(n))
	}
}

func plain(n int) string {
	if n == 1 {
		return "1 token stands in plain text in an entry"
	}
	return fmt.Sprintf("%d tokens stand in plain text in entries", n)
}

// ends are the clients that are out by their expiry, and those that soon will be.
func (x *examination) ends() {
	var over, near []string
	for _, c := range x.Listed {
		switch {
		case c.State == clients.Expired && !x.mistaken(c.Name):
			over = append(over, c.Name)
		case c.State == clients.Live:
			if out := c.Expires; !out.IsZero() && out.Sub(x.Now) < auth.Soon {
				near = append(near, fmt.Sprintf("%s (%s)", c.Name, stamp(out)))
			}
		}
	}
	const hint = "prax client list; prax client revoke NAME takes one out, an edit of expires_at lets it go on"
	if len(over) > 0 {
		x.found(Warning, ExpiredClient, x.Clients.Path, hint, "%s out by expiry: %s", isAre(len(over), "client"), some(over))
	}
	if len(near) > 0 {
		x.found(Warning, ExpiresSoon, x.Clients.Path, hint, "%s about to expire: %s", isAre(len(near), "client"), some(near))
	}
}

// mistaken tells whether a client counts as expired because it cannot be told when it is, which is said of it already.
func (x *examination) mistaken(name string) bool {
	return slices.ContainsFunc(x.Clients.Problems, func(p clients.Problem) bool {
		return p.Client == name && slices.Contains([]clients.Code{clients.BadExpiry, clients.BadStart, clients.EmptyWindow}, p.Code)
	})
}

// stale is a server that has another version of the file in force than the one that is there.
func (x *examination) stale() {
	if x.Server == nil || x.Clients.Path == "" || x.Server.Digest == x.Clients.Digest {
		return
	}
	info, err := os.Stat(x.Clients.Path)
	if err != nil || x.Now.Sub(info.ModTime()) < taking {
		return // it will look at it in a moment
	}
	x.found(Error, NotInForce, x.Clients.Path, "prax config show says which file the settings name here; the log of the server says which it reads",
		"the running server has another file of clients in force than %s: it was started with other settings, or does not see the edits", x.Clients.Path)
}

// out tells whether the client of this name is in the file and may not call now, or is not in it at all.
func (x *examination) out(name string) bool {
	i := slices.IndexFunc(x.Listed, func(c clients.Listed) bool { return c.Name == name })
	return i < 0 || x.Listed[i].State != clients.Live
}
