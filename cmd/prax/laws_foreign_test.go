package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Law 9: no caller sees another's things. A foreign id answers like one that never was.
func TestLaw9ForeignEqualsUnknown(t *testing.T) {
	eachRoute(t, func(t *testing.T, r lawRoute, with, _ *lawApp) {
		r.call(with, granted, "memory_remember", `{"content":"the granted one's secret fact"}`)
		id := with.traceOf(granted)
		unknown := strings.Repeat("0", len(id))
		own := r.call(with, granted, "trace_detail", fmt.Sprintf(`{"trace_id":%q}`, id))
		if !strings.Contains(own, "memory_remember") {
			t.Fatalf("the owner does not see its own trace: %s", own)
		}
		foreign := r.call(with, narrow, "trace_detail", fmt.Sprintf(`{"trace_id":%q}`, id))
		missing := r.call(with, narrow, "trace_detail", fmt.Sprintf(`{"trace_id":%q}`, unknown))
		if diff := cmp.Diff(missing, strings.ReplaceAll(foreign, id, unknown)); diff != "" {
			t.Errorf("a foreign trace (-unknown +foreign):\n%s", diff)
		}
		if got := r.call(with, narrow, "memory_recall", `{"query":"secret fact"}`); strings.Contains(got, "granted one") {
			t.Errorf("a foreign memory was recalled: %s", got)
		}
		if got := r.call(with, granted, "memory_recall", `{"query":"secret fact"}`); !strings.Contains(got, "granted one") {
			t.Errorf("the owner's memory was not recalled: %s", got)
		}
	})
}

var traceID = regexp.MustCompile(`"trace_id":"([^"]+)"[^}]*"tool":"memory_remember"`)

// traceOf is the id of the caller's newest memory_remember.
func (l *lawApp) traceOf(c lawClient) string {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), patience)
	defer cancel()
	for {
		got := l.post(c, "/mcp", "", "", "", lawCall("", "", "trace_search", `{"query":"memory_remember"}`))
		if m := traceID.FindStringSubmatch(got); m != nil {
			return m[1]
		}
		if !pause(ctx) {
			l.t.Fatalf("no trace of the call: %s", got)
		}
	}
}
