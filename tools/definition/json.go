package definition

import (
	"bytes"
	"errors"
	"io"
	"sort"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// parseJSON reads a file whose name says that it is JSON: YAML takes most of it, but neither tabs nor every
// escape.
func parseJSON(text []byte, b *budget) (*value, *fault) {
	j := &jsonReader{budget: b, d: jsontext.NewDecoder(bytes.NewReader(text)), text: text}
	for at := 0; ; at++ {
		next := bytes.IndexByte(text[at:], '\n')
		if next < 0 {
			break
		}
		at += next
		j.ends = append(j.ends, at)
	}
	v, f := j.read(1)
	if f != nil {
		return nil, f
	}
	after := j.next()
	if _, err := j.d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, unreadable(j.place(after), "there is something after the object")
	}
	return v, nil
}

// jsonReader turns tokens into values.
type jsonReader struct {
	*budget
	d    *jsontext.Decoder
	text []byte
	ends []int // offsets of the line ends
}

// place counts columns in bytes: on a line of megabytes characters would have to be counted again and again.
func (j *jsonReader) place(offset int) place {
	line := sort.SearchInts(j.ends, offset)
	begin := 0
	if line > 0 {
		begin = j.ends[line-1] + 1
	}
	return place{line: line + 1, column: offset - begin + 1}
}

// next is the offset at which the next token begins.
func (j *jsonReader) next() int {
	from := int(j.d.InputOffset())
	for from < len(j.text) && strings.IndexByte(" \t\r\n:,", j.text[from]) >= 0 {
		from++
	}
	return from
}

// token reads the next one, and where it begins.
func (j *jsonReader) token() (jsontext.Token, place, *fault) {
	from := j.next()
	t, err := j.d.ReadToken()
	if err != nil {
		return t, place{}, j.broken(err)
	}
	at := j.place(from)
	if !j.take(int(j.d.InputOffset()) - from) {
		return t, at, j.spent(at)
	}
	return t, at, nil
}

func (j *jsonReader) broken(err error) *fault {
	at := j.place(int(j.d.InputOffset()))
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		at = j.place(int(syntax.ByteOffset))
	}
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return &fault{at, DuplicateKey, "a name stands twice in one object"}
	case errors.Is(err, io.EOF) && len(bytes.TrimSpace(j.text)) == 0:
		return unreadable(start, "the file is empty")
	}
	return unreadable(at, "is not JSON")
}

func (j *jsonReader) read(depth int) (*value, *fault) {
	t, at, f := j.token()
	if f != nil {
		return nil, f
	}
	if depth > maxDepth {
		return nil, unreadable(at, "nests deeper than "+strconv.Itoa(maxDepth))
	}
	v := &value{place: at, kind: t.Kind()}
	switch v.kind {
	case '"', '0':
		v.text = t.String()
	case '[':
		return v, j.list(v, depth)
	case '{':
		return v, j.object(v, depth)
	}
	return v, nil
}

func (j *jsonReader) list(v *value, depth int) *fault {
	for j.d.PeekKind() != ']' {
		read, f := j.read(depth + 1)
		if f != nil {
			return f
		}
		v.items = append(v.items, read)
	}
	_, _, f := j.token()
	return f
}

func (j *jsonReader) object(v *value, depth int) *fault {
	for j.d.PeekKind() != '}' {
		name, at, f := j.token()
		if f != nil {
			return f
		}
		m := member{place: at, name: name.String()} // before the token's memory is used again
		if m.value, f = j.read(depth + 1); f != nil {
			return f
		}
		v.members = append(v.members, m)
	}
	_, _, f := j.token()
	return f
}
