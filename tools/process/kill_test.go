package process_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"prax/tools/process"
)

// bound is how long anything is waited for.
const bound = 20 * time.Second

// The whole group ends with the context, whatever its members make of SIGTERM and of the output, and what was read
// until then is there.
func TestKilled(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		line string
		held bool // it surely ends no sooner than by SIGKILL
	}{
		"obeys":                           {`echo begun; echo $$ >"$0"; exec sleep 600`, false},
		"ignores SIGTERM":                 {`trap "" TERM; echo begun; echo $$ >"$0"; while :; do sleep 1; done`, true},
		"a grandchild that obeys":         {`echo begun; sleep 600 & echo $$ $! >"$0"; wait`, false},
		"a grandchild that ignores it":    {`echo begun; (trap "" TERM; sleep 600 & echo $$ $! >"$0"; wait; sleep 600) & wait`, true},
		"a grandchild with other outputs": {`echo begun; sleep 600 >/dev/null 2>&1 & echo $$ $! >"$0"; wait`, false},
		"stopped":                         {`echo begun; echo $$ >"$0"; kill -STOP $$`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "pids")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var pids []int
			var cancelled time.Time
			go func() {
				defer cancel()
				pids = numbers(t, file)
				cancelled = time.Now()
			}()
			o, err := process.Run(ctx, shell(tt.line, file))
			var start *process.StartError
			if !errors.Is(err, context.Canceled) || errors.As(err, &start) {
				t.Fatalf("%+v, %v", o, err)
			}
			took := time.Since(cancelled)
			if string(o.Stdout) != "begun\n" || o.Signal == "" {
				t.Errorf("%+v", o)
			}
			if took > bound || tt.held && took < time.Second {
				t.Errorf("it took %v", took)
			}
			gone(t, pids)
		})
	}
}

// A child that cleans up at SIGTERM may do so, and is told as killed all the same: what it did is in doubt.
func TestKilledInGrace(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "pids")
	ctx, cancel := context.WithCancel(t.Context())
	go func() { numbers(t, file); cancel() }()
	o, err := process.Run(ctx, shell(`trap "echo cleaned; exit 0" TERM; echo $$ >"$0"; while :; do sleep 0.05; done`, file))
	if !errors.Is(err, context.Canceled) || string(o.Stdout) != "cleaned\n" || o.Exit != 0 {
		t.Errorf("%+v, %v", o, err)
	}
}

// What a child leaves behind neither holds Run up nor goes on in its group, and one that left the group holds nothing.
func TestLeftBehind(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		line  string
		stays bool
	}{
		"in the group, with the outputs":   {`sleep 600 & echo $! >"$0"; echo done; exit 7`, false},
		"in the group, with other outputs": {`sleep 600 >/dev/null 2>&1 & echo $! >"$0"; echo done; exit 7`, false},
		"in a session of its own":          {`setsid sh -c 'echo $$ >"$0"; exec sleep 600' "$0" & while ! [ -s "$0" ]; do sleep 0.05; done; echo done; exit 7`, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath("setsid"); tt.stays && err != nil {
				t.Skip("there is no setsid(1)")
			}
			file := filepath.Join(t.TempDir(), "pids")
			c := shell(tt.line, file)
			c.Stdin = make([]byte, 1<<20) // nobody reads it either
			began := time.Now()
			o := run(t, c)
			if string(o.Stdout) != "done\n" || o.Exit != 7 || o.StdoutCut != tt.stays {
				t.Errorf("%+v", o)
			}
			if took := time.Since(began); took > bound {
				t.Errorf("it took %v", took)
			}
			pids := numbers(t, file)
			if tt.stays {
				_ = syscall.Kill(pids[0], syscall.SIGKILL)
			}
			gone(t, pids)
		})
	}
}

// When Run returns, the child has been waited for: there is no zombie.
func TestReaped(t *testing.T) {
	t.Parallel()
	o := run(t, shell(`echo $$`))
	pid, err := strconv.Atoi(strings.TrimSpace(string(o.Stdout)))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("kill %d: %v", pid, err)
	}
}

// A child has no terminal to ask at, and a group of its own.
func TestOwnGroup(t *testing.T) {
	t.Parallel()
	o := run(t, shell(`kill -0 -$$ && echo a group; (: </dev/tty) 2>/dev/null && echo a terminal; :`))
	if string(o.Stdout) != "a group\n" {
		t.Errorf("%s%s", o.Stdout, o.Stderr)
	}
}

// A parent that is killed takes the child with it.
func TestParentKilled(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells a child that its parent has ended")
	}
	file := filepath.Join(t.TempDir(), "pids")
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), parentOf+"="+file)
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	pids := numbers(t, file)
	if err := parent.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = parent.Wait()
	gone(t, pids)
}

// numbers waits for a line of them in a file.
func numbers(t testing.TB, file string) (all []int) {
	eventually(t, func() error {
		text, err := os.ReadFile(file)
		if err != nil || !bytes.HasSuffix(text, []byte("\n")) {
			return fmt.Errorf("%q, %v", text, err)
		}
		all = nil
		for _, f := range strings.Fields(string(text)) {
			n, err := strconv.Atoi(f)
			if err != nil {
				return err
			}
			all = append(all, n)
		}
		return nil
	})
	return all
}

// gone waits until none of these processes runs any more. A zombie that nobody has reaped does not run.
func gone(t testing.TB, pids []int) {
	t.Helper()
	if len(pids) == 0 {
		t.Error("no process to wait for")
	}
	for _, pid := range pids {
		eventually(t, func() error {
			if err := syscall.Kill(pid, 0); errors.Is(err, syscall.ESRCH) {
				return nil
			}
			stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
			if _, after, _ := bytes.Cut(stat, []byte(") ")); bytes.HasPrefix(after, []byte("Z")) {
				return nil
			}
			return fmt.Errorf("%d runs: %s", pid, stat)
		})
	}
}

func eventually(t testing.TB, try func() error) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(bound); ; <-tick.C {
		err := try()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			t.Error(err)
			return
		}
	}
}
