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

// A server of few clients counts as if it kept a little more, one of many is as large as it is.
func TestLeast(t *testing.T) {
	t.Parallel()
	for registry, want := range map[int]int{0: least, 1: least - 1<<20, 2 << 20: 4 << 20, least: 0, 100 << 20: 0} {
		if got := missingTo(registry); got != want {
			t.Errorf("with %d bytes of clients %d are missing, want %d", registry, got, want)
		}
	}
}
