package workflow

import (
	"errors"
	"math"
	"strconv"

	"prax/store/digest"
)

// MaxData bounds the context, the input and the arguments of one move, each, in bytes of canonical JSON.
const MaxData = 1 << 20

// Why a value cannot be kept.
var (
	errHeavy = errors.New("larger than 1 MiB as JSON")
	errDeep  = errors.New("nested deeper than 64")
	errNaN   = errors.New("a number that JSON does not have")
)

// weigh tells whether a value, as canonical JSON, has at most this many bytes and can be stored at all. It stops
// early, so that what shares its parts a thousand times costs no more than the limit.
func weigh(value any, limit int) error {
	_, err := weighDown(value, limit, 1)
	return err
}

// weighDown is what is left of a number of bytes after a value. An object nests one deeper than what is in it.
func weighDown(value any, left, depth int) (int, error) {
	switch v := value.(type) {
	case map[string]any:
		return weighObject(v, left, depth)
	case []any:
		return weighList(v, left, depth)
	case string:
		return spend(left, stringSize(v, left))
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, errNaN
		}
		return spend(left, numberSize(v))
	}
	if value == false {
		return spend(left, len("false"))
	}
	return spend(left, len("true")) // or null
}

func spend(left, n int) (int, error) {
	if n > left {
		return 0, errHeavy
	}
	return left - n, nil
}

func weighObject(object map[string]any, left, depth int) (int, error) {
	if depth > digest.MaxDepth {
		return 0, errDeep
	}
	left, err := spend(left, len("{}")-min(len(object), 1)) // the last has no comma
	for name, member := range object {
		if err != nil {
			return 0, err
		}
		if left, err = spend(left, stringSize(name, left)+len(`:,`)); err == nil {
			left, err = weighDown(member, left, depth+1)
		}
	}
	return left, err
}

func weighList(list []any, left, depth int) (int, error) {
	if depth > digest.MaxDepth {
		return 0, errDeep
	}
	left, err := spend(left, len("[]")+max(len(list)-1, 0))
	for _, item := range list {
		if err != nil {
			return 0, err
		}
		left, err = weighDown(item, left, depth+1)
	}
	return left, err
}

// stringSize is the size of a text in JSON, or more than limit.
func stringSize(s string, limit int) int {
	n := len(s) + len(`""`)
	if n > limit {
		return n
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"', c == '\\', c == '\b', c == '\f', c == '\n', c == '\r', c == '\t':
			n++
		case c < ' ':
			n += len(`\u0000`) - 1
		}
	}
	return n
}

func numberSize(f float64) int {
	if i := int64(f); float64(i) == f && -1e6 < f && f < 1e6 {
		return smallSize(i)
	}
	var buf [32]byte
	format := byte('f')
	if a := math.Abs(f); a >= 1e21 || a < 1e-6 {
		format = 'e'
	}
	return len(strconv.AppendFloat(buf[:0], f, format, -1, 64))
}

func smallSize(i int64) int {
	n := 1
	if i < 0 {
		i, n = -i, 2
	}
	for ; i >= 10; i /= 10 {
		n++
	}
	return n
}
