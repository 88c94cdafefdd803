package tools

import (
	"bytes"
	"errors"
	"fmt"
	"io"
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

// arguments is a caller's raw arguments as a handler may have them: an object, `{}` for none, whose
// members mean the same to every reader.
func arguments(raw jsontext.Value) (jsontext.Value, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" || string(raw) == "{}" {
		return jsontext.Value("{}"), nil
	}
	if kind := raw.Kind(); kind != '{' {
		return nil, fmt.Errorf("%w: arguments must be an object, not %s", ErrArguments, kindName(kind))
	}
	if err := readable(raw); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrArguments, err)
	}
	return raw, nil
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

// readable refuses what readers could take for different things, or what is only there to cost
// memory. The decoder itself refuses duplicate names and invalid UTF-8 at any depth.
func readable(raw jsontext.Value) error {
	d := jsontext.NewDecoder(bytes.NewReader(raw))
	for values := 0; ; {
		token, err := d.ReadToken()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return explain(err)
		case d.StackDepth() == 0 && d.InputOffset() < int64(len(raw)):
			return errors.New("there is something after the object")
		case d.StackDepth() > MaxArgumentDepth:
			return fmt.Errorf("they nest deeper than %d", MaxArgumentDepth)
		}
		if values++; values > MaxArgumentValues {
			return fmt.Errorf("they hold more than %d names and values", MaxArgumentValues)
		}
		if token.Kind() == '0' {
			if err := exact(token.String()); err != nil {
				return fmt.Errorf("%w at %.200q", err, d.StackPointer())
			}
		}
	}
}

// explain words a decoder's error without the text that it stumbled over.
func explain(err error) error {
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return errors.New("a name stands twice in one object")
	}
	return errors.New("they are not valid JSON")
}

// exact refuses numbers that lose something on their way through a float64. What was written with an
// exponent is a float on purpose.
func exact(number string) error {
	f, err := strconv.ParseFloat(number, 64)
	switch {
	case err != nil || math.IsInf(f, 0), f == 0 && hasDigits(number):
		return errors.New("a number out of range")
	case math.Abs(f) < maxExact, strings.ContainsAny(number, "eE"):
		return nil
	case strings.TrimPrefix(number, "-") == strconv.Itoa(maxExact):
		return nil
	}
	return errors.New("an integer beyond 2^53, write it as a string,")
}

// hasDigits tells whether a number is written as something else than zero, as 0.1e-99999 is.
func hasDigits(number string) bool {
	mantissa, _, _ := strings.Cut(strings.ToLower(number), "e")
	return strings.ContainsAny(mantissa, "123456789")
}
