package mcp_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

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
	if !x.Begin() {
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
	if x.End(); !h.exchange(p).Begin() {
		t.Error("the place was not given back")
	}
}
