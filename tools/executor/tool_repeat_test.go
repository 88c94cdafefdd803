package executor_test

import (
	"context"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/tools"
	"prax/tools/executor"
	"prax/tools/workflow/expr"
)

// TestLaw6LowIsNotReading: a tool that an operator made of an executor, and calls a low risk, may change something all
// the same: it is not called again after a doubt. One of the server that is LOW only reads.
func TestLaw6LowIsNotReading(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ made, idempotent, want bool }{{false, false, true}, {true, false, false}, {true, true, true}} {
		b := newBoard(t, nil)
		err := b.Set("made", []*tools.Tool{{
			Name: "made.post", Description: "Posts.", Tier: auth.Low, Input: jsontext.Value(`{"type":"object"}`),
			OpenWorld: tt.made, Idempotent: tt.idempotent,
			Handler: func(context.Context, *tools.Call) (*tools.Result, error) { return tools.Text("fine"), nil },
		}})
		if err != nil {
			t.Fatal(err)
		}
		r, failure := executor.NewTool(b).Prepare(t.Context(), b.ask(t, `{'tool':'made.post','arguments':{}}`, expr.Env{}))
		if failure != nil || r.Repeatable != tt.want {
			t.Errorf("%+v: %+v, %+v", tt, r, failure)
		}
	}
}
