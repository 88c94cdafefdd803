package tools

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Bounds of a call's arguments. What lies beyond is [ErrArguments].
const (
	MaxArgumentDepth  = 64
	MaxArgumentValues = 50_000
	maxExact          = 1 << 53 // beyond it, two integers may be one in another language
)

// arguments are a caller's, once they have been read: the text, and what it says, decoded or as members.
type arguments struct {
	text      jsontext.Value // an object, without blanks around it
	value     map[string]any
	members   []Member
	canonical bool // the text is the canonical form of the value (RFC 8785); false when that is not known
}

// readArguments takes a caller's raw arguments as a handler may have them: an object, `{}` for none, whose members mean
// the same to every reader. They are decoded, or their members found.
func readArguments(raw jsontext.Value, decoded bool) (arguments, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" || string(raw) == "{}" {
		return arguments{text: jsontext.Value("{}"), value: map[string]any{}, members: []Member{}, canonical: true}, nil
	}
	if kind := raw.Kind(); kind != '{' {
		return arguments{}, fmt.Errorf("%w: arguments must be an object, not %s", ErrArguments, kindName(kind))
	}
	given, err := read(raw, decoded)
	if err != nil {
		return arguments{}, fmt.Errorf("%w: %w", ErrArguments, err)
	}
	return given, nil
}

func kindName(k jsontext.Kind) string {
	switch k {
	case '[':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 't', 'f':
		return "a boolean"
	}
	return "this"
}

// explain words a decoder's error without the text that it stumbled over.
func explain(err error) error {
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return errors.New("a name stands twice in one object")
	}
	return errors.New("they are not valid JSON")
}

// exact is a number, unless it loses something on its way through a float64. What was written with an exponent is a
// float on purpose.
func exact(number string) (float64, error) {
	f, err := strconv.ParseFloat(number, 64)
	switch {
	case err != nil || math.IsInf(f, 0), f == 0 && hasDigits(number):
		return 0, errors.New("a number out of range")
	case math.Abs(f) < maxExact, strings.ContainsAny(number, "eE"):
		return f, nil
	case strings.TrimPrefix(number, "-") == strconv.Itoa(maxExact):
		return f, nil
	}
	return 0, errors.New("an integer beyond 2^53, write it as a string,")
}

// hasDigits tells whether a number is written as something else than zero, as 0.1e-99999 is.
func hasDigits(number string) bool {
	mantissa, _, _ := strings.Cut(strings.ToLower(number), "e")
	return strings.ContainsAny(mantissa, "123456789")
}
