package tools

import (
	"math"
	"sync"
)

// gate passes progress on until the caller has its answer, and only when it grows.
type gate struct {
	mu     sync.Mutex
	report func(Progress) // nil: nobody listens any more
	last   float64
}

func newGate(report func(Progress)) *gate { return &gate{report: report, last: math.Inf(-1)} }

// pass compares so that what is not a number never counts as growth.
func (g *gate) pass(p Progress) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.report == nil || !(p.Done > g.last) || math.IsInf(p.Done, 1) {
		return
	}
	g.last = p.Done
	g.report(p)
}

// gateProgress puts a gate before who listens to the call's progress. The call is over with what it returns.
func (c *Call) gateProgress() (over func()) {
	if c.Progress == nil {
		c.Progress = ignore
		return nothing
	}
	gate := newGate(c.Progress)
	c.Progress = gate.pass
	return gate.close
}

func ignore(Progress) {}

func nothing() {}

func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.report = nil
}
