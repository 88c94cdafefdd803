package mcp_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/server/edge"
	"prax/server/mcp"
	"prax/tools"
)

// TestExpiryNotice: a caller whose token ends within a week is told when, in every revision, in what went well and in
// nothing else; and nobody else gets another byte.
func TestExpiryNotice(t *testing.T) {
	t.Parallel()
	now := time.Now().UTC().Truncate(time.Second)
	h := newHouse(t, func(c *mcp.Config, e *edge.Config) {
		c.Now = func() time.Time { return now }
		e.Now = c.Now
	})
	err := h.registry.Set("more", []*tools.Tool{{
		Name: "own", Description: "Says it itself.", Tier: auth.Low, Input: object(`{"type":"object"}`),
		Handler: answer(&tools.Result{Meta: map[string]jsontext.Value{"prax/expires_at": object(`"mine"`)}}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	for what, tt := range map[string]struct {
		in   time.Duration
		told bool
	}{
		"never":      {0, false},
		"in a year":  {365 * 24 * time.Hour, false},
		"just not":   {auth.Soon + 1, false},
		"in a week":  {auth.Soon, true},
		"in an hour": {time.Hour, true},
		"elsewhere":  {2 * time.Hour, true},
		"signed":     {time.Hour, false},
	} {
		want := ""
		if tt.told {
			want = now.Add(tt.in).Format(time.RFC3339)
		}
		p := client("alice", auth.Names("clock", "blocks", "structured", "fail", "own"))
		if tt.in != 0 {
			p.Expires = now.Add(tt.in)
		}
		if what == "elsewhere" {
			p.Expires = p.Expires.In(time.FixedZone("", 3600))
		}
		if what == "signed" {
			p.Grant = &auth.Grant{}
		}
		h.clients.set(p)
		for _, version := range []string{"", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
			for _, tool := range []string{"clock", "blocks", "structured"} {
				if got := h.noticeOf(t, version, tool); got != want {
					t.Errorf("%s, %q, %s: %q, want %q", what, version, tool, got, want)
				}
			}
			if got := h.noticeOf(t, version, "fail"); got != "" {
				t.Errorf("%s, %q: a failure says %q", what, version, got)
			}
			if got := h.noticeOf(t, version, "own"); got != "mine" {
				t.Errorf("%s, %q: what the tool says became %q", what, version, got)
			}
			if list := h.post("alice", rpc(version, "tools/list", "")).Body.String(); strings.Contains(list, "prax/expires_at") {
				t.Errorf("%s: a list says it: %s", what, list)
			}
		}
	}
}

func rpc(version, method, params string) string {
	if version == "2026-07-28" {
		params = strings.TrimPrefix(params+","+modernMeta, ",")
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, method, params)
}

// noticeOf calls a tool and reads the notice out of its result, which has to be JSON without a name twice.
func (h *house) noticeOf(t *testing.T, version, tool string) string {
	t.Helper()
	headers := []string{"MCP-Protocol-Version: " + version}
	switch version {
	case "":
		headers = nil
	case "2026-07-28":
		headers = modern("tools/call", tool)
	}
	text := h.post("alice", rpc(version, "tools/call", fmt.Sprintf(`"name":%q,"arguments":{}`, tool)), headers...).Body.Bytes()
	var got struct {
		Result struct {
			Content []jsontext.Value          `json:"content"`
			Meta    map[string]jsontext.Value `json:"_meta"`
		} `json:"result"`
	}
	if err := json.Unmarshal(text, &got); err != nil || got.Result.Content == nil {
		t.Fatalf("%s, %q: %v: %s", tool, version, err, text)
	}
	if _, known := got.Result.Meta["io.modelcontextprotocol/serverInfo"]; known != (version == "2026-07-28") {
		t.Errorf("%s, %q: the server's name is there: %t", tool, version, known)
	}
	var at string
	if v := got.Result.Meta["prax/expires_at"]; v != nil {
		if err := json.Unmarshal(v, &at); err != nil {
			t.Error(err)
		}
	}
	return at
}
