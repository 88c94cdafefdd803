package schema

import (
	"fmt"
	"strconv"
	"strings"
)

var escaper = strings.NewReplacer("~", "~0", "/", "~1")

var unescaper = strings.NewReplacer("~1", "/", "~0", "~")

// escape writes one reference token of a JSON Pointer (RFC 6901 3).
func escape(token string) string { return escaper.Replace(token) }

// lookup is the value at a JSON Pointer.
func lookup(v any, pointer string) (any, bool) {
	if pointer == "" {
		return v, true
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		switch inner := v.(type) {
		case map[string]any:
			next, ok := inner[unescaper.Replace(token)]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(inner) || strconv.Itoa(i) != token {
				return nil, false
			}
			v = inner[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// anchor is the pointer of the schema that names itself so.
func (s *survey) anchor(name string) (string, error) {
	if s.anchors == nil {
		s.anchors = map[string]any{}
		collect(s.root, "", s.anchors)
	}
	switch at := s.anchors[name].(type) {
	case string:
		return at, nil
	case nil:
		return "", fmt.Errorf("no schema has the $anchor that the $ref names")
	default:
		return "", fmt.Errorf("two schemas have the $anchor that the $ref names")
	}
}

// collect finds every $anchor: its pointer, or false when it is there twice.
func collect(v any, pointer string, into map[string]any) {
	switch v := v.(type) {
	case map[string]any:
		if name, ok := v["$anchor"].(string); ok {
			if _, twice := into[name]; twice {
				into[name] = false
			} else {
				into[name] = pointer
			}
		}
		for key, member := range v {
			collect(member, pointer+"/"+escape(key), into)
		}
	case []any:
		for i, item := range v {
			collect(item, pointer+"/"+strconv.Itoa(i), into)
		}
	}
}

// size is the number of JSON values in v.
func size(v any) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, member := range v {
			n += size(member)
		}
	case []any:
		for _, item := range v {
			n += size(item)
		}
	}
	return n
}
