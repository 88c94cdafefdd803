package tools

import "sync"

// gate passes progress on until the caller has its answer, and only when it grows.
type gate struct {
	mu     sync.Mutex
	report func(Progress)
	last   float64
	begun  bool
}

func (g *gate) pass(p Progress) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.report == nil || g.begun && p.Done <= g.last {
		return
	}
	g.begun, g.last = true, p.Done
	g.report(p)
}

func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.report = nil
}
