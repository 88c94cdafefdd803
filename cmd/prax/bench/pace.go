package bench

import "time"

// pace says when the requests of one caller are due.
type pace struct {
	due     time.Time
	between time.Duration
}

// newPace spreads the callers evenly over the time between two requests of each.
func newPace(rate float64, index, callers int, now time.Time) *pace {
	between := float64(callers) / rate * float64(time.Second)
	return &pace{now.Add(time.Duration(between * float64(index) / float64(callers))), time.Duration(between)}
}

// next is how long it is until the next request, which may be over. A moment that was missed is not made up for: the
// loop is closed.
func (p *pace) next(now time.Time) time.Duration {
	wait := p.due.Sub(now)
	p.due = p.due.Add(p.between + max(-wait, 0))
	return wait
}
