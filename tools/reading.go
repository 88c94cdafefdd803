package tools

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// reading is one pass over the text of an object: it refuses what readers could take for different things, or what is
// only there to cost memory, decodes the rest if that is wanted, and finds out whether the text is canonical already. The
// decoder itself refuses duplicate names and invalid UTF-8 at any depth.
type reading struct {
	text    bytes.Buffer // the decoder reads it where it stands
	decoder jsontext.Decoder
	decodes bool // else what there is to know of a value is where it stands
	values  int
	tight   int      // the bytes of the text without blanks
	plain   bool     // but for blanks, what was read is canonical
	members []Member // of the object itself, when it is not decoded
}

// Member is a member of a call's arguments as it stands in the text. It must not be changed.
type Member struct {
	Name  []byte // what it says, without quotes
	Value jsontext.Value
}

// readings are those that can be used again. Between two uses each reads an empty text.
var readings = sync.Pool{New: func() any {
	r := &reading{}
	r.decoder.Reset(&r.text)
	return r
}}

// maxReused bounds the texts whose reading, which grows with them, is used again.
const maxReused = 16 << 10

// read reads the text of an object: what it says, decoded or as members, and whether it is known to be canonical.
func read(raw jsontext.Value, decoded bool) (arguments, error) {
	r := readings.Get().(*reading)
	r.text = *bytes.NewBuffer(raw)
	r.decodes, r.values, r.tight, r.plain = decoded, 0, 0, true
	value, err := r.object(raw)
	if err == nil && r.decoder.InputOffset() < int64(len(raw)) {
		err = errors.New("there is something after the object")
	}
	given := arguments{text: raw, value: value, members: r.members, canonical: r.plain && r.tight == len(raw)}
	r.members = nil
	if len(raw) <= maxReused {
		r.text = bytes.Buffer{}
		r.decoder.Reset(&r.text)
		readings.Put(r)
	}
	return given, err
}

// count counts one token that is a name or a value, or ends one.
func (r *reading) count() error {
	if r.values++; r.values > MaxArgumentValues {
		return fmt.Errorf("they hold more than %d names and values", MaxArgumentValues)
	}
	return nil
}

// step reads the mark that begins or ends an object or a list.
func (r *reading) step() error {
	if _, err := r.decoder.ReadToken(); err != nil {
		return explain(err)
	}
	if r.decoder.StackDepth() > MaxArgumentDepth {
		return fmt.Errorf("they nest deeper than %d", MaxArgumentDepth)
	}
	r.tight++
	return r.count()
}

// object reads an object. raw is the text, for the one that is all of it; else nil.
func (r *reading) object(raw jsontext.Value) (map[string]any, error) {
	if err := r.step(); err != nil {
		return nil, err
	}
	var object map[string]any
	if r.decodes {
		object = map[string]any{}
	}
	n := 0
	for last := []byte(nil); more(r.decoder.PeekKind()); n++ {
		name, err := r.name()
		if err != nil {
			return nil, err
		}
		r.plain = r.plain && (n == 0 || bytes.Compare(last, name) < 0)
		last = name
		from := r.decoder.InputOffset()
		value, err := r.value()
		switch {
		case err != nil:
			return nil, err
		case r.decodes:
			object[string(name)] = value
		case raw != nil:
			stands := bytes.TrimLeft(raw[from:r.decoder.InputOffset()], " \t\r\n:")
			r.members = append(r.members, Member{name, stands})
		}
	}
	r.separated(n)
	return object, r.step()
}

func (r *reading) list() ([]any, error) {
	if err := r.step(); err != nil {
		return nil, err
	}
	list, n := []any{}, 0
	for ; more(r.decoder.PeekKind()); n++ {
		item, err := r.value()
		if err != nil {
			return nil, err
		}
		if r.decodes {
			list = append(list, item)
		}
	}
	r.separated(n)
	return list, r.step()
}

// more tells whether something stands before the end of an object or list. What ends the text instead, or cannot be
// read, is found by who reads it.
func more(next jsontext.Kind) bool { return next != '}' && next != ']' }

// separated counts the commas between so many.
func (r *reading) separated(n int) { r.tight += max(0, n-1) }

// name reads the name of a member. The canonical order is by UTF-16 code units (RFC 8785, 3.2.3): in ASCII that is the
// order of bytes.
func (r *reading) name() ([]byte, error) {
	raw, err := r.scalar()
	if err != nil {
		return nil, err
	}
	r.tight++ // the colon
	name, err := r.unquote(raw)
	for i := 0; i < len(name) && r.plain; i++ {
		r.plain = name[i] < utf8.RuneSelf
	}
	return name, err
}

func (r *reading) value() (any, error) {
	switch r.decoder.PeekKind() {
	case '{':
		return r.object(nil)
	case '[':
		return r.list()
	}
	raw, err := r.scalar()
	if err != nil {
		return nil, err
	}
	switch raw.Kind() {
	case '"':
		return r.string(raw)
	case '0':
		return r.number(raw)
	case 'n':
		return nil, nil
	}
	return raw.Kind() == 't', nil
}

// scalar reads what is neither object nor list. It stands in the text.
func (r *reading) scalar() (jsontext.Value, error) {
	raw, err := r.decoder.ReadValue()
	if err != nil {
		return nil, explain(err)
	}
	r.tight += len(raw)
	return raw, r.count()
}

func (r *reading) string(raw jsontext.Value) (any, error) {
	if !r.decodes {
		r.plain = r.plain && bytes.IndexByte(raw, '\\') < 0
		return nil, nil
	}
	text, err := r.unquote(raw)
	return string(text), err
}

// unquote is what a string says. One without escapes is canonical: what has to be escaped cannot stand in it.
func (r *reading) unquote(raw jsontext.Value) ([]byte, error) {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1], nil
	}
	r.plain = false
	text, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return nil, explain(err)
	}
	return text, nil
}

// number is a number. Of those that are written without sign, point and exponent, the short ones are canonical.
func (r *reading) number(raw jsontext.Value) (any, error) {
	f, err := exact(string(raw))
	if err != nil {
		return nil, fmt.Errorf("%w at %.200q", err, r.decoder.StackPointer())
	}
	const exactDigits = 15 // that every float64 of so many holds
	r.plain = r.plain && len(raw) <= exactDigits && !bytes.ContainsAny(raw, "-.eE")
	if !r.decodes {
		return nil, nil
	}
	return f, nil
}
