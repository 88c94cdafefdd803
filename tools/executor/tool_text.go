package executor

import (
	"encoding/base64"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/store/digest"
	"prax/tools"
)

// decoded is JSON from elsewhere, and false when it is none that all readers understand alike: then it is a text. An
// integer that a double does not hold stays as it was written, as a string: an id of 19 digits would be another.
func decoded(raw []byte) (any, bool) {
	var v any
	if err := json.Unmarshal(raw, &v, json.WithUnmarshalers(json.UnmarshalFromFunc(exactly))); err != nil || !shallow(raw) {
		return nil, false
	}
	return v, true
}

func exactly(d *jsontext.Decoder, v *any) error {
	if d.PeekKind() != '0' {
		return errors.ErrUnsupported
	}
	raw, err := d.ReadValue()
	if err != nil {
		return err
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || math.Abs(f) >= digest.MaxInteger && !strings.ContainsAny(string(raw), "eE.") {
		*v = string(raw)
		return nil
	}
	*v = f
	return nil
}

// shallow tells whether JSON nests no deeper than what can be stored.
func shallow(raw []byte) bool {
	depth, quoted := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxNested {
				return false
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return true
}

// maxNested leaves room for what an output is put into.
const maxNested = digest.MaxDepth - 8

// contentOf is the content of a result as MCP has it (tools: content types), and nothing when that is no JSON: the tool
// did what it did.
func contentOf(blocks []tools.Block) jsontext.Value {
	list := make([]any, len(blocks))
	for i, b := range blocks {
		one := map[string]any{"type": b.Type}
		switch b.Type {
		case "image", "audio":
			one["data"], one["mimeType"] = base64.StdEncoding.EncodeToString(b.Data), b.MIMEType
		case "resource":
			one["resource"] = b.Resource
		case "resource_link":
			one["uri"], one["name"] = b.URI, b.Name
			if b.MIMEType != "" {
				one["mimeType"] = b.MIMEType
			}
		default:
			one["type"], one["text"] = "text", b.Text
		}
		list[i] = one
	}
	raw, err := json.Marshal(map[string]any{"content": list}, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return jsontext.Value(`{"content":[]}`)
	}
	return raw
}
