package expr

import (
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Template is a text with places for values: {{ $.context.name }}. {{ "text" }} is that text, for braces that are
// meant as such. It is read once; what is put into a place is never read as a template. The zero Template renders to
// nothing.
type Template struct {
	text  string
	parts []part // texts and places; no two texts in a row
}

// part is a text, or a place when it has a path.
type part struct {
	text string
	path Path
}

const (
	opens  = "{{"
	closes = "}}"
)

// ParseTemplate parses a template whose paths begin with one of these roots. Its errors are of type [*Error].
func ParseTemplate(text string, roots Roots) (Template, error) {
	if err := checkText(text); err != nil {
		return Template{}, err
	}
	t := Template{text: text}
	for at := 0; ; {
		before, _, found := strings.Cut(text[at:], opens)
		t.add(part{text: before})
		if !found {
			return t, nil
		}
		at += len(before)
		made, end, err := scanPlace(text, at, roots)
		if err != nil {
			return Template{}, err
		}
		t.add(made)
		at = end
	}
}

// scanPlace takes a place off text, of which it begins at a position.
func scanPlace(text string, at int, roots Roots) (part, int, error) {
	var made part
	var end int
	var err error
	if inner := skip(text, at+len(opens)); strings.HasPrefix(text[inner:], `"`) {
		var ok bool
		made.text, end, ok = cutString(text[inner:])
		if end += inner; !ok {
			err = &Error{Offset: inner, Text: "a text in quotes must be a JSON string"}
		}
	} else {
		made.path, end, err = scanPath(text, inner, roots, false)
	}
	if err == nil {
		end = skip(text, end)
		if strings.HasPrefix(text[end:], closes) {
			return made, end + len(closes), nil
		}
		err = misplaced(made, end)
	}
	if !strings.Contains(text[at:], closes) {
		err = &Error{Offset: at, Text: `a {{ without its }}: write {{ "{{" }} for the braces themselves`}
	}
	return part{}, 0, err
}

// misplaced says what is wrong with more in a place than fits.
func misplaced(made part, at int) error {
	if made.path.IsZero() {
		return &Error{Offset: at, Text: "a text in quotes must be a JSON string, with nothing behind it"}
	}
	return misstep(at)
}

// skip is the position of what is no blank.
func skip(text string, at int) int {
	return len(text) - len(strings.TrimLeft(text[at:], " \t\r\n"))
}

// add keeps neighbouring texts in one part.
func (t *Template) add(p part) {
	last := len(t.parts) - 1
	switch {
	case p.path.IsZero() && p.text == "":
	case p.path.IsZero() && last >= 0 && t.parts[last].path.IsZero():
		t.parts[last].text += p.text
	default:
		t.parts = append(t.parts, p)
	}
}

// IsZero tells whether it renders to nothing whatever the Env.
func (t Template) IsZero() bool { return len(t.parts) == 0 }

// String is the source.
func (t Template) String() string { return t.text }

// Paths are those of its places, each once.
func (t Template) Paths() []Path {
	var found unique
	for _, p := range t.parts {
		found.add(p.path)
	}
	return found
}

// Literal is the text of a template without places, and false for others.
func (t Template) Literal() (string, bool) {
	if len(t.parts) == 1 && t.parts[0].path.IsZero() {
		return t.parts[0].text, true
	}
	return "", t.IsZero()
}

// Sole is the path of a template that is one place and nothing else, and false for others.
func (t Template) Sole() (Path, bool) {
	if len(t.parts) != 1 {
		return Path{}, false
	}
	return t.parts[0].path, !t.parts[0].path.IsZero()
}

// Render fills the places: texts as they are, other values as JSON, null as (null), and (name: unset) for a path that
// leads nowhere, with the last step of that path. The result has at most [MaxRendered] bytes: what is longer is cut
// and ends in an ellipsis.
func (t Template) Render(env Env) string {
	text, _ := t.RenderWithin(env, MaxRendered)
	return text
}

// RenderWithin is Render with another bound, and false when the text was cut.
func (t Template) RenderWithin(env Env, limit int) (string, bool) {
	if text, ok := t.Literal(); ok {
		return cut(text, limit)
	}
	if path, ok := t.Sole(); ok {
		return cut(shown(&path, &env), limit)
	}
	var b strings.Builder
	for i := range t.parts {
		text := t.parts[i].text
		if path := &t.parts[i].path; !path.IsZero() {
			text = shown(path, &env)
		}
		if b.Len()+len(text) > limit {
			return cut(b.String()+text, limit)
		}
		b.WriteString(text)
	}
	return b.String(), true
}

// cut shortens a text to a limit in bytes, without leaving half a character, and is false if it had to.
func cut(text string, limit int) (string, bool) {
	const ellipsis = "…"
	if len(text) <= limit {
		return text, true
	}
	if limit < len(ellipsis) {
		return "", false
	}
	limit -= len(ellipsis)
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit] + ellipsis, false
}

func shown(path *Path, env *Env) string {
	v, there := path.of(env)
	if !there {
		return "(" + path.last() + ": unset)"
	}
	if v == nil {
		return "(null)"
	}
	return textOf(v)
}

// textOf is a text as it is, and any other value as JSON with its members in order.
func textOf(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	raw, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return "null" // no JSON, which an Env does not hold
	}
	return string(raw)
}
