package bench

import (
	"testing"
	"time"
)

// TestPace: callers take turns, each keeps its distance, and what was missed is not made up for.
func TestPace(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	now := time.Unix(0, 0)
	for index, want := range []time.Duration{0, 10 * ms, 20 * ms, 30 * ms} {
		p := newPace(100, index, 4, now) // each caller every 40 ms
		if got := p.next(now); got != want {
			t.Errorf("caller %d begins after %v, want %v", index, got, want)
		}
		begun := now.Add(want)
		if got := p.next(begun.Add(15 * ms)); got != 25*ms {
			t.Errorf("caller %d, answered after 15 ms, waits %v", index, got)
		}
		if got := p.next(begun.Add(90 * ms)); got != -10*ms {
			t.Errorf("caller %d, answered late, waits %v", index, got)
		}
		if got := p.next(begun.Add(91 * ms)); got != 39*ms {
			t.Errorf("caller %d, after a late one, waits %v", index, got)
		}
	}
}
