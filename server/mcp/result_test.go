package mcp

import (
	"testing"

	"prax/server/jsonrpc"
	"prax/tools"
)

// A text that comes quoted is the same on the wire.
func TestQuoted(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "plain", `{"a":"\"\\"}`, "größe\n\x00😀</script>"} {
		want := string(appendBlock(nil, tools.Block{Type: "text", Text: text}))
		got := string(appendBlock(nil, tools.Block{Type: "text", Text: text, Quoted: jsonrpc.AppendString(nil, text)}))
		if got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
}
