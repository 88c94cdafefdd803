package mcp

import (
	"strconv"

	"prax/auth"
	"prax/server/jsonrpc"
	"prax/tools"
)

// appendTool appends a tool as tools/list shows it (MCP, tools: data types). The schemas go out as
// they were written: callers may know keywords that we do not.
func appendTool(dst []byte, t *tools.Tool, s auth.Spelling) []byte {
	dst = appendMember(append(dst, '{'), "name", tools.Spelling(t.Name, s))
	if t.Title != "" {
		dst = appendMember(append(dst, ','), "title", t.Title)
	}
	if t.Description != "" {
		dst = appendMember(append(dst, ','), "description", t.Description)
	}
	dst = append(dst, `,"inputSchema":`...)
	dst = append(dst, t.Input...)
	if t.Output != nil {
		dst = append(dst, `,"outputSchema":`...)
		dst = append(dst, t.Output...)
	}
	return append(appendAnnotations(dst, t), '}')
}

// appendAnnotations follows the tier, which decides; the hints only tell. What is destructive is HIGH
// and never shown, so nothing here is.
func appendAnnotations(dst []byte, t *tools.Tool) []byte {
	for i, hint := range []struct {
		name string
		set  bool
	}{
		{"readOnlyHint", t.Tier == auth.Low},
		{"destructiveHint", !t.Tier.Exposable()},
		{"idempotentHint", t.Idempotent},
		{"openWorldHint", t.OpenWorld},
	} {
		if i == 0 {
			dst = append(dst, `,"annotations":{`...)
		} else {
			dst = append(dst, ',')
		}
		dst = jsonrpc.AppendString(dst, hint.name)
		dst = strconv.AppendBool(append(dst, ':'), hint.set)
	}
	return append(dst, '}')
}
