package runner

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf16"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/store/digest"
)

// canonical is canonical JSON (RFC 8785) in the making. A move writes four values of the engine: each by the library, and
// then once more to make it canonical, cost more than to plan the move. What is rare in them is left to the library.
type canonical struct {
	text   []byte
	string func(string) string // what becomes of a string that is no name; nil: nothing
	depth  int
	err    error // the first
}

// encode is the canonical JSON of a value of the engine; an object where it is nil.
func encode(value any) (jsontext.Value, error) {
	const room = 64 // as much as most of a move's values take
	c := &canonical{text: make([]byte, 0, room)}
	c.value(value)
	return c.text, c.err
}

func (c *canonical) value(value any) {
	switch v := value.(type) {
	case map[string]any:
		c.object(v)
	case []any:
		c.array(v)
	case string:
		c.quote(v)
	case float64:
		c.float(v)
	case int:
		c.integer(int64(v))
	case int64:
		c.integer(v)
	case bool:
		c.text = strconv.AppendBool(c.text, v)
	case nil:
		c.text = append(c.text, "null"...)
	default:
		c.other(v)
	}
}

func (c *canonical) object(object map[string]any) {
	var room [16]string
	names := room[:0]
	plain := true
	for name := range object {
		names, plain = append(names, name), plain && ascii(name)
	}
	if plain {
		slices.Sort(names)
	} else {
		slices.SortFunc(names, asUTF16)
	}
	c.enter('{')
	for n, name := range names {
		c.name(n, name)
		c.value(object[name])
	}
	c.leave('}')
}

func (c *canonical) array(array []any) {
	c.enter('[')
	for n, value := range array {
		if n > 0 {
			c.text = append(c.text, ',')
		}
		c.value(value)
	}
	c.leave(']')
}

func (c *canonical) enter(bracket byte) {
	c.text = append(c.text, bracket)
	if c.depth++; c.depth > digest.MaxDepth {
		c.fail(fmt.Errorf("%w: nested deeper than %d", digest.ErrJSON, digest.MaxDepth))
	}
}

func (c *canonical) leave(bracket byte) {
	c.text = append(c.text, bracket)
	c.depth--
}

// name begins the member of an object with this position.
func (c *canonical) name(n int, name string) {
	if n > 0 {
		c.text = append(c.text, ',')
	}
	c.plain(name)
	c.text = append(c.text, ':')
}

func (c *canonical) quote(s string) {
	if c.string != nil {
		s = c.string(s)
	}
	c.plain(s)
}

func (c *canonical) plain(s string) {
	if digest.Verbatim(s) {
		c.text = append(c.text, '"')
		c.text = append(c.text, s...)
		c.text = append(c.text, '"')
		return
	}
	var err error
	c.text, err = jsontext.AppendQuote(c.text, s)
	c.fail(err)
}

// float writes whole numbers, which most are.
func (c *canonical) float(f float64) {
	if n := int64(f); math.Abs(f) < digest.MaxInteger && float64(n) == f {
		c.integer(n)
		return
	}
	c.other(f)
}

func (c *canonical) integer(n int64) {
	if n <= -digest.MaxInteger || n >= digest.MaxInteger {
		c.other(n)
		return
	}
	c.text = strconv.AppendInt(c.text, n, 10)
}

// other is what the library writes, and makes canonical.
func (c *canonical) other(value any) {
	raw, err := json.Marshal(value, json.Deterministic(true))
	if err == nil {
		raw, err = digest.Canonical(raw)
	}
	c.fail(err)
	c.text = append(c.text, raw...)
}

func (c *canonical) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// asUTF16 compares names as RFC 8785, 3.2.3, has them in order; without other letters than those of ASCII it is that of
// their bytes.
func asUTF16(a, b string) int {
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
