package sqlite_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"prax/store"
	"prax/store/sqlite"
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
	for range max(2, 5/effort) {
		last := 1 + rand.IntN(300/effort)
		acknowledged = append(acknowledged, run(t, dir, environment, func(cmd *exec.Cmd, n int) {
			if n == last {
				_ = cmd.Process.Kill()
			}
		})...)
		survived(t, dir, acknowledged)
	}
}

// TestKilledWhileBackingUpAtAnyMoment: whenever it comes, what SIGKILL leaves is a whole backup or is taken for
// none; and so it is with a restore.
func TestKilledWhileBackingUpAtAnyMoment(t *testing.T) {
	t.Parallel()
	data := written(t)
	source, _ := backUp(t, data, nil)
	for range 20 / effort {
		dir, back := filepath.Join(t.TempDir(), "backup"), filepath.Join(t.TempDir(), "data")
		killAfter(t, data, childTo+"="+dir)
		if b, err := sqlite.OpenBackup(dir); err == nil {
			_ = b.Close()
			again, _ := restore(t, dir)
			whole(t, again)
		}
		killAfter(t, back, childFrom+"="+source)
		if _, err := os.Stat(filepath.Join(back, "restoring")); err == nil {
			refused(t, back, "was interrupted")
		} else if _, err := os.Stat(filepath.Join(back, "prax.db")); err == nil {
			whole(t, back)
		}
	}
}

// killAfter starts a child and kills it at some moment of the next tenths of a second.
func killAfter(t *testing.T, dir, environment string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir, environment)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(time.Duration(rand.IntN(250))*time.Millisecond, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	_ = cmd.Wait()
}

// childLimit bounds the files that a child may write, in bytes: the kernel refuses the rest as a full disk does.
const childLimit = "PRAX_TEST_CHILD_LIMIT"

func limitFiles(bytes string) error {
	var n uint64
	if _, err := fmt.Sscan(bytes, &n); err != nil {
		return err
	}
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: n})
}

// TestBackupWithoutRoom: a disk that takes no more is an error, whatever was being written, and nothing is left
// behind; a restore without room leaves nothing either.
func TestBackupWithoutRoom(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	db := open(t, sqlite.Config{Dir: data})
	for range 20 {
		if err := put(db, "alice", strings.Repeat("x", store.MaxDocumentBytes)); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	source, _ := backUp(t, data, nil)
	for _, limit := range []int{0, 1, 100, 4096, 100_000, 1_000_000} {
		parent := t.TempDir()
		for _, environment := range []string{childTo + "=" + filepath.Join(parent, "backup"), childFrom + "=" + source} {
			cmd := exec.Command(os.Args[0])
			dir := data
			if strings.HasPrefix(environment, childFrom) {
				dir = filepath.Join(parent, "data")
			}
			cmd.Env = append(os.Environ(), childDir+"="+dir, environment, childLimit+"="+fmt.Sprint(limit))
			said, err := cmd.Output()
			if err == nil || cmd.ProcessState.ExitCode() != 1 {
				t.Errorf("limit %d, %s: %v, %s", limit, environment, err, said)
			}
		}
		if got := tree(t, parent); got != parent {
			t.Errorf("limit %d: left behind %s", limit, got)
		}
	}
}
