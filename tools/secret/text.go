package secret

import "errors"

// Text is a value of a connection: what stands in it literally, and references to secrets.
type Text struct {
	written string
	parts   []part
}

type part struct {
	kind string // "" for a literal
	text string // the literal, the name of the variable, the path of the file
}

// Parse reads a text.
func Parse(text string) (Text, error) { return Text{}, errors.New("not there yet") }

// String is the text as it was written: secrets stand in it by name.
func (t Text) String() string { return t.written }

// Names are the references in it, each once, in order: "env:TOKEN", "file:/run/secrets/token".
func (t Text) Names() []string { return nil }

// IsLiteral tells that there is no reference in it.
func (t Text) IsLiteral() bool { return len(t.Names()) == 0 }
