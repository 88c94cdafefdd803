package digest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxDepth is how deep arrays and objects may nest.
const MaxDepth = 64

// MaxInteger is the largest integer that every JSON reader keeps exactly (RFC 8785 3.2.2.3,
// RFC 7493 2.2); its negative is the smallest.
const MaxInteger = 1 << 53

// ErrJSON is wrapped by every error of [Check] and what builds on it.
var ErrJSON = errors.New("not acceptable JSON")

// Canonical is the one spelling of a JSON text (RFC 8785). It refuses what [Check] refuses, but for an
// integer beyond ±2^53 that has the very digits which the form gives a double: 1e20 becomes such a one
// (3.2.2.3), and the form of a form has to be itself. It leaves raw as it was.
func Canonical(raw []byte) ([]byte, error) {
	if spelled, plain := order(raw); plain {
		return spelled, nil
	}
	return spell(raw)
}

// spell is Canonical for any text.
func spell(raw []byte) ([]byte, error) {
	if err := check(raw, checkSpelled); err != nil {
		return nil, err
	}
	v := jsontext.Value(bytes.Clone(raw))
	if err := v.Canonicalize(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrJSON, err)
	}
	return v, nil
}

// Sum is the SHA-256 of the canonical form in lower-case hex.
func Sum(raw []byte) (string, error) {
	canonical, err := Canonical(raw)
	if err != nil {
		return "", err
	}
	return Hex(canonical), nil
}

// Hex is the SHA-256 of these very bytes in lower-case hex.
func Hex(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Check accepts one JSON value that two readers cannot understand differently: valid UTF-8, no
// name twice in an object, no number that a double does not hold (an integer beyond ±2^53, or a
// magnitude out of range), nested at most MaxDepth deep. The error names the place by JSON Pointer.
func Check(raw []byte) error {
	if IsCanonical(raw) { // as most small objects are
		return nil
	}
	return check(raw, checkNumber)
}

// checker reads JSON. It is used again: a decoder is larger than most of what is read.
type checker struct {
	from bytes.Buffer
	json *jsontext.Decoder
}

var checkers = sync.Pool{New: func() any {
	c := &checker{}
	c.json = jsontext.NewDecoder(&c.from)
	return c
}}

// keptBytes is how long a text may be whose checker is used again: what it has grown to is kept with it.
const keptBytes = 64 << 10

func check(raw []byte, number func(string) error) error {
	c := checkers.Get().(*checker)
	c.from = *bytes.NewBuffer(raw)
	c.json.Reset(&c.from)
	err := c.read(number)
	if len(raw) <= keptBytes {
		c.from = bytes.Buffer{}
		c.json.Reset(&c.from)
		checkers.Put(c)
	}
	return err
}

// read reads one value, and nothing after it.
func (c *checker) read(number func(string) error) error {
	d := c.json
	for {
		token, err := d.ReadToken()
		if err != nil {
			return fmt.Errorf("%w: %w", ErrJSON, unexpectedEnd(err))
		}
		if d.StackDepth() > MaxDepth {
			return fmt.Errorf("%w: nested deeper than %d", ErrJSON, MaxDepth)
		}
		if token.Kind() == '0' {
			f, err := token.Float()
			if err != nil || math.Abs(f) >= MaxInteger { // others say what they say, however they are spelled
				err = number(token.String())
			}
			if err != nil {
				return fmt.Errorf("%w: at %q: %w", ErrJSON, d.StackPointer(), err)
			}
		}
		if d.StackDepth() == 0 {
			break
		}
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: something after the value", ErrJSON)
	}
	return nil
}

func unexpectedEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func checkNumber(s string) error {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(f, 0) {
		return errors.New("number out of range")
	}
	if math.Abs(f) < MaxInteger {
		return nil
	}
	// At 2^53 and beyond a literal may have been rounded: only what was written with an exponent
	// is a float on purpose.
	if strings.ContainsAny(s, "eE") {
		return nil
	}
	if s == "9007199254740992" || s == "-9007199254740992" {
		return nil
	}
	return errors.New("integer beyond ±2^53")
}

// checkSpelled lets through what [Canonical] itself writes, too. Of the integers that a double rounds to
// the same it is one alone, so that no two of them get one form.
func checkSpelled(s string) error {
	err := checkNumber(s)
	if f, failed := strconv.ParseFloat(s, 64); failed == nil && jsontext.Float(f).String() == s {
		return nil
	}
	return err
}
