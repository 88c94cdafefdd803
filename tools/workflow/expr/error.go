package expr

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// Error is a mistake in a source text. Errors of this package are pointers to it wherever a position exists.
type Error struct {
	Offset int    // of the mistake, in bytes from 0
	Text   string // what is wrong, without the position
	Scope  bool   // the path is well-formed, or nearly, but begins with a root that cannot be read here
}

func (e *Error) Error() string { return fmt.Sprintf("at %d: %s", e.Offset, e.Text) }

// checkText refuses what is not UTF-8, and tells where it begins.
func checkText(text string) error {
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if r == utf8.RuneError && size == 1 {
			return &Error{Offset: at, Text: "this is not UTF-8"}
		}
		at += size
	}
	return nil
}

// Operator is a mapping whose operator is not used as it must be.
type Operator struct {
	Name string
	Text string
}

func (e *Operator) Error() string { return e.Name + " " + e.Text }

// Unset is a path into the context that leads nowhere: what a guard that reads it cannot be judged by. A value
// that is null is there.
type Unset struct{ Path string }

func (u *Unset) Error() string { return u.Path + " is not set" }

// ErrLarge is the error of a mapping whose value would be larger than [MaxValues] or [MaxText] allow.
var ErrLarge = errors.New("the value would have more than 100,000 elements and members, or more than 4 MiB of text")

// The bounds of what is parsed and evaluated.
const (
	MaxSource = 10 << 10 // bytes of a guard, and of a path
	MaxDepth  = 64       // of parentheses and of not in a guard, and of operators in a mapping
	MaxNodes  = 1000     // conditions, operands and elements of lists in a guard; operators and operands in a mapping
	MaxSteps  = 32       // of a path

	MaxValues   = 100_000  // elements, members and the value itself that a mapping makes
	MaxText     = 4 << 20  // bytes of texts and names in that
	MaxRendered = 64 << 10 // bytes that [Template.Render] gives
)
