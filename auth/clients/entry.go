package clients

import (
	"bytes"
	"strings"
	"time"
	"unicode/utf8"

	"prax/auth"
)

// entry is one client while it is read: its row so far, and what else is known of it.
type entry struct {
	row     row
	index   int
	at      int
	terms   terms
	names   []span  // as often as the entry says its name
	tokens  []token // every one that can be read in it
	members uint32  // bits of the members that it has
	expiry  time.Time
	rate    auth.Rate
	person  bool // has the role human
}

// The members of an entry, as bits.
const (
	hasName uint32 = 1 << iota
	hasUser
	hasToken
	hasHash
	hasTokens
	hasAllow
	hasWorkflows
	hasExpiry
	hasRoles
	hasPermissions
	hasOversees
	hasToolNames
	hasRate
	hasDisabled
)

// member is how one known member is read.
type member struct {
	name string
	bit  uint32
	read func(*reader, *entry, value)
}

// members are the known ones. Their names are exact, capitals included.
var members = map[string]member{
	"name":         {"name", hasName, (*reader).name},
	"user_id":      {"user_id", hasUser, (*reader).user},
	"token":        {"token", hasToken, (*reader).token},
	"token_sha256": {"token_sha256", hasHash, (*reader).tokenHash},
	"tokens":       {"tokens", hasTokens, (*reader).tokenList},
	"allow":        {"allow", hasAllow, (*reader).allow},
	"workflows":    {"workflows", hasWorkflows, (*reader).workflows},
	"expires_at":   {"expires_at", hasExpiry, (*reader).expiresAt},
	"roles":        {"roles", hasRoles, (*reader).roles},
	"permissions":  {"permissions", hasPermissions, (*reader).permissions},
	"oversees":     {"oversees", hasOversees, (*reader).oversees},
	"tool_names":   {"tool_names", hasToolNames, (*reader).toolNames},
	"rate":         {"rate", hasRate, (*reader).rate},
	"disabled":     {"disabled", hasDisabled, (*reader).disabled},
}

// entry reads one entry and adds its row. Only text that is not JSON at all is an error.
func (r *reader) entry(index int) error {
	_, err := r.dec.ReadToken()
	if err != nil {
		return err
	}
	e := r.blank(index, int(r.dec.InputOffset())-1)
	before := len(r.report.Problems)
	for r.dec.PeekKind() == '"' {
		if err := r.member(e); err != nil {
			return err
		}
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return err
	}
	if !r.utf8 && !utf8.Valid(r.text[e.at:r.dec.InputOffset()]) {
		r.refuse(e, e.at, EntryNotUTF8, "the entry has text that is not UTF-8")
	}
	r.settle(e)
	r.label(before, e)
	if !r.build.add(e) {
		r.refused++
	}
	return nil
}

// blank is the entry to read into. There is one at a time: a hundred thousand need not be made.
func (r *reader) blank(index, at int) *entry {
	r.scratch = entry{index: index, at: at, names: r.scratch.names[:0], tokens: r.scratch.tokens[:0]}
	return &r.scratch
}

// label gives the problems of an entry its name, which may have stood after what they are about.
func (r *reader) label(from int, e *entry) {
	if from == len(r.report.Problems) {
		return
	}
	name := r.nameFor(e)
	for i := from; i < len(r.report.Problems); i++ {
		r.report.Problems[i].Client = name
	}
}

// member reads one member of an entry.
func (r *reader) member(e *entry) error {
	key, err := r.next()
	if err != nil {
		return err
	}
	known, name, ok := lookupMember(key)
	at := key.at
	if !ok {
		r.unknown(e, name, at)
		return r.dec.SkipValue()
	}
	v, err := r.next()
	if err != nil {
		return err
	}
	if e.members&known.bit != 0 {
		r.refuse(e, at, DuplicateMember, "%s stands twice", name)
	}
	e.members |= known.bit
	known.read(r, e, v)
	return nil
}

// lookupMember finds a member by its key, without a copy when it is written plainly.
func lookupMember(key value) (m member, name string, ok bool) {
	if plain := key.Value[1 : len(key.Value)-1]; bytes.IndexByte(plain, '\\') < 0 {
		if m, ok = members[string(plain)]; ok {
			return m, m.name, true
		}
	}
	name, _ = text(key)
	m, ok = members[name]
	return m, name, ok
}

// unknown judges a member that is none of ours.
func (r *reader) unknown(e *entry, name string, at int) {
	if meant, yes := mistaken(name); yes {
		r.refuse(e, at, MistakenMember, "unknown member %s looks like a restriction: did you mean %s?", shown(name), meant)
		return
	}
	r.warnUnknown(e, name, at)
}

// warnUnknown reports an unknown member once a file.
func (r *reader) warnUnknown(e *entry, name string, at int) {
	if r.odd[name] || len(r.odd) >= problemCap {
		return
	}
	r.odd[name] = true
	r.problem(e, at, UnknownMember, "unknown member %s is ignored", shown(name))
}

// refuse notes an error and puts the entry out.
func (r *reader) refuse(e *entry, at int, code Code, format string, args ...any) {
	e.row.flags |= refused
	r.problem(e, at, code, format, args...)
}

func (r *reader) wrongType(e *entry, v value, name, want string) {
	r.refuse(e, v.at, WrongType, "%s is not %s", name, want)
}

// nameFor is the entry's name as far as a report may show it.
func (r *reader) nameFor(e *entry) string {
	if len(e.names) == 0 {
		return ""
	}
	return strings.Clone(label(r.build.text(e.names[0])))
}

func label(name string) string {
	if judgeName(name) != "" {
		return ""
	}
	return name
}
