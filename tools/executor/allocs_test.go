//go:build !race

package executor_test

import "testing"

// TestStaticCallAllocates pins what a call of a static tool allocates, from the decision to the answer: one with its
// record, its context, the decoded arguments (5), the result with its block and text, and the HMAC. Under the race
// detector pools lose some of what they are given.
func TestStaticCallAllocates(t *testing.T) {
	for auditReads, want := range map[bool]float64{true: 11, false: 10} {
		r, call := echoing(t, auditReads)
		got := testing.AllocsPerRun(200, func() {
			if res, err := r.Call(t.Context(), call); err != nil || res.IsError {
				t.Fatal(res, err)
			}
		})
		if got != want {
			t.Errorf("reads recorded %v: %v allocations a call, want %v", auditReads, got, want)
		}
	}
}
