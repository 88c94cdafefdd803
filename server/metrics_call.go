package server

import (
	"slices"
	"sync/atomic"
	"time"

	"prax/tools"
)

const (
	mostTools = 500 // told apart: more than a catalogue has, whatever it had since the start
	noTool    = "unknown"
)

var callOutcomes = [...]string{tools.OutcomeOK, tools.OutcomeError, tools.OutcomeDenied, tools.OutcomeTimeout, tools.OutcomeCancelled, tools.OutcomePanic}

// callCounts are the calls of one tool.
type callCounts struct {
	outcomes [len(callOutcomes)]atomic.Uint64
	took     histogram
}

var callTimes = seconds(100*time.Microsecond, 500*time.Microsecond, time.Millisecond, 2500*time.Microsecond, 5*time.Millisecond,
	10*time.Millisecond, 25*time.Millisecond, 50*time.Millisecond, 100*time.Millisecond, 250*time.Millisecond, 500*time.Millisecond,
	time.Second, 5*time.Second, 10*time.Second, time.Minute)

func newCallCounts() *callCounts { return &callCounts{took: newHistogram(callTimes)} }

func (c *callCounts) add(outcome string, took time.Duration) {
	at := slices.Index(callOutcomes[:], outcome)
	if at < 0 {
		at = slices.Index(callOutcomes[:], tools.OutcomeError)
	}
	c.outcomes[at].Add(1)
	if outcome != tools.OutcomeDenied { // which takes no time, and would hide what the others take
		c.took.add(int64(max(took, 0)))
	}
}

// Tool implements [tools.Observer]. Names of no tool are one: callers choose them.
func (m *Metrics) Tool(name string) func(outcome string, took time.Duration) {
	if name == "" {
		name = noTool
	}
	return m.calls.at(name).add
}

func (m *Metrics) writeCalls(t *text) {
	t.open(&toolCallsTotal)
	m.calls.each(func(tool string, c *callCounts) {
		for at := range c.outcomes {
			if n := c.outcomes[at].Load(); n > 0 {
				t.sample(toolCallsTotal.name, float64(n), "tool", tool, "outcome", callOutcomes[at])
			}
		}
	})
	t.open(&toolCallSeconds)
	m.calls.each(func(tool string, c *callCounts) {
		if !c.took.empty() {
			c.took.write(t, toolCallSeconds.name, "tool", tool)
		}
	})
}
