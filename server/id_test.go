package server

import (
	"regexp"
	"testing"
)

// A request id is 128 bits in letters that no log escapes, and never the same.
func TestMintID(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[A-Z2-7]{26}$`)
	seen := map[string]bool{}
	for range 10_000 {
		id := mintID()
		if !form.MatchString(id) || seen[id] {
			t.Fatalf("%q, seen before: %t", id, seen[id])
		}
		seen[id] = true
	}
}
