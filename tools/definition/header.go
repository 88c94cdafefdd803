package definition

import (
	"slices"
	"strconv"
	"strings"
)

// headerKey marks a property whose argument the caller repeats in a header, Mcp-Param-… (MCP 2026-07-28,
// transports). Callers drop a tool that marks one in a way that they cannot follow, so that is an error here.
const headerKey = "x-mcp-header"

// headers looks for marks in a schema.
type headers struct {
	*compiler
	seen map[string]string // where a name stands, by the name in lower case
}

// reach is how a schema is led to.
type reach int

const (
	elsewhere  reach = iota
	root             // it is the whole
	properties       // only by properties: where a mark counts
)

// schema walks a schema.
func (h *headers) schema(v *value, path string, by reach) {
	for _, m := range v.members {
		at := below(path, m.name)
		switch m.name {
		case headerKey:
			h.mark(v, m, at, by == properties)
		case "const", "enum", "default", "examples":
		case "properties":
			next := elsewhere
			if by != elsewhere {
				next = properties
			}
			h.named(m.value, at, next)
		case "patternProperties", "dependentSchemas", "$defs", "definitions":
			h.named(m.value, at, elsewhere)
		default:
			h.schema(m.value, at, elsewhere)
		}
	}
	for i, one := range v.items {
		h.schema(one, item(path, i), elsewhere)
	}
}

func (h *headers) named(v *value, path string, by reach) {
	for _, m := range v.members {
		h.schema(m.value, below(path, m.name), by)
	}
}

func (h *headers) mark(property *value, m member, path string, reachable bool) {
	kind := property.find("type")
	switch {
	case !reachable:
		h.about(BadSchema, path, "must stand in a property that only properties lead to")
	case kind == nil || kind.kind != '"' || !slices.Contains([]string{"string", "integer", "boolean"}, kind.text):
		h.about(BadSchema, path, "needs a property of type string, integer or boolean")
	case m.kind != '"' || !isToken(m.text):
		h.about(BadSchema, path, "must be the rest of a header's name: letters, digits and !#$%&'*+-.^_`|~")
	case h.seen[strings.ToLower(m.text)] != "":
		h.about(BadSchema, path, "is "+strconv.Quote(m.text)+", which "+h.seen[strings.ToLower(m.text)]+" has: capitals aside they are one")
	default:
		h.seen[strings.ToLower(m.text)] = path
	}
}

// isToken tells whether text is a token (RFC 9110, section 5.6.2) that a header's name has room for.
func isToken(text string) bool {
	const most = 64
	return text != "" && len(text) <= most && strings.IndexFunc(text, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r))
	}) < 0
}
