package praxec

import (
	"crypto/sha256"
	"strings"
	"time"

	"prax/auth"
	"prax/auth/policy"
	"prax/tools/workflow"
)

// viewer is what links depend on beside what they are about: how the caller is shown the two tools, and whether it may use
// them.
type viewer struct {
	spelling          auth.Spelling
	queries, commands *blocked // why the caller may not use the tool at all; nil: it may
}

func viewerOf(p auth.Principal, now time.Time) viewer {
	return viewer{spelling: p.Spelling, queries: barred(p, queryTarget, now), commands: barred(p, commandTarget, now)}
}

// spelled is the name of one of the tools as the caller sees it.
func (v viewer) spelled(t policy.Target) string {
	if v.spelling == auth.Underscore {
		return t.Underscore
	}
	return t.Name
}

// notGranted says that links to one of the tools lead nowhere for a caller.
var notGranted = &blocked{Code: codeNotGranted, Reason: "this client may not use the tool that the link is a call of"}

// barred says why links to one of the tools lead nowhere for a caller; nil: they do not.
func barred(p auth.Principal, t policy.Target, now time.Time) *blocked {
	if policy.Decide(p, t, now).OK {
		return nil
	}
	return notGranted
}

// audience is all of a caller that the answer about a workflow depends on. Whoever is of the same audience sees the same.
type audience struct {
	viewer
	client, user       string
	roles, permissions [sha256.Size]byte // their content, in whichever registry
	overseer, out      bool
}

func (v viewer) audience(c workflow.Caller) audience {
	return audience{
		viewer: v, client: c.Client, user: c.User, roles: c.Roles.Key(), permissions: c.Permissions.Key(),
		overseer: c.Overseer, out: c.Out,
	}
}

// own is the audience without what it shares with the registry that it comes from, which may be large.
func (a audience) own() audience {
	a.client, a.user = strings.Clone(a.client), strings.Clone(a.user)
	return a
}
