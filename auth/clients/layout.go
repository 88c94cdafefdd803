package clients

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// layout is where things stand in the text of a clients file, in byte offsets, so that an edit can leave
// every other byte alone.
type layout struct {
	text    []byte
	root    extent // braces included
	members int    // of the root
	list    extent // brackets included; zero when there is no clients member
	entries []placed
}

// extent is text[from:to].
type extent struct{ from, to int }

// placed is an entry and its members.
type placed struct {
	extent
	name    string // its own, or the one of its place
	members []placedMember
}

type placedMember struct {
	name       string
	key, value extent
}

// measure finds the layout of a text that was read as a clients file without failure.
func measure(text []byte) (*layout, error) {
	skipped := len(text) - len(bytes.TrimPrefix(text, []byte("\ufeff")))
	m := &layout{text: text}
	w := newWalker(text[skipped:], skipped)
	root, err := w.object(func(key value, name string) error {
		m.members++
		if name != "clients" {
			_, err := w.next()
			return err
		}
		return m.measureList(w)
	})
	m.root = root
	if err != nil {
		return nil, fmt.Errorf("find the entries: %w", err)
	}
	return m, nil
}

func (m *layout) measureList(w *walker) error {
	begin, err := w.token()
	if err != nil {
		return err
	}
	for w.dec.PeekKind() != ']' {
		e := placed{name: fmt.Sprintf("client-%d", len(m.entries))}
		if w.dec.PeekKind() != '{' {
			v, err := w.next()
			if err != nil {
				return err
			}
			e.name, e.extent = "", v.extent()
		} else if err := e.measure(w); err != nil {
			return err
		}
		m.entries = append(m.entries, e)
	}
	end, err := w.token()
	m.list = extent{begin.from, end.to}
	return err
}

func (e *placed) measure(w *walker) (err error) {
	e.extent, err = w.object(func(key value, name string) error {
		v, err := w.next()
		if s, ok := text(v); name == "name" && ok && s != "" {
			e.name = s
		}
		e.members = append(e.members, placedMember{name, key.extent(), v.extent()})
		return err
	})
	return err
}

// member is the one member with this name; ok is false when there is none, or more than one.
func (e *placed) member(name string) (found placedMember, ok bool) {
	is := func(m placedMember) bool { return m.name == name }
	i := slices.IndexFunc(e.members, is)
	if i < 0 || slices.ContainsFunc(e.members[i+1:], is) {
		return found, false
	}
	return e.members[i], true
}

func (e *placed) has(name string) bool {
	return slices.ContainsFunc(e.members, func(m placedMember) bool { return m.name == name })
}

// named are the entries that go by a name, by their place in the list.
func (m *layout) named(name string) (at []int) {
	for i := range m.entries {
		if m.entries[i].name == name {
			at = append(at, i)
		}
	}
	return at
}

// walker reads values with their places in the whole text.
type walker struct {
	dec     *jsontext.Decoder
	skipped int
}

// newWalker reads a text that stands at an offset of the whole one.
func newWalker(text []byte, at int) *walker {
	return &walker{skipped: at, dec: jsontext.NewDecoder(bytes.NewBuffer(text),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
}

func (v value) extent() extent { return extent{v.at, v.at + len(v.Value)} }

func (w *walker) next() (value, error) {
	raw, err := w.dec.ReadValue()
	return value{raw, int(w.dec.InputOffset()) - len(raw) + w.skipped}, err
}

// token reads a brace or bracket.
func (w *walker) token() (extent, error) {
	_, err := w.dec.ReadToken()
	to := int(w.dec.InputOffset()) + w.skipped
	return extent{to - 1, to}, err
}

// object reads an object; each reads the value of a member whose key was just read.
func (w *walker) object(each func(key value, name string) error) (extent, error) {
	begin, err := w.token()
	if err != nil {
		return begin, err
	}
	for w.dec.PeekKind() == '"' {
		key, err := w.next()
		if err != nil {
			return begin, err
		}
		name, _ := text(key)
		if err := each(key, name); err != nil {
			return begin, err
		}
	}
	end, err := w.token()
	return extent{begin.from, end.to}, err
}
