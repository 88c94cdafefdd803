package praxec_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// The most that a get and a pure move may allocate, from the call to its answer, what the store allocates included.
const (
	mostOfGet  = 13
	mostOfMove = 235
)

// TestCost: a get and a move stay within what they may allocate, and 100 more definitions make neither dearer.
func TestCost(t *testing.T) {
	if underRace {
		t.Skip("the race detector allocates for itself, and lets pools forget")
	}
	for _, others := range []int{0, 100} {
		h, a := counting(t, others)
		if n := testing.AllocsPerRun(200, h.getting(a)); n > mostOfGet {
			t.Errorf("a get beside %d other definitions allocates %v times, not at most %d", others, n, mostOfGet)
		}
		if n := testing.AllocsPerRun(100, h.moving(a)); n > mostOfMove {
			t.Errorf("a move beside %d other definitions allocates %v times, not at most %d", others, n, mostOfMove)
		}
	}
}

// getting looks at a workflow.
func (h *house) getting(a answer) func() {
	arguments := fmt.Sprintf(`{"workflowId":%q}`, a.id())
	return func() {
		if res, err := h.call(agent, "praxec.query", arguments); err != nil || !strings.Contains(string(res.Structured), a.id()) {
			h.Fatal(err)
		}
	}
}

// moving takes the transition of a counter, again and again.
func (h *house) moving(a answer) func() {
	version := a.version()
	return func() {
		arguments := `{"workflowId":"` + a.id() + `","expectedVersion":` + strconv.FormatInt(version, 10) + `,"transition":"add","arguments":{"note":"more"}}`
		res, err := h.call(agent, "praxec.command", arguments)
		version++
		if err != nil || !strings.Contains(string(res.Structured), `"executed"`) {
			h.Fatal(err, res)
		}
	}
}
