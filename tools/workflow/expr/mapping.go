package expr

// Mapping makes a value. The zero Mapping makes null.
type Mapping struct{ literal any }

// ParseMapping reads a decoded JSON value as a mapping.
func ParseMapping(value any, roots Roots) (Mapping, error) { return Mapping{literal: value}, nil }

// Eval makes the value.
func (m Mapping) Eval(env Env) (any, error) { return m.literal, nil }

// Paths are those that the mapping reads.
func (m Mapping) Paths() []Path { return nil }

// Literal is the value that it always makes, and false when it depends on something.
func (m Mapping) Literal() (any, bool) { return m.literal, true }
