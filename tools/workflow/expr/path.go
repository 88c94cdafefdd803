package expr

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Path leads to a value. The zero Path leads nowhere.
type Path struct {
	text  string // canonical
	root  Roots
	field byte // of the root Workflow: i, s or v
	steps []step
}

// step is a member's name, or a position when it is a number.
type step struct {
	name  string
	index int  // of the name as a number, -1 when it is none
	each  bool // [*]
}

// ParsePath parses a path that begins with one of these roots, and without [*]. Its errors are of type [*Error].
func ParsePath(text string, roots Roots) (Path, error) {
	return parsePath(text, roots, false)
}

func parsePath(text string, roots Roots, each bool) (Path, error) {
	if len(text) > MaxSource {
		return Path{}, tooLong()
	}
	p, end, err := scanPath(text, 0, roots, each)
	if err != nil {
		return Path{}, err
	}
	if end < len(text) {
		return Path{}, misstep(end)
	}
	return p, nil
}

func tooLong() *Error {
	return &Error{Offset: MaxSource, Text: fmt.Sprintf("longer than %d bytes", MaxSource)}
}

func misstep(at int) *Error {
	const steps = "names of letters, digits, _ and - after dots, or numbers and quoted names in brackets"
	return &Error{Offset: at, Text: "the steps of a path must be " + steps}
}

// scanPath takes a path off text at a position, and tells where it ends.
func scanPath(text string, at int, roots Roots, each bool) (Path, int, error) {
	p, end, err := scanRoot(text, at, roots)
	if err != nil {
		return Path{}, 0, err
	}
	for end < len(text) && (text[end] == '.' || text[end] == '[') {
		s, next, err := scanStep(text, end)
		switch {
		case err != nil:
			return Path{}, 0, err
		case s.each && !each:
			return Path{}, 0, &Error{Offset: end, Text: "[*] belongs in a mapping only"}
		case p.root == Workflow:
			return Path{}, 0, &Error{Offset: end, Text: p.text + " has nothing within"}
		case len(p.steps) == MaxSteps:
			return Path{}, 0, &Error{Offset: end, Text: fmt.Sprintf("a path has more than %d steps", MaxSteps)}
		}
		p.steps, end = append(p.steps, s), next
	}
	p.text = p.spell()
	return p, end, nil
}

// scanRoot takes a root that can be read here off text.
func scanRoot(text string, at int, roots Roots) (Path, int, error) {
	rest := text[at:]
	for _, s := range spelled {
		after, found := strings.CutPrefix(rest, s.text)
		if r, _ := utf8.DecodeRuneInString(after); !found || roots&s.root == 0 || inName(r) {
			continue
		}
		p := Path{text: s.text, root: s.root}
		if s.root == Workflow {
			p.field = s.text[len("$.workflow.")]
		}
		return p, at + len(s.text), nil
	}
	if bare(rest) && roots&Output != 0 {
		return Path{text: "$.output", root: Output}, at + 1, nil
	}
	return Path{}, 0, &Error{Offset: at, Text: fmt.Sprintf("%q must begin with %s", beginning(rest), roots), Scope: true}
}

// beginning is so much of a text as seems meant to be one path, and fits into a message.
func beginning(text string) string {
	const most = 60
	for i, r := range text {
		if i >= most || r != '$' && r != '.' && !inName(r) {
			return text[:i]
		}
	}
	return text
}

// bare tells whether a $ stands by itself, for the whole output.
func bare(rest string) bool {
	after, found := strings.CutPrefix(rest, "$")
	if !found || after == "" || after[0] == '[' {
		return found
	}
	r, _ := utf8.DecodeRuneInString(after)
	return r != '.' && r != '$' && !inName(r)
}

// scanStep takes a step off text: .name, .0, [0], [*] or ["any name"].
func scanStep(text string, at int) (step, int, error) {
	if text[at] == '[' {
		return scanBracket(text, at)
	}
	end := at + 1
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		if !inName(r) {
			break
		}
		end += size
	}
	if end == at+1 {
		return step{}, 0, misstep(at)
	}
	return named(text[at+1 : end]), end, nil
}

func scanBracket(text string, at int) (step, int, error) {
	inner := text[at+1:]
	if inner != "" && (inner[0] == '"' || inner[0] == '\'') {
		name, size, ok := cutName(inner)
		if !ok || size == len(inner) || inner[size] != ']' {
			return step{}, 0, &Error{Offset: at, Text: "a name in brackets must be a JSON string, or between ' marks, with ] after it"}
		}
		return named(name), at + 1 + size + 1, nil
	}
	number, _, found := strings.Cut(inner, "]")
	if found && number == "*" {
		return step{each: true, name: "*", index: -1}, at + len("[*]"), nil
	}
	s := named(number)
	if !found || s.index < 0 {
		return step{}, 0, &Error{Offset: at, Text: "a path must have a number between its brackets, or a name in quotes"}
	}
	return s, at + len(number) + len("[]"), nil
}

// cutName reads a name in quotes at the beginning of text, and tells how long it is there.
func cutName(text string) (name string, size int, ok bool) {
	if text[0] == '\'' {
		name, _, ok = strings.Cut(text[1:], "'")
		return name, len(name) + 2, ok && utf8.ValidString(name)
	}
	return cutString(text)
}

// cutString reads a JSON string at the beginning of text.
func cutString(text string) (value string, size int, ok bool) {
	for end := 1; end < len(text); end++ {
		switch text[end] {
		case '\\':
			end++
		case '"':
			b, err := jsontext.AppendUnquote(nil, text[:end+1])
			return string(b), end + 1, err == nil
		}
	}
	return "", 0, false
}

func named(name string) step {
	s := step{name: name, index: -1}
	if n, err := strconv.Atoi(name); err == nil && n >= 0 && strconv.Itoa(n) == name {
		s.index = n
	}
	return s
}

func inName(r rune) bool {
	return r == '_' || r == '-' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

// spell writes the path in its canonical form. The text is the root when it begins.
func (p *Path) spell() string {
	var b strings.Builder
	b.WriteString(p.text)
	for _, s := range p.steps {
		switch {
		case s.each, s.index >= 0:
			b.WriteString("[" + s.name + "]")
		case s.name != "" && !strings.ContainsFunc(s.name, func(r rune) bool { return !inName(r) }):
			b.WriteString("." + s.name)
		default:
			quoted, _ := jsontext.AppendQuote(nil, s.name) // it is UTF-8
			b.WriteString("[" + string(quoted) + "]")
		}
	}
	return b.String()
}

// String is the path in its canonical form: it parses to a path that is the same in all respects.
func (p Path) String() string { return p.text }

// IsZero tells whether this is the zero Path.
func (p Path) IsZero() bool { return p.root == 0 }

// Root is the root that the path begins with; none for the zero Path.
func (p Path) Root() Roots { return p.root }

// Slot is the member of the context that the path leads into: "" when it begins elsewhere, or means the whole context.
func (p Path) Slot() string {
	if p.root != Context || len(p.steps) == 0 || p.steps[0].each {
		return ""
	}
	return p.steps[0].name
}

// Steps are the names and numbers after the root; * for [*].
func (p Path) Steps() []string {
	names := make([]string, len(p.steps))
	for i, s := range p.steps {
		names[i] = s.name
	}
	return names
}

// last is the step that the path ends in.
func (p Path) last() string {
	if len(p.steps) > 0 {
		return p.steps[len(p.steps)-1].name
	}
	return p.text[strings.LastIndexByte(p.text, '.')+1:]
}

// Of is the value that the path leads to, and false when it leads nowhere. The value is shared with the Env.
func (p Path) Of(env Env) (any, bool) { return p.of(&env) }

func (p *Path) of(env *Env) (any, bool) {
	switch p.root {
	case Context:
		return follow(env.Context, p.steps)
	case Arguments:
		return follow(env.Arguments, p.steps)
	case Input:
		return follow(env.Input, p.steps)
	case Answers:
		return follow(env.Answers, p.steps)
	case Output:
		return follow(env.Output, p.steps)
	case Workflow:
		return env.workflow(p.field), true
	}
	return nil, false
}

func (env *Env) workflow(field byte) any {
	switch field {
	case 'i':
		return env.ID
	case 's':
		return env.State
	}
	return float64(env.Version)
}

// follow goes the steps from a value on. A [*] gives null for each element in which the rest leads nowhere.
func follow(v any, steps []step) (any, bool) {
	for i, s := range steps {
		switch inner := v.(type) {
		case map[string]any:
			next, ok := inner[s.name]
			if !ok || s.each {
				return nil, false
			}
			v = next
		case []any:
			if s.each {
				return project(inner, steps[i+1:]), true
			}
			if s.index < 0 || s.index >= len(inner) {
				return nil, false
			}
			v = inner[s.index]
		default:
			return nil, false
		}
	}
	return v, true
}

func project(list []any, steps []step) []any {
	found := make([]any, len(list))
	for i, one := range list {
		found[i], _ = follow(one, steps)
	}
	return found
}
