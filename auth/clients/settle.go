package clients

import (
	"fmt"
	"math/bits"

	"prax/auth"
)

// settle judges an entry as a whole, once all its members are read.
func (r *reader) settle(e *entry) {
	r.settleName(e)
	r.settleToken(e)
	if e.members&hasUser == 0 {
		r.refuse(e, e.at, NoUser, "user_id is missing: a client acts as a user")
	}
	if e.members&hasOversees != 0 && !e.person {
		r.refuse(e, e.at, BadOversees, "oversees needs the role human")
	}
	if e.members&hasAllow == 0 {
		e.terms.allow = r.defaultAllow().set
	}
	if e.members&hasWorkflows == 0 {
		e.row.flags |= allWorkflows
	}
	if e.members&hasToolNames == 0 && r.cfg.Spelling == auth.Underscore {
		e.row.flags |= underscore
	}
	r.settleExpiry(e)
}

// settleName gives a client without a name the one of its place.
func (r *reader) settleName(e *entry) {
	if len(e.names) == 0 && len(e.tokens) > 0 {
		e.names = append(e.names, r.build.intern(fmt.Sprintf("client-%d", e.index)))
		r.problem(e, e.at, Unnamed, "the entry has no name")
	}
}

func (r *reader) settleToken(e *entry) {
	forms := e.members & (hasToken | hasHash | hasTokens)
	if forms&hasToken != 0 && e.index >= 0 {
		r.report.Plain++
	}
	switch {
	case bits.OnesCount32(forms) > 1:
		r.refuse(e, e.at, BothTokens, "more than one of token, token_sha256 and tokens: which one counts is in doubt")
	case forms == 0:
		r.refuse(e, e.at, NoToken, "none of token, token_sha256 and tokens")
	case forms == hasToken && r.source.loose && e.index >= 0:
		r.problem(e, e.at, LooseMode, "a plaintext token in a file that others can read: chmod 600 it, or store token_sha256")
	}
	r.settleSecrets(e)
}

// settleSecrets refuses an entry whose token stands where it would be shown.
func (r *reader) settleSecrets(e *entry) {
	for _, t := range e.tokens {
		if reveals(r.build.text(e.row.user), t.credential) {
			r.refuse(e, e.at, BadUser, "user_id is the token or its hash, and user ids stand in logs")
		}
		for _, name := range e.names {
			if reveals(r.build.text(name), t.credential) {
				e.names = nil
				r.refuse(e, e.at, BadName, "the name is the token or its hash, and names stand in logs")
				break
			}
		}
	}
}
