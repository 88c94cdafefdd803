package clients

import "time"

// window is when a token is good: from an instant (zero: it always was) and until one, which is out of it
// already (zero: for ever).
type window struct{ from, until time.Time }

func (w window) holds(at time.Time) bool {
	return windowOff || !at.Before(w.from) && (w.until.IsZero() || at.Before(w.until))
}

// comes tells whether the window will hold, and does not yet.
func (w window) comes(now time.Time) bool {
	return now.Before(w.from) && w.holds(w.from)
}

// within is the window with an end that it has beside its own; zero: none.
func (w window) within(end time.Time) window {
	if w.until.IsZero() || !end.IsZero() && end.Before(w.until) {
		w.until = end
	}
	return w
}

// phase tells whether one of the windows holds at now. If none does, opens is when the first will (zero:
// none will), and ends when the last one did.
func phase(windows []window, now time.Time) (in bool, opens, ends time.Time) {
	for _, w := range windows {
		switch {
		case w.holds(now):
			return true, time.Time{}, time.Time{}
		case w.comes(now) && (opens.IsZero() || w.from.Before(opens)):
			opens = w.from
		case w.until.After(ends):
			ends = w.until
		}
	}
	return false, opens, ends
}

// outAt is when who is in at now by these windows is out: at the end of the last of them that go on without
// a gap; zero: never. It is now for who is out.
func outAt(windows []window, now time.Time) time.Time {
	for at := now; ; {
		next := at
		for _, w := range windows {
			switch {
			case !w.holds(at):
			case w.until.IsZero():
				return time.Time{}
			case w.until.After(next):
				next = w.until
			}
		}
		if next.Equal(at) {
			return at
		}
		at = next
	}
}
