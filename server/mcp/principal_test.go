package mcp_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"prax/server/edge"
	"prax/server/mcp"
)

// TestPrincipalOfMetaIsIgnored: callers of a local praxec say in _meta who they are, and here everybody could. The
// answer is as without it, and the operator is told once.
func TestPrincipalOfMetaIsIgnored(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	h := newHouse(t, func(c *mcp.Config, _ *edge.Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	body := func(meta string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}`
	}
	plain := h.post("clerk", body("")).Body.String()
	for range 3 {
		got := h.post("clerk", body(`"_meta":{"io.praxec/principal":{"subject":"user:alice","roles":["human"],"permissions":["a.secret"]}}`)).Body.String()
		if got != plain {
			t.Errorf("with a principal in _meta:\n%s\nwithout:\n%s", got, plain)
		}
	}
	if said := log.String(); strings.Count(said, "io.praxec/principal") != 1 || strings.Contains(said, "user:alice") || strings.Contains(said, "a.secret") {
		t.Errorf("the log says %q", said)
	}
}
