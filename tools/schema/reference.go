package schema

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

func (s *survey) reference(value any, pointer string) (cost, error) {
	ref, _ := value.(string)
	target, at, err := s.resolve(ref)
	if err != nil {
		return cost{}, fmt.Errorf("at %q: %w", pointer, err)
	}
	part, err := s.schema(target, at)
	return part.plus(cost{values: 1}), err
}

func (s *survey) resolve(ref string) (target any, pointer string, err error) {
	fragment, local := strings.CutPrefix(ref, "#")
	if !local {
		return nil, "", fmt.Errorf("a $ref must stay within the document: begin it with #")
	}
	fragment, err = url.PathUnescape(fragment)
	if err != nil {
		return nil, "", fmt.Errorf("the $ref is not a URI reference")
	}
	if fragment != "" && fragment[0] != '/' {
		fragment, err = s.anchor(fragment)
		if err != nil {
			return nil, "", err
		}
	}
	target, found := lookup(s.root, fragment)
	if !found {
		return nil, "", fmt.Errorf("the $ref leads nowhere")
	}
	return target, fragment, nil
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
			collect(member, pointer+"/"+Escape(key), into)
		}
	case []any:
		for i, item := range v {
			collect(item, pointer+"/"+strconv.Itoa(i), into)
		}
	}
}
