package secret

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Text is a value of a connection: what stands in it literally, and references to secrets. `${env:NAME}` is a variable
// of the server's environment, `${file:/path}` the content of a file, `$${` a literal `${`. The zero Text is empty.
type Text struct {
	written string
	parts   []part
}

type part struct {
	kind string // kindEnv or kindFile; "": a literal
	text string // the name of the variable, the path of the file; the literal
}

const (
	kindEnv  = "env"
	kindFile = "file"
)

// Parse reads a text. It looks neither at the environment nor at files, so that what it accepts may still be missing
// when it is used.
func Parse(text string) (Text, error) {
	t := Text{written: text}
	var literal strings.Builder
	for rest := text; ; {
		at := strings.Index(rest, "${")
		if at < 0 {
			literal.WriteString(rest)
			t.literal(&literal)
			return t, nil
		}
		if at > 0 && rest[at-1] == '$' {
			literal.WriteString(rest[:at-1] + "${")
			rest = rest[at+2:]
			continue
		}
		literal.WriteString(rest[:at])
		t.literal(&literal)
		inside, after, closed := strings.Cut(rest[at+2:], "}")
		if !closed {
			return Text{}, errors.New(`"${" without "}": write "$${" for a literal "${"`)
		}
		p, err := reference(inside)
		if err != nil {
			return Text{}, err
		}
		t.parts = append(t.parts, p)
		rest = after
	}
}

// literal takes what was collected as a part.
func (t *Text) literal(b *strings.Builder) {
	if b.Len() > 0 {
		t.parts = append(t.parts, part{text: b.String()})
		b.Reset()
	}
}

func reference(inside string) (part, error) {
	kind, name, _ := strings.Cut(inside, ":")
	p := part{kind: kind, text: name}
	switch kind {
	case kindEnv:
		return p, checkVariable(name)
	case kindFile:
		return p, checkPath(name)
	case "secret":
		return part{}, fmt.Errorf("${%s}: ${secret:NAME} is not there yet; use ${env:NAME} or ${file:/path}", inside)
	}
	return part{}, fmt.Errorf(`${%s} is neither ${env:NAME} nor ${file:/path}: write "$${" for a literal "${"`, inside)
}

// checkVariable keeps the server's own settings out of reach: they hold its credentials.
func checkVariable(name string) error {
	for i, r := range []byte(name) {
		letter := r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return fmt.Errorf("${env:%s}: a name has letters, digits and _ only", name)
		}
	}
	upper := strings.ToUpper(name)
	switch {
	case name == "":
		return errors.New("${env:} names no variable")
	case strings.HasPrefix(upper, "MCP_"), strings.HasPrefix(upper, "PRAX_"):
		return fmt.Errorf("${env:%s}: the variables of the server itself, MCP_* and PRAX_*, go to nobody", name)
	}
	return nil
}

func checkPath(path string) error {
	switch {
	case strings.IndexByte(path, 0) >= 0:
		return errors.New("${file:}: NUL in the path")
	case !filepath.IsAbs(path):
		return fmt.Errorf("${file:%s}: the path must be absolute", path)
	}
	return nil
}

// String is the text as it was written: secrets stand in it by name.
func (t Text) String() string { return t.written }

// Names are the references in it, each once, in order: "env:TOKEN", "file:/run/secrets/token".
func (t Text) Names() []string {
	var names []string
	for _, p := range t.parts {
		if p.kind == "" {
			continue
		}
		if name := p.kind + ":" + p.text; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// IsLiteral tells that there is no reference in it. What it resolves to is not [Text.String] even then: `$${` is in it
// as it was written.
func (t Text) IsLiteral() bool {
	return !slices.ContainsFunc(t.parts, func(p part) bool { return p.kind != "" })
}
