package runner_test

import (
	"testing"
)

// BenchmarkSubmit is one move by one caller, durable when it returns: most of it is the disk.
func BenchmarkSubmit(b *testing.B) {
	h := open(b)
	a := h.begin(agent, "ticket")
	b.ReportAllocs()
	for b.Loop() {
		next, got := h.submit(agent, a, "again", "")
		if next.Change == nil {
			b.Fatal(got)
		}
		a = next
	}
}

// BenchmarkGet is one look at an instance.
func BenchmarkGet(b *testing.B) {
	h := open(b)
	a := h.begin(agent, "ticket")
	b.ReportAllocs()
	for b.Loop() {
		h.get(agent, a.Stored.ID)
	}
}
