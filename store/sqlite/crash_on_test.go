//go:build crashpoints

package sqlite_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prax/store/sqlite"
)

// TestKilledAtEachPoint: at every crash point, the first time and a later one, what was
// acknowledged survives, and the next start goes on from there.
func TestKilledAtEachPoint(t *testing.T) {
	t.Parallel()
	for _, point := range slices.Concat(sqlite.CrashPoints, sqlite.AttemptPoints, sqlite.MergePoints) {
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

// TestKilledWhileBackingUp: at every point of a backup, what is there is a whole backup or none, and the data
// directory is as it was.
func TestKilledWhileBackingUp(t *testing.T) {
	t.Parallel()
	data := written(t)
	before := names(t, data)
	for _, point := range sqlite.BackupPoints {
		dir := filepath.Join(t.TempDir(), "backup")
		run(t, data, []string{"PRAX_CRASH_AT=" + point, childTo + "=" + dir}, func(*exec.Cmd, int) {})
		b, err := sqlite.OpenBackup(dir)
		switch {
		case point == "after-manifest" && err != nil:
			t.Errorf("after %s: %v", point, err)
		case point == "after-manifest":
			_ = b.Close()
			back, _ := restore(t, dir)
			whole(t, back)
		case err == nil:
			t.Errorf("after %s it is taken for whole", point)
		case !strings.Contains(err.Error(), "interrupted"):
			t.Errorf("after %s: %v", point, err)
		}
		if after := names(t, data); after != before {
			t.Errorf("after %s the data directory has %s", point, after)
		}
		whole(t, data)
		before = names(t, data)
	}
}

// TestKilledWhileRestoring: at every point of a restore, no server starts on half of it; once it is whole, one does.
func TestKilledWhileRestoring(t *testing.T) {
	t.Parallel()
	backup, _ := backUp(t, written(t), nil)
	for _, point := range sqlite.RestorePoints {
		data := filepath.Join(t.TempDir(), "data")
		run(t, data, []string{"PRAX_CRASH_AT=" + point, childFrom + "=" + backup}, func(*exec.Cmd, int) {})
		if point == "restore-done" {
			whole(t, data)
			continue
		}
		files := tree(t, data)
		refused(t, data, "was interrupted")
		if db, err := sqlite.OpenReadOnly(data); err == nil {
			_ = db.Close()
			t.Errorf("after %s it is readable", point)
		}
		if _, err := restoreTo(backup, data, false); err == nil {
			t.Errorf("after %s it was restored over", point)
		}
		if after := tree(t, data); after != files {
			t.Errorf("after %s there was %s, there is %s", point, files, after)
		}
		if err := os.RemoveAll(data); err != nil {
			t.Fatal(err)
		}
		if _, err := restoreTo(backup, data, false); err != nil {
			t.Errorf("after %s, and emptied: %v", point, err)
		}
	}
}

// laterTimes are for the points that a life passes more than once.
var laterTimes = map[string]int{
	"before-begin": 70, "after-begin": 70, "after-savepoint": 100, "after-function": 100, "before-events": 70, "mid-events": 150,
	"mid-move": 50, "mid-attempt": 100, "mid-closing": 100, "before-commit": 70, "after-commit": 70, "before-answer": 70, "before-block": 20, "after-block": 20, "before-merge": 2, "mid-merge": 2,
	"before-head": 10, "after-head": 10, "before-checkpoint": 3, "after-checkpoint": 3, // the first is at the start, the second may come before the first answer
}
