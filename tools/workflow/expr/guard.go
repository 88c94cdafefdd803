package expr

// Guard is a condition. The zero Guard never holds.
type Guard struct {
	root *condition
	text string
}

// ParseGuard parses a condition. Its errors are of type [*Error].
func ParseGuard(text string, roots Roots) (Guard, error) { return Guard{}, nil }

// Eval tells whether the guard holds. The error is an [*Unset]: the guard has no truth, which is to be taken for a no.
func (g Guard) Eval(env Env) (bool, error) { return false, nil }

// Paths are those that the guard reads, each once, in the order of the text.
func (g Guard) Paths() []Path { return nil }

// Comparison is a path and a literal that a guard compares.
type Comparison struct {
	Path    Path
	Op      string
	Literal any
}

// Compared are the comparisons of a path with a literal.
func (g Guard) Compared() []Comparison { return nil }

// IsZero tells whether this is the zero Guard.
func (g Guard) IsZero() bool { return g.root == nil }

// String is the guard in its canonical form.
func (g Guard) String() string { return g.text }

type condition struct{}
