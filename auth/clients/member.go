package clients

import (
	"strings"

	"github.com/go-json-experiment/json"

	"prax/auth"
)

func (r *reader) name(e *entry, v value) {
	s, ok := r.build.internText(v)
	if !ok {
		r.wrongType(e, v, "name", "a string")
		return
	}
	if s.size == 0 {
		return // as if it were missing
	}
	e.names = append(e.names, s)
	if bad := judgeName(r.build.text(s)); bad != "" {
		r.refuse(e, v.at, BadName, "name %s", bad)
	}
}

func (r *reader) user(e *entry, v value) {
	s, ok := r.build.internText(v)
	switch {
	case !ok:
		r.wrongType(e, v, "user_id", "a string")
		return
	case s.size == 0:
		r.refuse(e, v.at, NoUser, "user_id is empty: a client acts as a user")
		return
	}
	e.row.user = s
	if bad := judgeName(r.build.text(s)); bad != "" {
		r.refuse(e, v.at, BadUser, "user_id %s", bad)
	}
}

func (r *reader) token(e *entry, v value) {
	s, ok := text(v)
	if !ok {
		r.wrongType(e, v, "token", "a string")
		return
	}
	r.plainToken(e, v.at, s)
}

// plainToken takes a token in plain text.
func (r *reader) plainToken(e *entry, at int, s string) {
	token := strings.Trim(s, blanks)
	code, bad := judgeToken(token)
	switch {
	case bad != "":
		r.refuse(e, at, code, "%s", bad)
	case len(token) < shortToken:
		r.problem(e, at, ShortToken, "the token is shorter than %d bytes and may be guessed", shortToken)
	}
	if token == "" {
		return
	}
	if token != s {
		r.problem(e, at, TrimmedToken, "blanks around the token are left out")
	}
	e.claim(auth.HashToken(token))
}

// claim notes that the entry has a token, which is good for as long as the entry is.
func (e *entry) claim(c auth.Credential) { e.tokens = append(e.tokens, token{credential: c}) }

// tokenHash takes a token_sha256.
func (r *reader) tokenHash(e *entry, v value) {
	if c, ok := r.hash(e, v, "token_sha256"); ok {
		e.claim(c)
	}
}

// hash takes the hash of a token. A refused one still claims the token that it can be read as.
func (r *reader) hash(e *entry, v value, name string) (c auth.Credential, ok bool) {
	var buf [128]byte
	s, ok := appendText(buf[:0], v)
	if !ok {
		r.wrongType(e, v, name, "a string of 64 hex digits")
		return c, false
	}
	c, err := auth.ParseCredential(s)
	if err != nil {
		r.refuse(e, v.at, BadHash, "%s is not 64 hex digits", name)
		return c, false
	}
	if placeholderHashes[c] {
		r.refuse(e, v.at, Placeholder, "%s is the hash of a placeholder, or of nothing", name)
	}
	return c, true
}

func (r *reader) workflows(e *entry, v value) {
	e.terms.workflows = r.nameSet(e, v, "workflows")
}

func (r *reader) roles(e *entry, v value) {
	e.terms.roles = r.nameSet(e, v, "roles")
	e.person = r.build.names.Set(e.terms.roles).Has(auth.Human)
}

func (r *reader) permissions(e *entry, v value) {
	e.terms.permissions = r.nameSet(e, v, "permissions")
}

func (r *reader) oversees(e *entry, v value) {
	if s, ok := text(v); ok && s == "*" {
		e.row.flags |= allUsers
		return
	}
	e.terms.oversees = r.nameSet(e, v, `oversees (unless it is "*")`)
}

// nameSet is the set of a member that is a list of strings that are not empty.
func (r *reader) nameSet(e *entry, v value, name string) uint32 {
	if id, known := r.lists[string(v.Value)]; known {
		return id
	}
	list, ok := stringList(v)
	if !ok {
		r.wrongType(e, v, name, "a list of strings that are not empty")
		return 0
	}
	id := r.build.names.Add(list)
	if len(v.Value) <= remembered {
		r.lists[string(v.Value)] = id
	}
	return id
}

// remembered bounds the text of a list, in bytes, up to which it is remembered: most clients share
// one of a few lists, which need to be read only once.
const remembered = 1 << 10

// stringList reads a list of strings, trimmed; an empty one among them, or anything else, makes it none.
func stringList(v value) (list []string, ok bool) {
	if v.Kind() != '[' || json.Unmarshal(v.Value, &list) != nil {
		return nil, false
	}
	for i, s := range list {
		if list[i] = strings.TrimSpace(s); list[i] == "" {
			return nil, false
		}
	}
	return list, true
}

func (r *reader) toolNames(e *entry, v value) {
	switch s, _ := text(v); s {
	case "dot":
		e.row.flags &^= underscore
	case "underscore":
		e.row.flags |= underscore
	default:
		r.wrongType(e, v, "tool_names", `"dot" or "underscore"`)
	}
}

func (r *reader) disabled(e *entry, v value) {
	switch v.Kind() {
	case 't':
		e.row.flags |= disabled
	case 'f':
	default:
		r.wrongType(e, v, "disabled", "true or false")
	}
}
