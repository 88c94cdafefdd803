package sqlite

import "prax/store"

// gatherFrom is how many calls have to share a commit for them to stand in a block: about as many as a handful of callers
// make. A row, a hash and a way to its user for each call took as much as the changes that they tell of.
const gatherFrom = 8

// gathered are the events of the open transaction as they join the chain: where many callers share it, their calls and what
// they did in workflows in blocks, behind everything else.
func (w *writer) gathered() []pending {
	calls := 0
	for i := range w.events {
		if w.events[i].gathers() {
			calls++
		}
	}
	if calls < gatherFrom {
		return w.events
	}
	others, blocks := w.events[:0], []pending(nil)
	for i := range w.events {
		p := &w.events[i]
		if !p.gathers() {
			others = append(others, *p)
			continue
		}
		w.block.Add(&p.Event)
		if calls--; calls == 0 || w.block.full() {
			blocks = append(blocks, w.takeBlock())
		}
	}
	return append(others, blocks...)
}

func (w *writer) takeBlock() pending {
	defer w.block.Reset()
	return pending{Event: store.Event{Kind: store.EventBlock, At: w.db.now()}, shares: w.block.Shares()}
}

// gathers tells whether an event may stand in a block: it tells of one user, who is led to it there as well.
func (p *pending) gathers() bool {
	return p.User != "" && (p.Kind == store.EventCall || p.Kind == store.EventWorkflow)
}

// leadRuns is how many runs of leads events may have written.
func leadRuns(events []pending) (n int64) {
	for i := range events {
		if len(events[i].shares) >= fewShares {
			n++
		}
	}
	return n
}
