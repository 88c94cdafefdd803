package clients

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
)

// maxEntries bounds the entries of a file, good or bad.
const maxEntries = 1 << 20

// reader is one pass over the text of a clients file. The structure is read leniently and each entry
// strictly, so that bad text inside one entry is that entry's problem alone.
type reader struct {
	cfg       *Config
	catalogue Catalogue
	now       time.Time
	report    *Report
	build     *builder
	source    source
	where     string // what the problems are problems of: the file, or a variable
	text      []byte // the source's, without a byte order mark
	skipped   int    // bytes of the byte order mark
	places    places
	dec       *jsontext.Decoder
	utf8      bool // the whole text is valid
	allows    map[string]allowance
	lists     map[string]uint32
	rates     map[string]auth.Rate // by how they are written
	odd       map[string]bool      // unknown members that were reported
	refused   int                  // entries that are out and left no row
	scratch   entry                // the one being read
	windows   []window             // room for those of its tokens
}

func newReader(cfg *Config, catalogue Catalogue, now time.Time, src source, report *Report) *reader {
	text := bytes.TrimPrefix(src.text, []byte("\ufeff"))
	return &reader{
		cfg: cfg, catalogue: catalogue, now: now, report: report, build: newBuilder(text),
		source: src, where: src.path, text: text, skipped: len(src.text) - len(text),
		places: places{text: src.text}, utf8: utf8.Valid(text),
		allows: map[string]allowance{}, lists: map[string]uint32{}, rates: map[string]auth.Rate{}, odd: map[string]bool{},
		dec: jsontext.NewDecoder(bytes.NewBuffer(text),
			jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)),
	}
}

// value is the text of one JSON value and where it begins.
type value struct {
	jsontext.Value
	at int
}

// next reads the next value whole.
func (r *reader) next() (value, error) {
	raw, err := r.dec.ReadValue()
	return value{raw, int(r.dec.InputOffset()) - len(raw)}, err
}

// file reads the document: one object with one list of clients, and nothing after it.
func (r *reader) file() *failure {
	if len(bytes.TrimSpace(r.text)) == 0 {
		return &failure{NotJSON, r.skipped, "not JSON: the file is empty"}
	}
	if kind := r.dec.PeekKind(); kind != '{' {
		return r.notObject()
	}
	_, _ = r.dec.ReadToken()
	seen := false
	for r.dec.PeekKind() == '"' {
		name, err := r.next()
		if err != nil {
			return r.broken(err)
		}
		member, _ := text(name)
		if member == "clients" && seen {
			return &failure{TwoLists, name.at + r.skipped, "clients stands twice"}
		}
		if f := r.root(member, name); f != nil {
			return f
		}
		seen = seen || member == "clients"
	}
	return r.end(seen)
}

// notObject tells text that is no JSON from JSON of the wrong kind.
func (r *reader) notObject() *failure {
	root, err := r.next()
	if err != nil {
		return r.broken(err)
	}
	return &failure{NotObject, root.at + r.skipped, "the root is not an object"}
}

// root reads one member of the root.
func (r *reader) root(member string, name value) *failure {
	if member == "clients" {
		return r.entries()
	}
	r.warnUnknown(nil, member, name.at)
	if err := r.dec.SkipValue(); err != nil {
		return r.broken(err)
	}
	return nil
}

// end reads the closing brace, and sees to it that nothing follows.
func (r *reader) end(seen bool) *failure {
	if _, err := r.dec.ReadToken(); err != nil {
		return r.broken(err)
	}
	if _, err := r.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return &failure{NotJSON, int(r.dec.InputOffset()) + r.skipped, "not JSON: something follows the end of the root object"}
	}
	if !seen {
		r.problem(nil, -1, NobodyListed, "there is no clients member: the file admits nobody")
	}
	return nil
}

// entries reads the list.
func (r *reader) entries() *failure {
	if kind := r.dec.PeekKind(); kind != '[' {
		v, err := r.next()
		if err != nil {
			return r.broken(err)
		}
		return &failure{NotList, v.at + r.skipped, "clients is not a list"}
	}
	_, _ = r.dec.ReadToken()
	for i := 0; ; i++ {
		switch kind := r.dec.PeekKind(); {
		case kind == ']':
			_, _ = r.dec.ReadToken()
			return nil
		case i == maxEntries:
			return &failure{FileTooLarge, -1, fmt.Sprintf("more than %d entries", maxEntries)}
		default:
			if err := r.element(i, kind); err != nil {
				return r.broken(err)
			}
		}
	}
}

// element reads one entry of the list, whatever it is.
func (r *reader) element(index int, kind jsontext.Kind) error {
	if kind == '{' {
		return r.entry(index)
	}
	v, err := r.next()
	if err == nil {
		r.refused++
		r.problem(&entry{index: index}, v.at, EntryNotObject, "the entry is not an object")
	}
	return err
}

// broken is the failure of text that is not JSON. It says where, and nothing of what stands there.
func (r *reader) broken(err error) *failure {
	at := int(r.dec.InputOffset())
	if syntax := (*jsontext.SyntacticError)(nil); errors.As(err, &syntax) {
		at = int(syntax.ByteOffset)
	}
	at = min(at, len(r.text)) + r.skipped
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return &failure{NotJSON, at, "not JSON: the file ends too early"}
	}
	return &failure{NotJSON, at, "not JSON: unexpected text"}
}

// problem notes a problem of an entry (nil: of the file) at an offset (negative: nowhere).
func (r *reader) problem(e *entry, at int, code Code, format string, args ...any) {
	p := Problem{Code: code, File: r.where, Entry: -1, Text: fmt.Sprintf(format, args...)}
	if at >= 0 {
		p.Line, p.Column = r.places.at(at + r.skipped)
	}
	if e != nil {
		p.Entry, p.Client = e.index, r.nameFor(e)
	}
	r.report.note(p)
}

// text is the string that a value is. A value of another type is none, nor one with text that is not
// Unicode: two different spellings of the same nonsense would become one name.
func text(v value) (string, bool) {
	var buf [128]byte
	s, ok := appendText(buf[:0], v)
	return string(s), ok
}

// appendText appends what text gives.
func appendText(dst []byte, v value) ([]byte, bool) {
	if v.Kind() != '"' {
		return dst, false
	}
	dst, err := jsontext.AppendUnquote(dst, v.Value)
	return dst, err == nil
}
