package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/server/control"
	"prax/tools"
)

// Law 3, midway: an open stream is judged again whenever the file changes and when the credential
// lapses. It has one ending, whatever the reason, and a tool that was taken away ends under the call.
func TestLaw3StreamsAreJudgedMidway(t *testing.T) {
	t.Parallel()
	narrowed, disabled := granted, granted
	narrowed.allow = []string{"memory_recall"}
	disabled.extra = `,"disabled":true`
	for _, s := range lawStreams() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			endings := map[string]string{}
			for what, take := range map[string]func(*lawApp){
				"revoked":  func(l *lawApp) { l.write(narrow) },
				"disabled": func(l *lawApp) { l.write(disabled) },
				"nobody":   func(l *lawApp) { l.write() },
				"expired":  func(l *lawApp) { l.write(l.waiting(300 * time.Millisecond)) }, // the rest is up to the timer
				"narrowed": func(l *lawApp) { l.write(narrowed) },

				"one token of two removed": func(l *lawApp) { l.write(l.waiting(time.Hour).withSibling()) },
				"one token of two over": func(l *lawApp) {
					l.write(l.waiting(time.Hour).listed(fmt.Sprintf(`,"expires_at":%q`, l.now().Add(300*time.Millisecond).Format(time.RFC3339Nano))))
				},
			} {
				if what == "narrowed" && !s.ofTool {
					continue // it stays open, and is told that its list changed
				}
				endings[what] = s.midway(newLawApp(t, true), take)
			}
			for what, ending := range endings {
				if diff := cmp.Diff(endings["revoked"], ending); diff != "" {
					t.Errorf("another ending than when revoked (-revoked +%s):\n%s", what, diff)
				}
			}
			if endings["revoked"] == "" || strings.Contains(endings["revoked"], "reached") {
				t.Errorf("the ending is %q", endings["revoked"])
			}
		})
	}
}

// lawStream is one kind of answer that stays open.
type lawStream struct {
	name, version, method, body string
	ofTool                      bool // it is the answer to a call of law.wait

	seconds int64 // that the signed token lasts which opens it; 0: the client's own does
}

func lawStreams() []lawStream {
	return []lawStream{
		{"listen", modernVersion, "subscriptions/listen", `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + lawMeta(modernVersion, "") + `}}`, false, 0},
		{"call with progress", "2025-06-18", "tools/call", lawCall("2025-06-18", "p", "law.wait", "{}"), true, 0},
		{"call with progress, 2026-07-28", modernVersion, "tools/call", lawCall(modernVersion, "p", "law.wait", "{}"), true, 0},
	}
}

// midway opens the stream, waits for its first event, takes something away, and returns what came
// after: all of it, for the stream must end.
func (s lawStream) midway(l *lawApp, take func(*lawApp)) string {
	l.t.Helper()
	waiting := l.waiting(time.Hour)
	l.addWaitingTool()
	l.write(waiting)
	if s.seconds > 0 {
		waiting.token = l.makeSigned(control.TokenOrder{As: waiting.name, Seconds: s.seconds})
		l.signed.byClient = map[string]string{waiting.name: waiting.token}
	}
	ctx, cancel := context.WithTimeout(l.t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.web.URL+"/mcp", strings.NewReader(s.body))
	if err != nil {
		l.t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Authorization": "Bearer " + waiting.token, "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": s.version, "Mcp-Method": s.method,
	} {
		req.Header.Set(name, value)
	}
	if s.ofTool {
		req.Header.Set("Mcp-Name", "law.wait")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		l.t.Fatal(err)
	}
	defer resp.Body.Close()
	stream := bufio.NewReader(resp.Body)
	for line := ""; !strings.HasPrefix(line, "data:"); {
		if line, err = stream.ReadString('\n'); err != nil {
			l.t.Fatalf("%s before the first event: %v", line, err)
		}
	}
	take(l)
	rest, err := io.ReadAll(stream)
	if err != nil {
		l.t.Errorf("the stream did not end: %v", err)
	}
	return string(rest)
}

// waiting is the granted client with the waiting tool too, for so long.
func (l *lawApp) waiting(lease time.Duration) lawClient {
	c := granted
	c.allow = append(slices.Clone(granted.allow), "law.wait")
	c.extra = fmt.Sprintf(`,"expires_at":%q`, l.now().Add(lease).Format(time.RFC3339Nano))
	return c
}

// addWaitingTool adds a tool that reports progress once and then waits for its end.
func (l *lawApp) addWaitingTool() {
	l.t.Helper()
	wait := &tools.Tool{
		Name: "law.wait", Title: "law.wait", Description: "Waits.", Tier: auth.Low, Input: []byte(`{"type":"object"}`),
		Handler: func(ctx context.Context, c *tools.Call) (*tools.Result, error) {
			c.Progress(tools.Progress{Done: 1})
			<-ctx.Done()
			return tools.Text("reached"), nil
		},
	}
	if err := l.app.tools.Set("laws: waiting", []*tools.Tool{wait}); err != nil {
		l.t.Fatal(err)
	}
}
