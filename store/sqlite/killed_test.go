package sqlite_test

import (
	"math/rand/v2"
	"os/exec"
	"testing"
)

// TestKilledAtAnyMoment: what was acknowledged survives SIGKILL, whenever it comes, again and
// again on the same files.
func TestKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	killedOften(t, nil)
}

// TestKilledWhileArchivingAtAnyMoment: nor is anything lost that was being archived.
func TestKilledWhileArchivingAtAnyMoment(t *testing.T) {
	t.Parallel()
	killedOften(t, []string{childArchives + "=1"})
}

func killedOften(t *testing.T, environment []string) {
	t.Helper()
	dir := t.TempDir()
	var acknowledged []string
	for range 5 {
		last := 1 + rand.IntN(300/effort)
		acknowledged = append(acknowledged, run(t, dir, environment, func(cmd *exec.Cmd, n int) {
			if n == last {
				_ = cmd.Process.Kill()
			}
		})...)
		survived(t, dir, acknowledged)
	}
}
