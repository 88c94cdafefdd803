package mcp_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// FuzzServe: whatever the body and the headers, an answer is one of the statuses that callers know,
// and is either nothing or JSON-RPC; no request ends the server or leaves its place taken.
func FuzzServe(f *testing.F) {
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"clock","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"steps","_meta":{"progressToken":"t"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"lnLazVKMyngAAQ"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}`,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"},5]`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":7,"result":{}}`, `{`, ``, `[]`, `null`,
	} {
		f.Add(body, "", "", "", "application/json")
		f.Add(strings.Replace(body, `"params":{`, `"params":{`+modernMeta+`,`, 1), "2026-07-28", "tools/call", "clock", "*/*")
		f.Add(body, "2025-11-25", "", "", "text/event-stream")
	}
	h := newHouse(f, nil)
	statuses := []int{200, 202, 400, 404, 406, 413, 415, 429}
	f.Fuzz(func(t *testing.T, body, version, method, name, accept string) {
		if strings.Contains(body, `\u`) || strings.Contains(body, "hang") || strings.Contains(body, "subscriptions/listen") {
			return // these wait for something
		}
		r := newPost("alice", body)
		r.Header["Mcp-Protocol-Version"], r.Header["Mcp-Method"], r.Header["Mcp-Name"], r.Header["Accept"] = one(version), one(method), one(name), one(accept)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if !slices.Contains(statuses, w.Code) {
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
		if (w.Code == http.StatusAccepted) != (w.Body.Len() == 0) {
			t.Fatalf("status %d with %q", w.Code, w.Body)
		}
		if w.Code != http.StatusAccepted {
			for _, m := range messages(t, w) {
				if !strings.HasPrefix(string(m), `{"jsonrpc":"2.0",`) {
					t.Fatalf("no JSON-RPC message: %s", m)
				}
			}
		}
		if inFlight, streaming := h.edge.Clients(); inFlight+streaming != 0 {
			t.Fatal("a place is still taken")
		}
	})
}

func one(value string) []string {
	if value == "" {
		return nil
	}
	return []string{value}
}
