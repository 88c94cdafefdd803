package schema

import "math"

// plain tells whether the library surely compiles a schema: one of the keywords that schemas of tools are made of, each with
// a value that the dialect allows. It has been measured, which is where its patterns were parsed. Of all others, the library
// judges.
func plain(v any) bool {
	switch v := v.(type) {
	case bool:
		return true
	case map[string]any:
		for keyword, value := range v {
			if !plainly(keyword, value) {
				return false
			}
		}
		return true
	}
	return false
}

func plainly(keyword string, v any) bool {
	switch keyword {
	case "type":
		return typed(v)
	case "title", "description", "$comment", "pattern", "format":
		_, is := v.(string)
		return is
	case "uniqueItems", "deprecated", "readOnly", "writeOnly":
		_, is := v.(bool)
		return is
	case "default", "const":
		return true
	case "$schema":
		return v == dialect
	case "required":
		return distinct(v)
	case "enum", "examples":
		list, _ := v.([]any)
		return len(list) > 0
	}
	return bounds(keyword, v) || holds(keyword, v)
}

// bounds tells whether it is a keyword that limits a number or a count, with a value that it may have.
func bounds(keyword string, v any) bool {
	n, is := v.(float64)
	if !is || math.IsNaN(n) || math.Abs(n) > 1<<53 {
		return false
	}
	switch keyword {
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		return true
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		return n >= 0 && n == math.Trunc(n) && n <= math.MaxInt32
	}
	return false
}

// holds tells whether it is a keyword of which plain schemas are the value.
func holds(keyword string, v any) bool {
	switch keyword {
	case "items", "additionalProperties", "propertyNames", "not":
		return plain(v)
	case "properties":
		members, is := v.(map[string]any)
		for _, member := range members {
			is = is && plain(member)
		}
		return is
	case "allOf", "anyOf", "oneOf":
		list, _ := v.([]any)
		for _, one := range list {
			if !plain(one) {
				return false
			}
		}
		return len(list) > 0
	}
	return false
}

// typed tells whether it is the name of a type, or a list of some.
func typed(v any) bool {
	list, many := v.([]any)
	if !many {
		list = []any{v}
	}
	for _, one := range list {
		switch one {
		case "array", "boolean", "integer", "null", "number", "object", "string":
		default:
			return false
		}
	}
	return distinct(list) && len(list) > 0
}

// distinct tells whether it is a list of strings, no two of them equal.
func distinct(v any) bool {
	list, is := v.([]any)
	seen := make(map[string]bool, len(list))
	for _, one := range list {
		name, text := one.(string)
		if !text || seen[name] {
			return false
		}
		seen[name] = true
	}
	return is
}
