package mcp_test

import (
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"prax/server/edge"
	"prax/server/mcp"
)

var update = flag.Bool("update", false, "rewrite the answers in testdata by what the server gives now")

// TestTranscripts replays testdata/*.txtar: each request-N is headers and a body, each response-N the
// answer that is pinned. A request has Content-Type, Accept and the token of alice unless it says
// otherwise; an empty value leaves the header out. `Body: quoted` says that the body is a Go string.
// A line `page-size: N` in the comment sets the server's.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d transcripts, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			replay(t, file)
		})
	}
}

func replay(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	h := newHouse(t, func(c *mcp.Config, _ *edge.Config) {
		if _, n, ok := strings.Cut(string(archive.Comment), "page-size: "); ok {
			c.PageSize, _ = strconv.Atoi(strings.Fields(n)[0])
		}
	})
	answers := map[string]string{}
	for i, section := range archive.Files {
		if n, ok := strings.CutPrefix(section.Name, "request-"); ok {
			answers["response-"+n] = exchangeOf(t, h, section.Data)
			continue
		}
		got, asked := answers[section.Name]
		if !asked {
			t.Fatalf("%s has no request before it", section.Name)
		}
		delete(answers, section.Name)
		if *update {
			archive.Files[i].Data = []byte(got)
		} else if diff := cmp.Diff(string(section.Data), got); diff != "" {
			t.Errorf("%s differs (-pinned +got):\n%s", section.Name, diff)
		}
	}
	if len(answers) > 0 {
		t.Errorf("requests whose answers are not pinned: %d", len(answers))
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func exchangeOf(t *testing.T, h *house, section []byte) string {
	t.Helper()
	head, body, _ := strings.Cut(string(section), "\n\n")
	if strings.HasPrefix(string(section), "\n") {
		head, body = "", string(section[1:])
	}
	body = strings.TrimSuffix(body, "\n")
	as := "alice"
	var headers, removed []string
	for line := range strings.SplitSeq(head, "\n") {
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch {
		case name == "":
		case name == "As":
			as = value
		case name == "Body" && value == "quoted":
			text, err := strconv.Unquote(body)
			if err != nil {
				t.Fatalf("%s: %v", body, err)
			}
			body = text
		case value == "":
			removed = append(removed, name)
		default:
			headers = append(headers, line)
		}
	}
	r := newPost(as, body)
	for _, name := range removed {
		r.Header.Del(name)
	}
	seen := map[string]bool{}
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		if !seen[name] {
			r.Header.Del(name)
		}
		seen[name] = true
		r.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	lawful(t, body, w)
	return transcribe(w)
}

func transcribe(w *httptest.ResponseRecorder) string {
	var b strings.Builder
	fmt.Fprintln(&b, w.Code)
	for _, name := range []string{"Content-Type", "Cache-Control", "X-Accel-Buffering", "Retry-After", "Mcp-Session-Id"} {
		if v := w.Header().Values(name); v != nil {
			fmt.Fprintf(&b, "%s: %s\n", name, strings.Join(v, ", "))
		}
	}
	fmt.Fprintf(&b, "\n%s\n", strings.TrimSuffix(w.Body.String(), "\n"))
	return b.String()
}

// lawful holds every pinned answer to what is true of all of them: it is JSON with the version of
// JSON-RPC in it, members and codes of 2026-07-28 answer requests of 2026-07-28 only, and all of its
// results carry what real callers drop a server for leaving out.
func lawful(t *testing.T, body string, w *httptest.ResponseRecorder) {
	t.Helper()
	isModern := strings.Contains(body, "io.modelcontextprotocol/protocolVersion") && !strings.HasPrefix(body, "[")
	if w.Code == 202 {
		if w.Body.Len() != 0 || w.Header().Get("Content-Type") != "" {
			t.Errorf("202 with a body or a type: %q", w.Body)
		}
		return
	}
	for _, message := range messages(t, w) {
		text := string(message)
		result := strings.Contains(text, `"result":`)
		if !strings.HasPrefix(text, `{"jsonrpc":"2.0",`) {
			t.Errorf("no JSON-RPC message: %s", text)
		}
		for _, word := range []string{`"resultType"`, `"ttlMs"`, `"cacheScope"`, `io.modelcontextprotocol/serverInfo`, `-32022`} {
			if !isModern && strings.Contains(text, word) {
				t.Errorf("%s in a legacy answer: %s", word, text)
			}
		}
		if isModern && result && (!strings.Contains(text, `"resultType":"complete"`) || !strings.Contains(text, `io.modelcontextprotocol/serverInfo`)) {
			t.Errorf("modern result without resultType or serverInfo: %s", text)
		}
		if strings.Contains(text, `"tools":[`) && isModern && !(strings.Contains(text, `"ttlMs":`) && strings.Contains(text, `"cacheScope":"private"`)) {
			t.Errorf("modern list without its hints: %s", text)
		}
		if isError := strings.Contains(text, `"isError":true`); isError && strings.Contains(text, "structuredContent") {
			t.Errorf("a failure with structuredContent: %s", text)
		}
	}
}

// messages are the JSON-RPC messages of an answer, whichever way it came.
func messages(t *testing.T, w *httptest.ResponseRecorder) []jsontext.Value {
	t.Helper()
	var all []jsontext.Value
	text := w.Body.String()
	isBatch := func(text string) bool { return strings.HasPrefix(text, "[") }
	split := func(text string) {
		var elements []jsontext.Value
		if err := json.Unmarshal([]byte(text), &elements); err != nil {
			t.Errorf("batch answer %q: %v", text, err)
		}
		all = append(all, elements...)
	}
	if strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream") {
		for event := range strings.SplitSeq(strings.TrimSuffix(text, "\n\n"), "\n\n") {
			data, ok := strings.CutPrefix(event, "event: message\ndata: ")
			if !ok || strings.ContainsAny(data, "\r\n") {
				t.Errorf("odd event %q", event)
			}
			if isBatch(data) {
				split(data)
				continue
			}
			all = append(all, jsontext.Value(data))
		}
	} else if isBatch(text) {
		split(text)
	} else {
		all = append(all, jsontext.Value(text))
	}
	for _, m := range all {
		if !m.IsValid() {
			t.Errorf("not valid JSON: %s", m)
		}
	}
	return all
}
