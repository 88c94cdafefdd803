package bench

import (
	"fmt"
	"testing"
)

// moved is an answer of prax to a move of examples/bench, as long as they are.
const moved = `{"jsonrpc":"2.0","id":%[1]d,"result":{"content":[{"type":"text","text":"{\"workflow\":{\"id\":\"wf_nfgma51gkmsad2q8qma6sa22k8\",\"definitionId\":\"rally\",\"definitionVersion\":1,\"state\":\"far\",\"version\":%[2]d},\"result\":{\"status\":\"executed\"},\"context\":{\"last\":\"hello\"},\"links\":[{\"rel\":\"hit\",\"title\":\"Hit it back\",\"description\":null,\"method\":\"praxec.command\",\"actor\":\"agent\",\"args\":{\"workflowId\":\"wf_nfgma51gkmsad2q8qma6sa22k8\",\"expectedVersion\":%[2]d,\"transition\":\"hit\"},\"inputSchema\":{\"additionalProperties\":false,\"properties\":{\"text\":{\"maxLength\":200,\"type\":\"string\"}},\"required\":[\"text\"],\"type\":\"object\"}}],\"evidence\":[]}"}],"structuredContent":{"workflow":{"id":"wf_nfgma51gkmsad2q8qma6sa22k8","definitionId":"rally","definitionVersion":1,"state":"far","version":%[2]d},"result":{"status":"executed"},"context":{"last":"hello"},"links":[{"rel":"hit","title":"Hit it back","description":null,"method":"praxec.command","actor":"agent","args":{"workflowId":"wf_nfgma51gkmsad2q8qma6sa22k8","expectedVersion":%[2]d,"transition":"hit"},"inputSchema":{"additionalProperties":false,"properties":{"text":{"maxLength":200,"type":"string"}},"required":["text"],"type":"object"}}],"evidence":[]},"isError":false}}`

// BenchmarkCheck is what the load itself costs besides sending and receiving: an answer like the last one, and a move,
// which is read in full and answered with the next.
func BenchmarkCheck(b *testing.B) {
	config := &Config{Protocol: "2025-11-25", Asked: Asked{Text: "hello", Transition: "hit", Arguments: `{"text":"hello"}`}}
	b.Run("echo", func(b *testing.B) {
		w, id := config.echo(), []byte("1000000001")
		body := []byte(`{"jsonrpc":"2.0","id":1000000001,"result":{"content":[{"type":"text","text":"hello"}],"isError":false}}`)
		for b.Loop() {
			w.request()
			if f := w.check(body, id); f != nil {
				b.Fatal(f)
			}
		}
		b.ReportAllocs()
	})
	b.Run("move", func(b *testing.B) {
		in := &instance{config: config, id: "wf_nfgma51gkmsad2q8qma6sa22k8", version: 1, link: []byte(`{}`), followed: map[string]string{}}
		w, id := in.move(), []byte("1000000001")
		body := fmt.Appendf(nil, moved, 1000000001, 2)
		for b.Loop() {
			in.version, in.state = 1, "near"
			w.request()
			if f := w.check(body, id); f != nil {
				b.Fatal(f)
			}
		}
		b.ReportAllocs()
	})
}
