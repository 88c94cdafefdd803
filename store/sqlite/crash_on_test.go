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

// TestKilledWhileArchiving: at every point of an archiving, the first time and later ones, each event is in
// an archive or in the chain, they join, and the next start archives on from there.
func TestKilledWhileArchiving(t *testing.T) {
	t.Parallel()
	for _, point := range sqlite.ArchivePoints {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			var acknowledged []string
			for _, nth := range []int{1, 3, 2} {
				environment := []string{fmt.Sprintf("PRAX_CRASH_AT=%s:%d", point, nth), childArchives + "=1"}
				acknowledged = append(acknowledged, run(t, dir, environment, func(*exec.Cmd, int) {})...)
				survived(t, dir, acknowledged)
			}
		})
	}
}

// laterTimes are for the points that a life passes more than once.
var laterTimes = map[string]int{
	"before-begin": 70, "after-begin": 70, "after-savepoint": 100, "after-function": 100, "before-events": 70, "mid-events": 150,
	"before-commit": 70, "after-commit": 70, "before-answer": 70, "before-block": 20, "after-block": 20,
	"before-head": 10, "after-head": 10, "before-checkpoint": 3, "after-checkpoint": 3, // the first is at the start, the second may come before the first answer
}
