package mcp_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

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
