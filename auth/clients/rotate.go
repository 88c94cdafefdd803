package clients

import (
	"errors"
	"strings"
	"time"

	"prax/auth"
)

// Rotation is another token for a client.
type Rotation struct {
	Hash  auth.Credential // of the new token
	Now   time.Time
	Until time.Time // when the old ones end, to the second; zero: at once
}

// RotateClient gives the entry with this name another token. The old one is replaced or, if the rotation
// says until when, ends then: the entry gets a list of tokens. Of those that stand in such a list
// already, none lasts longer than it would have, and what has ended goes. [ErrNoClient] when there is no
// such entry; [ErrDoubt] when there are several, or its tokens cannot be told; [ErrTokens] when the list
// would be too long.
func RotateClient(path, name string, to Rotation) error {
	to.Until = to.Until.Truncate(time.Second)
	err := edit(path, false, func(text []byte) ([]byte, error) {
		m, err := measure(text)
		if err != nil {
			return nil, err
		}
		switch at := m.named(name); len(at) {
		case 0:
			return nil, ErrNoClient
		case 1:
			return m.rotate(&m.entries[at[0]], to)
		}
		return nil, ErrDoubt
	}, func(after *snapshot) error {
		if i, ok := after.byToken.find(after.rows, to.Hash); ok && after.rows[i].flags.has(sharesToken) {
			return ErrExists
		}
		return nil
	})
	return wrap("rotate client", name, err)
}

// rotate is the text with another token in the entry, in the place of what says its token now.
func (m *layout) rotate(e *placed, to Rotation) ([]byte, error) {
	if to.Until.IsZero() {
		text, ok := m.rehash(e, to.Hash)
		if !ok {
			return nil, ErrDoubt
		}
		return text, nil
	}
	old, ok := e.credential()
	if !ok {
		return nil, ErrDoubt
	}
	list, err := m.overlap(old, to)
	if err != nil {
		return nil, err
	}
	return m.put(old, "tokens", list), nil
}

// rehash is the text with one token in the entry, by its hash.
func (m *layout) rehash(e *placed, hash auth.Credential) ([]byte, bool) {
	old, ok := e.credential()
	if !ok {
		return nil, false
	}
	return m.put(old, "token_sha256", quoted(hash.Hex())), true
}

// credential is the member that says the token, or the tokens, of the entry; ok is false when there is none, or
// more than one.
func (e *placed) credential() (found placedMember, ok bool) {
	for _, m := range e.members {
		switch m.name {
		case "token", "token_sha256", "tokens":
			if ok {
				return found, false
			}
			found, ok = m, true
		}
	}
	return found, ok
}

// put is the text with a member of this name and value in the place of another one.
func (m *layout) put(old placedMember, name, value string) []byte {
	text := replace(m.text, old.value, value)
	if old.name != name {
		text = replace(text, old.key, quoted(name))
	}
	return text
}

// overlap is the value of tokens with the old ones, which end, and the new one.
func (m *layout) overlap(old placedMember, to Rotation) (string, error) {
	added := oneLine([][2]string{{"sha256", quoted(to.Hash.Hex())}})
	if old.name == "tokens" {
		return m.lengthen(old.value, added, to)
	}
	said, ok := text(value{m.text[old.value.from:old.value.to], old.value.from})
	hash := auth.HashToken(strings.Trim(said, blanks)).Hex()
	if old.name == "token_sha256" {
		_, err := auth.ParseCredential(said)
		ok, hash = ok && err == nil, said
	}
	if !ok || strings.Trim(said, blanks) == "" {
		return "", ErrDoubt
	}
	ending := oneLine([][2]string{{"sha256", quoted(hash)}, {"expires_at", quoted(to.end())}})
	return "[" + ending + ", " + added + "]", nil
}

// end is Until as it stands in the file.
func (to Rotation) end() string { return to.Until.UTC().Format(time.RFC3339) }

// lengthen is a list of tokens with one more, laid out like those it has.
func (m *layout) lengthen(list extent, added string, to Rotation) (string, error) {
	old, err := m.measureTokens(list)
	if err != nil {
		return "", err
	}
	lead, between := "", " "
	if n := len(old); n > 0 {
		lead = m.lead(old[0].from)
		if last := m.lead(old[n-1].from); last != "" {
			between = last
		}
	}
	var kept []string
	for i := range old {
		text, err := m.shorten(&old[i], to)
		if err != nil {
			return "", err
		}
		if text != "" {
			kept = append(kept, text)
		}
	}
	if kept = append(kept, added); len(kept) > maxTokens {
		return "", ErrTokens
	}
	return "[" + lead + strings.Join(kept, ","+between) + m.lead(list.to-1) + "]", nil
}

// measureTokens finds the elements of a list of tokens.
func (m *layout) measureTokens(list extent) (all []placed, err error) {
	w := newWalker(m.text[list.from:list.to], list.from)
	if w.dec.PeekKind() != '[' {
		return nil, ErrDoubt
	}
	_, err = w.token()
	for err == nil && w.dec.PeekKind() != ']' {
		if w.dec.PeekKind() != '{' {
			return nil, ErrDoubt
		}
		var e placed
		err = e.measure(w)
		all = append(all, e)
	}
	return all, err
}

// shorten is the text of a token of a list that ends with the rotation, if not before: as it stands if it ends
// before, "" if it is good for nothing any more.
func (m *layout) shorten(e *placed, to Rotation) (string, error) {
	w, err := m.windowOf(e)
	switch {
	case errors.Is(err, errNeverGood):
		return "", nil
	case err != nil:
		return "", err
	}
	shorter := w.within(to.Until)
	if !shorter.holds(to.Now) && !shorter.comes(to.Now) {
		return "", nil
	}
	text := string(m.text[e.from:e.to])
	if shorter == w {
		return text, nil
	}
	if old, stands := e.member("expires_at"); stands {
		return text[:old.value.from-e.from] + quoted(to.end()) + text[old.value.to-e.from:], nil
	}
	last := e.members[len(e.members)-1]
	lead := m.lead(last.key.from)
	if lead == "" {
		lead = " "
	}
	at := last.value.to - e.from
	return text[:at] + "," + lead + pairs([][2]string{{"expires_at", quoted(to.end())}})[0] + text[at:], nil
}

var errNeverGood = errors.New("the token is never good")

// windowOf is when a token of a list is good.
func (m *layout) windowOf(e *placed) (w window, err error) {
	hash, ok := e.member("sha256")
	if !ok {
		return w, ErrDoubt
	}
	said, _ := text(value{m.text[hash.value.from:hash.value.to], 0})
	if _, err := auth.ParseCredential(said); err != nil {
		return w, ErrDoubt
	}
	if w.from, err = m.timeOf(e, "not_before"); err != nil {
		return w, err
	}
	w.until, err = m.timeOf(e, "expires_at")
	return w, err
}

// timeOf is one side of a token's window.
func (m *layout) timeOf(e *placed, name string) (time.Time, error) {
	if !e.has(name) {
		return time.Time{}, nil
	}
	side, once := e.member(name)
	if !once {
		return time.Time{}, ErrDoubt
	}
	v := value{m.text[side.value.from:side.value.to], 0}
	if v.Kind() == 'n' {
		return time.Time{}, nil
	}
	said, isText := text(v)
	at, _, ok := parseExpiry(said)
	if !isText || !ok {
		return time.Time{}, errNeverGood
	}
	return at, nil
}
