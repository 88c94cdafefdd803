package main

import "testing"

// What may be allocated between two collections is the same with many clients as with few.
func TestPace(t *testing.T) {
	t.Parallel()
	for _, registry := range []int{0, 1 << 20, aside, 100 << 20} {
		live := aside + registry
		if room := live * percentFor(registry) / 100; room > aside || room < aside-live/100 {
			t.Errorf("with %d bytes of clients %d may be allocated, want %d", registry, room, aside)
		}
	}
}
