package mcp

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"time"

	"prax/server/jsonrpc"
	"prax/tools"
)

// appendResult appends a CallToolResult as the request's revision knows it.
func (q *request) appendResult(dst []byte, res *tools.Result) []byte {
	dst = append(dst, '{')
	if q.modern() {
		dst = append(dst, `"resultType":"complete",`...)
	}
	dst = append(dst, `"content":[`...)
	for i, b := range content(res) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendBlock(dst, fit(b, q.rev))
	}
	dst = append(dst, ']')
	if res.IsError {
		dst = append(dst, `,"isError":true`...)
	} else {
		// A failure has none: callers hold it against the output schema all the same.
		if res.Structured != nil {
			dst = append(dst, `,"structuredContent":`...)
			dst = append(dst, res.Structured...)
		}
		dst = append(dst, `,"isError":false`...)
	}
	return q.appendResultMeta(dst, res)
}

// content are the blocks of a result: what is structured only is shown as text too (MCP, tools:
// structured content).
func content(res *tools.Result) []tools.Block {
	if len(res.Content) == 0 && res.Structured != nil && !res.IsError {
		return []tools.Block{{Type: "text", Text: string(res.Structured)}}
	}
	return res.Content
}

func (q *request) appendResultMeta(dst []byte, res *tools.Result) []byte {
	notice := q.notice(res)
	if len(res.Meta) == 0 && notice.IsZero() {
		if q.modern() {
			return q.s.fixed.appendMeta(dst)
		}
		return append(dst, '}')
	}
	dst = append(dst, `,"_meta":{`...)
	for i, key := range slices.Sorted(maps.Keys(res.Meta)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsonrpc.AppendString(dst, key)
		dst = append(dst, ':')
		dst = append(dst, res.Meta[key]...)
	}
	if !notice.IsZero() {
		dst = appendNotice(dst, notice, len(res.Meta) > 0)
	}
	if _, own := res.Meta[keyServerInfo]; q.modern() && !own {
		dst = append(dst, ',')
		dst = append(dst, q.s.fixed.meta...)
	}
	return append(dst, `}}`...)
}

// notice is when the caller's token lapses, for a result that says so: one that went well, while it is soon. Once it has
// lapsed, nothing can tell the caller why. A signed token says itself when it ends, which is always soon. What a tool says
// under that name stays its own.
func (q *request) notice(res *tools.Result) (at time.Time) {
	p := &q.x.Principal
	if p.Expires.IsZero() || p.Grant != nil || res.IsError || !p.ExpiresSoon(q.s.config.Now()) {
		return at
	}
	if _, own := res.Meta[keyExpires]; own {
		return at
	}
	return p.Expires
}

func appendNotice(dst []byte, at time.Time, behind bool) []byte {
	if behind {
		dst = append(dst, ',')
	}
	dst = append(dst, `"`+keyExpires+`":"`...)
	dst = at.UTC().AppendFormat(dst, time.RFC3339)
	return append(dst, '"')
}

// fit turns a block that came with a later revision into text: a caller of an older one refuses the
// whole result for a type that it does not know.
func fit(b tools.Block, rev revision) tools.Block {
	switch {
	case b.Type == "audio" && rev < rev2025Mar:
		return textBlock("[audio, %s, %d bytes]", b.MIMEType, len(b.Data))
	case b.Type == "resource_link" && rev < rev2025Jun:
		return textBlock("%s: %s", b.Name, b.URI)
	}
	return b
}

func textBlock(format string, args ...any) tools.Block {
	return tools.Block{Type: "text", Text: fmt.Sprintf(format, args...)}
}

func appendBlock(dst []byte, b tools.Block) []byte {
	switch b.Type {
	case "image", "audio":
		dst = appendMember(append(dst, '{'), "type", b.Type)
		dst = append(dst, `,"data":"`...)
		dst = base64.StdEncoding.AppendEncode(dst, b.Data)
		dst = appendMember(append(dst, `",`...), "mimeType", b.MIMEType)
	case "resource":
		dst = append(dst, `{"type":"resource","resource":`...)
		dst = append(dst, b.Resource...)
	case "resource_link":
		dst = append(dst, `{"type":"resource_link",`...)
		dst = appendMember(dst, "uri", b.URI)
		dst = appendMember(append(dst, ','), "name", b.Name)
		if b.MIMEType != "" {
			dst = appendMember(append(dst, ','), "mimeType", b.MIMEType)
		}
	default:
		dst = append(dst, `{"type":"text","text":`...)
		if b.Quoted != nil {
			dst = append(dst, b.Quoted...)
		} else {
			dst = jsonrpc.AppendString(dst, b.Text)
		}
	}
	return append(dst, '}')
}

// appendMember appends a member whose name needs no quoting.
func appendMember(dst []byte, name, value string) []byte {
	dst = append(dst, '"')
	dst = append(dst, name...)
	dst = append(dst, `":`...)
	return jsonrpc.AppendString(dst, value)
}
