package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/server/edge"
	"prax/server/mcp"
	"prax/tools"
)

func batchOf(n int, element string) string {
	return "[" + strings.Repeat(element+",", n-1) + element + "]"
}

// An answer that has grown large enough gets no more results: what is left is not done, and says so.
func TestBatchAnswerIsBounded(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	const piece = 1 << 20
	var ran atomic.Int64
	withTool(t, h, func(context.Context, *tools.Call) (*tools.Result, error) {
		ran.Add(1)
		return tools.Text(strings.Repeat("x", piece)), nil
	})
	w := h.post("alice", batchOf(50, callHang("")))
	var answers []struct {
		ID    int
		Error *struct {
			Code    int
			Message string
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answers); err != nil || len(answers) != 50 {
		t.Fatalf("%d answers: %v", len(answers), err)
	}
	done := 0
	for i, a := range answers {
		switch {
		case a.Error == nil && done == i:
			done++
		case a.Error == nil || a.Error.Code != 413 || a.ID != 1 || !strings.Contains(a.Error.Message, "send what is left"):
			t.Errorf("answer %d: %+v", i, a)
		}
	}
	if want := mcp.MaxBatchAnswer/piece + 1; done == 0 || done > want || int(ran.Load()) != done {
		t.Errorf("%d done and %d run, want at most %d", done, ran.Load(), want)
	}
	if most := mcp.MaxBatchAnswer + 2*piece; w.Body.Len() > most {
		t.Errorf("%d bytes, want at most %d", w.Body.Len(), most)
	}
}

// A caller that has gone gets no further element begun.
func TestBatchEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, nil)
		var ran atomic.Int64
		entered, release := make(chan struct{}), make(chan struct{})
		withTool(t, h, func(context.Context, *tools.Call) (*tools.Result, error) {
			if ran.Add(1) == 1 {
				close(entered)
				<-release
			}
			return tools.Text("done"), nil
		})
		v := h.begin(t, newPost("alice", batchOf(50, callHang(""))))
		<-entered
		v.hangUp()
		close(release)
		<-v.done
		if n := ran.Load(); n != 1 {
			t.Errorf("%d elements ran for a caller that left at the first", n)
		}
	})
}

// A batch is worked on in its exchange's own place: a limit of one does not keep it from itself.
func TestBatchWithinALimitOfOne(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(_ *mcp.Config, e *edge.Config) { e.MaxInFlight = 1 })
	p, _ := h.clients.Again(auth.Principal{Client: "alice"})
	x := h.exchange(p)
	if x.Begin() != nil {
		t.Fatal("refused with nothing in hand")
	}
	w := httptest.NewRecorder()
	h.server.Serve(w, newPost("alice", batchOf(3, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)), x)
	if got := strings.Count(w.Body.String(), `"result":{}`); got != 3 {
		t.Errorf("%d of 3 elements answered: %s", got, w.Body)
	}
	if n, _ := h.edge.Clients(); n != 1 {
		t.Error("the batch's place was given back before its answer was written")
	}
	if x.End(); h.exchange(p).Begin() != nil {
		t.Error("the place was not given back")
	}
}

// Each element of a batch is judged when its turn comes: one that is out midway may use nothing.
func TestBatchIsJudgedMidway(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	withTool(t, h, func(context.Context, *tools.Call) (*tools.Result, error) {
		h.clients.set(client("clerk", auth.Names("clock")))
		return tools.Text("revoked"), nil
	})
	clock := `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"clock"}}`
	w := h.post("alice", `[`+fmt.Sprintf(clock, 1)+`,`+callHang(``)+`,`+fmt.Sprintf(clock, 3)+`,{"jsonrpc":"2.0","id":4,"method":"tools/list"}]`)
	want := `[{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"It is noon."}],"structuredContent":{"now":"12:00"},"isError":false}},` +
		`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"revoked"}],"isError":false}},` +
		`{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"unknown tool: clock"}},` +
		`{"jsonrpc":"2.0","id":4,"result":{"tools":[]}}]`
	if diff := cmp.Diff(want+"\n", w.Body.String()); diff != "" {
		t.Errorf("answers differ (-want +got):\n%s", diff)
	}
}

// Each element of a batch is a call of its own in the audit: none hides another's trace.
func TestBatchElementsHaveTheirOwnIDs(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	fail := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fail"}}`
	h.post("alice", `[`+fail+`,`+fail+`]`)
	var ids []string
	for _, e := range h.journal.events {
		ids = append(ids, e.RequestID)
	}
	if len(ids) != 2 || ids[0] == ids[1] || !strings.HasSuffix(ids[1], ".2") {
		t.Errorf("the two calls have the ids %q", ids)
	}
}

// A batch starts nothing more once the server stops.
func TestBatchWhileDraining(t *testing.T) {
	t.Parallel()
	h := newHouse(t, nil)
	withTool(t, h, func(context.Context, *tools.Call) (*tools.Result, error) {
		h.server.Drain()
		return tools.Text("draining"), nil
	})
	w := h.post("alice", `[`+callHang(``)+`,{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"note_write"}}]`)
	want := `,{"jsonrpc":"2.0","id":2,"error":{"code":503,"message":"the server is stopping: send what is left again"}}]` + "\n"
	if got := w.Body.String(); !strings.HasSuffix(got, want) || !strings.Contains(got, "draining") {
		t.Errorf("got %s", got)
	}
}

// A batch cannot multiply: each of its elements counts against the rate, whatever it is, and one that is refused has its answer
// in its own place.
func TestBatchAtARate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, func(_ *mcp.Config, e *edge.Config) { e.PerSecond, e.Burst = 0.5, 4 })
		const ping, notice = `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","method":"notifications/initialized"}`
		const ok, refused = `{"jsonrpc":"2.0","id":1,"result":{}}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":429,"message":"this client sends more than it may: wait 2 s, then send it again","data":{"retryAfter":2}}}`
		const unreadable = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a message is a JSON object"}}`
		w := h.post("alice", "["+strings.Join([]string{ping, notice, `7`, ping, ping, notice, ping}, ",")+"]")
		if want := "[" + strings.Join([]string{ok, unreadable, ok, refused, refused}, ",") + "]\n"; w.Code != 200 || w.Body.String() != want {
			t.Errorf("%d %s\nwant %s", w.Code, w.Body, want)
		}
		if w := h.post("alice", ping); w.Code != 429 || w.Header().Get("Retry-After") != "2" {
			t.Errorf("after the batch: %d %v", w.Code, w.Header())
		}
		if w := h.post("clerk", ping); w.Code != 200 {
			t.Errorf("another client: %d", w.Code)
		}
		time.Sleep(2 * time.Second)
		if w := h.post("alice", ping); w.Code != 200 {
			t.Errorf("after what Retry-After says: %d", w.Code)
		}
	})
}
