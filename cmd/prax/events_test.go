package main

import (
	"testing"

	"prax/store"
)

// TestEarly: the events of a start are held until it is over, in order and once; before and after, none is.
func TestEarly(t *testing.T) {
	t.Parallel()
	var s early
	event := func(detail string) store.Event { return store.Event{Kind: store.EventServer, Detail: detail} }
	if s.hold(event("before")) || s.end() != nil {
		t.Error("an event was held without a start")
	}
	s.begin()
	if !s.hold(event("1")) || !s.hold(event("2")) {
		t.Error("an event of the start was not held")
	}
	if held := s.end(); len(held) != 2 || held[0].Detail != "1" || held[1].Detail != "2" {
		t.Errorf("held %v", held)
	}
	if s.hold(event("after")) || s.end() != nil {
		t.Error("an event was held after the start")
	}
}
