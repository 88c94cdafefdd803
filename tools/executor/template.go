package executor

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/tools"
)

// template is a text with places for the caller's arguments: {{ $.arguments.name }}. {{ "text" }} is that
// text, for braces that are meant as such. It is read once, at load; what is put into a place is never read
// as a template.
type template struct {
	parts []part // text and places by turns
}

// part is literal text, or a place.
type part struct {
	text string
	path *path // nil: text
}

const (
	opens  = "{{"
	closes = "}}"
)

// parseTemplate reads a template. The error has no subject.
func parseTemplate(text string) (template, error) {
	var t template
	for {
		before, rest, found := strings.Cut(text, opens)
		t.add(part{text: before})
		if !found {
			return t, nil
		}
		inner, after, closed := cutPlace(rest)
		if !closed {
			return t, fmt.Errorf("has a %s without its %s: write {{ \"{{\" }} for the braces themselves", opens, closes)
		}
		made, err := parsePlace(strings.TrimSpace(inner))
		if err != nil {
			return t, fmt.Errorf("has a place that cannot be filled: %w", err)
		}
		t.add(made)
		text = after
	}
}

// cutPlace finds the end of a place: braces within quotes do not end it.
func cutPlace(text string) (inner, after string, closed bool) {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch {
		case quoted && text[i] == '\\':
			i++
		case text[i] == '"':
			quoted = !quoted
		case !quoted && strings.HasPrefix(text[i:], closes):
			return text[:i], text[i+len(closes):], true
		}
	}
	return "", "", false
}

func parsePlace(inner string) (part, error) {
	if strings.HasPrefix(inner, `"`) {
		literal, err := jsontext.AppendUnquote(nil, inner)
		if err != nil {
			return part{}, errors.New("a text in quotes must be a JSON string")
		}
		return part{text: string(literal)}, nil
	}
	p, err := parsePath(inner)
	return part{path: &p}, err
}

// add keeps neighbouring texts in one part.
func (t *template) add(p part) {
	last := len(t.parts) - 1
	switch {
	case p.path == nil && p.text == "":
	case p.path == nil && last >= 0 && t.parts[last].path == nil:
		t.parts[last].text += p.text
	default:
		t.parts = append(t.parts, p)
	}
}

// literal tells whether there is no place in it.
func (t template) literal() bool {
	return len(t.parts) == 0 || len(t.parts) == 1 && t.parts[0].path == nil
}

// sole is the path of a template that is one place and nothing else.
func (t template) sole() *path {
	if len(t.parts) != 1 {
		return nil
	}
	return t.parts[0].path
}

// filling puts one caller's arguments into templates, within a budget: a template may name one argument many
// times.
type filling struct {
	arguments any
	left      int // bytes that may still be written
}

// maxFilled bounds what one answer grows to, in bytes.
const maxFilled = 4 << 20

func newFilling(raw jsontext.Value) (*filling, error) {
	f := &filling{left: maxFilled}
	if err := json.Unmarshal(raw, &f.arguments); err != nil {
		return nil, fmt.Errorf("arguments: %w", err)
	}
	return f, nil
}

func (f *filling) take(text string) (string, error) {
	if f.left -= len(text); f.left < 0 {
		return "", tools.Errorf(tools.CodeInvalidArguments, "the answer to these arguments would have more than %d MiB: send less", maxFilled>>20)
	}
	return text, nil
}

// text fills a template. What is not there shows as (name: unset), and null as (null).
func (f *filling) text(t template) (string, error) {
	if t.literal() {
		if len(t.parts) == 0 {
			return "", nil
		}
		return f.take(t.parts[0].text)
	}
	var b strings.Builder
	for _, p := range t.parts {
		text := p.text
		if p.path != nil {
			text = f.shown(*p.path)
		}
		text, err := f.take(text)
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

func (f *filling) shown(p path) string {
	v, found := p.of(f.arguments)
	switch v := v.(type) {
	case string:
		return v
	case nil:
		if !found {
			return "(" + p.last() + ": unset)"
		}
		return "(null)"
	}
	raw, _ := marshal(v) // it was read from JSON
	return string(raw)
}

func marshal(v any) (jsontext.Value, error) { return json.Marshal(v, json.Deterministic(true)) }
