package mcp

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"prax/tools"
)

// A text that comes quoted, as whoever keeps it has it quoted, is the same on the wire.
func TestQuoted(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "plain", `{"a":"\"\\"}`, "größe\n\x00😀</script>", "\x7f\u2028", "\xff"} {
		want := string(appendBlock(nil, tools.Block{Type: "text", Text: text}))
		quoted, _ := jsontext.AppendQuote(nil, text)
		got := string(appendBlock(nil, tools.Block{Type: "text", Text: text, Quoted: quoted}))
		if got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
}
