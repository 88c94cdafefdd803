package clients

import (
	"fmt"
	"time"

	"prax/auth"
)

// maxTokens bounds the tokens of one entry: two of them are a rotation.
const maxTokens = 8

// token is one credential of an entry, and when it is good beside what the entry says of itself.
type token struct {
	credential auth.Credential
	window
	lapsed bool // its window cannot be read: it is never good
}

// tokenList takes the tokens of an entry that has several, each with a window of its own.
func (r *reader) tokenList(e *entry, v value) {
	if v.Kind() != '[' {
		r.wrongType(e, v, "tokens", "a list")
		return
	}
	w, before, n := newWalker(v.Value, v.at), len(e.tokens), 0
	_, err := w.token()
	for ; err == nil && w.dec.PeekKind() != ']'; n++ {
		err = r.listed(e, w, fmt.Sprintf("tokens[%d]", n))
	}
	switch {
	case err != nil: // cannot be: the value was read once
		r.wrongType(e, v, "tokens", "a list that can be read")
	case n == 0:
		r.refuse(e, v.at, NoToken, "tokens is empty")
	case n > maxTokens:
		r.refuse(e, v.at, TooManyTokens, "tokens has %d of them: an entry has at most %d", n, maxTokens)
	case repeats(e.tokens[before:]):
		r.refuse(e, v.at, DuplicateToken, "the same token stands twice in tokens: which window counts is in doubt")
	}
}

// listed reads one element of tokens.
func (r *reader) listed(e *entry, w *walker, place string) error {
	if w.dec.PeekKind() != '{' {
		v, err := w.next()
		r.wrongType(e, v, place, "an object")
		return err
	}
	var t token
	var seen uint8
	at, err := w.object(func(key value, name string) error {
		v, err := w.next()
		if err != nil {
			return err
		}
		member, known := tokenMembers[name]
		if !known {
			r.unknown(e, name, key.at)
			return nil
		}
		if seen&member.bit != 0 {
			r.refuse(e, key.at, DuplicateMember, "%s stands twice in %s", name, place)
		}
		seen |= member.bit
		member.read(r, e, &t, v, place+"."+name)
		return nil
	})
	if seen&tokenHash == 0 {
		r.refuse(e, at.from, NoToken, "%s has no sha256", place)
	}
	if !t.until.IsZero() && !t.from.Before(t.until) {
		t.lapsed = true
		r.problem(e, at.from, EmptyWindow, "%s is never good: its not_before is not before its expires_at", place)
	}
	if t.credential != (auth.Credential{}) {
		e.tokens = append(e.tokens, t)
	}
	return err
}

// The members of an element of tokens, as bits.
const (
	tokenHash uint8 = 1 << iota
	tokenStart
	tokenExpiry
)

// tokenMembers are the known ones. Their names are exact, as those of an entry are.
var tokenMembers = map[string]struct {
	bit  uint8
	read func(r *reader, e *entry, t *token, v value, name string)
}{
	"sha256":     {tokenHash, (*reader).listedHash},
	"not_before": {tokenStart, (*reader).listedStart},
	"expires_at": {tokenExpiry, (*reader).listedExpiry},
}

func (r *reader) listedHash(e *entry, t *token, v value, name string) {
	t.credential, _ = r.hash(e, v, name)
}

func (r *reader) listedStart(e *entry, t *token, v value, name string) {
	t.from = r.listedTime(e, t, v, name, BadStart)
}

func (r *reader) listedExpiry(e *entry, t *token, v value, name string) {
	t.until = r.listedTime(e, t, v, name, BadExpiry)
}

// listedTime takes one side of a token's window. What cannot be read closes this token, whatever is said of
// the expiry of entries.
func (r *reader) listedTime(e *entry, t *token, v value, name string, bad Code) time.Time {
	if v.Kind() == 'n' {
		return time.Time{}
	}
	s, isText := text(v)
	at, sloppy, ok := parseExpiry(s)
	switch {
	case !isText || !ok:
		t.lapsed = true
		r.problem(e, v.at, bad, "%s is not a time as in 2030-12-31T00:00:00Z: the token counts as expired", name)
		return time.Time{}
	case sloppy:
		r.problem(e, v.at, SloppyExpiry, "%s is taken as UTC: write it as in 2030-12-31T00:00:00Z", name)
	}
	return at
}

// repeats tells whether two of these few tokens are one.
func repeats(few []token) bool {
	for i, a := range few {
		for _, b := range few[:i] {
			if a.credential == b.credential {
				return true
			}
		}
	}
	return false
}
