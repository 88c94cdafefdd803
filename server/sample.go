package server

import (
	"net/netip"
	"sync"
	"time"
)

// sample lets so many of a kind through in each minute, and counts the others.
type sample struct {
	most int // in all
	each int // of one caller: its network, or its name where it is known

	mu      sync.Mutex
	minute  time.Time
	total   int
	callers map[string]int // at most most entries
	more    int
}

func newSample(most, each int) *sample {
	return &sample{most: most, each: each, callers: make(map[string]int, most)}
}

func (s *sample) admit(caller string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.total >= s.most || s.callers[caller] >= s.each {
		s.more++
		return false
	}
	s.total++
	s.callers[caller]++
	return true
}

// turn begins another minute when the last one is over, or must not be waited for, and gives how many
// that one left out.
func (s *sample) turn(now time.Time, early bool) (more int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !early && now.Sub(s.minute) < time.Minute {
		return 0
	}
	more = s.more
	s.minute, s.total, s.more = now, 0, 0
	clear(s.callers)
	return more
}

// network is what one caller can easily have many addresses of, as a text to know it by.
func network(remote string) string {
	a, known := networkOf(remote)
	if !known || a.Is4() {
		return remote
	}
	return a.String()
}

// networkOf is the first address of a caller's network: an IPv6 /64, or the one address of IPv4.
func networkOf(remote string) (first netip.Addr, known bool) {
	a, err := netip.ParseAddr(remote)
	if err != nil {
		return a, false
	}
	if a = a.Unmap().WithZone(""); a.Is4() {
		return a, true
	}
	p, err := a.Prefix(64)
	return p.Addr(), err == nil
}
