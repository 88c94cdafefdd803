//go:build crashpoints

package sqlite_test

import (
	"fmt"
	"os/exec"
	"testing"

	"prax/store/sqlite"
)

// TestKilledAtEachPoint: at every crash point, the first time and a later one, what was
// acknowledged survives, and the next start goes on from there.
func TestKilledAtEachPoint(t *testing.T) {
	t.Parallel()
	for _, point := range sqlite.CrashPoints {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			nobody := func(*exec.Cmd, int) {}
			acknowledged := run(t, dir, []string{"PRAX_CRASH_AT=" + point}, nobody)
			survived(t, dir, acknowledged)
			if later, again := laterTimes[point]; again {
				acknowledged = append(acknowledged, run(t, dir, []string{fmt.Sprintf("PRAX_CRASH_AT=%s:%d", point, later)}, nobody)...)
				if len(acknowledged) == 0 {
					t.Error("nothing was acknowledged before a later crash: the test shows nothing")
				}
				survived(t, dir, acknowledged)
			}
		})
	}
}

// laterTimes are for the points that a life passes more than once.
var laterTimes = map[string]int{
	"before-begin": 70, "after-begin": 70, "after-savepoint": 100, "after-function": 100, "before-events": 70, "mid-events": 150,
	"mid-move": 50, "before-commit": 70, "after-commit": 70, "before-answer": 70, "before-block": 20, "after-block": 20,
	"before-head": 10, "after-head": 10, "before-checkpoint": 3, "after-checkpoint": 3, // the first is at the start, the second may come before the first answer
}
