package process_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"prax/tools/process"
)

func TestOutcome(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		command process.Command
		want    process.Outcome
	}{
		"both outputs and a status": {shell(`echo out; echo err >&2; exit 3`),
			process.Outcome{Exit: 3, Stdout: []byte("out\n"), Stderr: []byte("err\n")}},
		"a signal of its own":    {shell(`kill -KILL $$`), process.Outcome{Exit: -1, Signal: "killed"}},
		"input":                  {process.Command{Path: "cat", Stdin: []byte("a\x00b")}, process.Outcome{Stdout: []byte("a\x00b")}},
		"no input is its end":    {process.Command{Path: "cat"}, process.Outcome{}},
		"input that nobody read": {process.Command{Path: "true", Stdin: make([]byte, 1<<20)}, process.Outcome{}},
		"arguments are not a command line": {process.Command{Path: "printf", Args: []string{"%s|", "a b", "$HOME", "`id`", "", "*"}},
			process.Outcome{Stdout: []byte("a b|$HOME|`id`||*|")}},
		"beyond what is kept": {func() process.Command {
			c := shell(`printf 123456; printf 123 >&2`)
			c.MaxOut, c.MaxErr = 5, 3
			return c
		}(), process.Outcome{Stdout: []byte("12345"), StdoutCut: true, Stderr: []byte("123")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := run(t, tt.command)
			if got.Took <= 0 {
				t.Errorf("took %v", got.Took)
			}
			if d := cmp.Diff(tt.want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(process.Outcome{}, "Took")); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

// The memory of a flood is what is kept of it. No t.Parallel: what is counted is the whole process.
func TestFlood(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	o := run(t, shell(`head -c 100000000 /dev/zero; head -c 100000000 /dev/zero >&2; echo end >&2`))
	runtime.ReadMemStats(&after)
	if len(o.Stdout) != 1<<20 || !o.StdoutCut || len(o.Stderr) != 64<<10 || !o.StderrCut {
		t.Errorf("kept %d (%t) and %d (%t)", len(o.Stdout), o.StdoutCut, len(o.Stderr), o.StderrCut)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
		t.Errorf("allocated %d bytes", n)
	}
}

// Nothing of our environment gets in, and PATH is the only thing that is added.
func TestEnvironment(t *testing.T) {
	t.Setenv("PRAX_CANARY", "must stay here")
	t.Setenv("PATH", "/nowhere:"+os.Getenv("PATH"))
	for name, tt := range map[string]struct{ given, want []string }{
		"none":            {nil, []string{"PATH=" + process.DefaultPath}},
		"some":            {[]string{"A=1", "B=x=y", "C="}, []string{"A=1", "B=x=y", "C=", "PATH=" + process.DefaultPath}},
		"a PATH":          {[]string{"PATH=/usr/bin:/bin", "A=1"}, []string{"A=1", "PATH=/usr/bin:/bin"}},
		"twice: the last": {[]string{"A=1", "A=2"}, []string{"A=2", "PATH=" + process.DefaultPath}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, dir := range []string{"", t.TempDir()} {
				o := run(t, process.Command{Path: "env", Env: tt.given, Dir: dir})
				got := strings.Split(strings.TrimSuffix(string(o.Stdout), "\n"), "\n")
				slices.Sort(got)
				if d := cmp.Diff(tt.want, got); d != "" {
					t.Errorf("in %q, -want +got:\n%s", dir, d)
				}
			}
		})
	}
}

// The program is looked up in the PATH of the child: not in ours, and not in a directory that depends on where one is.
func TestLookUp(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "tell"), "#!/bin/sh\necho it ran in $PWD\n", 0o755)
	write(t, filepath.Join(dir, "data"), "#!/bin/sh\n", 0o644)
	write(t, filepath.Join(dir, "sub", "tell"), "#!/bin/sh\necho sub\n", 0o755)
	write(t, filepath.Join(dir, "broken"), "#!/no/such/interpreter\n", 0o755)
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Chdir(dir)

	ran := "it ran in " + dir + "\n"
	for name, tt := range map[string]struct {
		command process.Command
		out     string // "": it must not start
		is      error
	}{
		"in our PATH only":            {process.Command{Path: "tell"}, "", fs.ErrNotExist},
		"in the child's PATH":         {process.Command{Path: "tell", Env: []string{"PATH=/nowhere:" + dir + ":/bin"}}, ran, nil},
		"the current one in PATH":     {process.Command{Path: "tell", Env: []string{"PATH=.:/bin"}}, "", fs.ErrNotExist},
		"an empty element of PATH":    {process.Command{Path: "tell", Env: []string{"PATH=:/bin:"}}, "", fs.ErrNotExist},
		"an empty PATH":               {process.Command{Path: "sh", Env: []string{"PATH="}}, "", fs.ErrNotExist},
		"absolute":                    {process.Command{Path: dir + "/tell"}, ran, nil},
		"below the directory":         {process.Command{Path: "./tell", Dir: dir}, ran, nil},
		"deeper":                      {process.Command{Path: "./sub/tell", Dir: dir}, "sub\n", nil},
		"below a relative directory":  {process.Command{Path: "./tell", Dir: "sub"}, "sub\n", nil},
		"below the current one":       {process.Command{Path: "./tell"}, ran, nil},
		"not below the directory":     {process.Command{Path: "./tell", Dir: "/"}, "", fs.ErrNotExist},
		"a slash in the middle":       {process.Command{Path: "sub/tell"}, "", nil},
		"above":                       {process.Command{Path: "../" + filepath.Base(dir) + "/tell"}, "", nil},
		"missing":                     {process.Command{Path: "no-such-program"}, "", fs.ErrNotExist},
		"missing, absolute":           {process.Command{Path: "/no/such/program"}, "", fs.ErrNotExist},
		"not executable":              {process.Command{Path: "./data"}, "", fs.ErrPermission},
		"not executable, in PATH":     {process.Command{Path: "data", Env: []string{"PATH=" + dir}}, "", fs.ErrPermission},
		"a directory":                 {process.Command{Path: "./sub"}, "", nil},
		"an interpreter that is none": {process.Command{Path: "./broken"}, "", fs.ErrNotExist},
		"no directory":                {process.Command{Path: "true", Dir: dir + "/none"}, "", fs.ErrNotExist},
		"a file as the directory":     {process.Command{Path: "true", Dir: dir + "/data"}, "", nil},
		"no name":                     {process.Command{}, "", nil},
		"NUL in the name":             {process.Command{Path: "true\x00"}, "", nil},
		"NUL in the directory":        {process.Command{Path: "true", Dir: "/\x00"}, "", nil},
		"NUL in an argument":          {process.Command{Path: "true", Args: []string{"a", "b\x00"}}, "", nil},
		"NUL in the environment":      {process.Command{Path: "true", Env: []string{"A=\x00"}}, "", nil},
		"no NAME in the environment":  {process.Command{Path: "true", Env: []string{"=A"}}, "", nil},
		"no value in the environment": {process.Command{Path: "true", Env: []string{"A"}}, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			o, err := process.Run(t.Context(), tt.command)
			if early := tt.command.Check(); early != nil && fmt.Sprint(early) != fmt.Sprint(err) || early == nil && err != nil && name != "an interpreter that is none" {
				t.Errorf("checked: %v, run: %v", early, err)
			}
			if tt.out != "" {
				if err != nil || string(o.Stdout) != tt.out {
					t.Fatalf("%q, %v; want %q", o.Stdout, err, tt.out)
				}
				return
			}
			var start *process.StartError
			if !errors.As(err, &start) || start.Path != tt.command.Path || tt.is != nil && !errors.Is(err, tt.is) {
				t.Fatalf("%v; want a StartError that is %v", err, tt.is)
			}
		})
	}
}

// An error names neither a value of the environment nor an argument: they may be secrets.
func TestErrorsAreDiscreet(t *testing.T) {
	t.Parallel()
	for _, c := range []process.Command{
		{Path: "true", Env: []string{"TOKEN=canary\x00"}},
		{Path: "true", Env: []string{"canary"}},
		{Path: "true", Args: []string{"canary\x00"}},
	} {
		if _, err := process.Run(t.Context(), c); err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("%v", err)
		}
	}
}

// What we have open stays ours, also what we were given open ourselves and what nobody marked.
func TestDescriptors(t *testing.T) {
	t.Parallel()
	list := "/proc/self/fd"
	if _, err := os.Stat(list); err != nil {
		t.Skip("there is no " + list + " to see them in")
	}
	file := filepath.Join(t.TempDir(), "canary")
	write(t, file, "", 0o600)
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	careless, err := syscall.Dup(int(f.Fd())) // a copy is not closed on exec
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Close(careless) }()
	o := run(t, process.Command{Path: "ls", Args: []string{"-l", list}})
	if !strings.Contains(string(o.Stdout), " 2 -> ") || strings.Contains(string(o.Stdout), file) {
		t.Errorf("the child has\n%s", o.Stdout)
	}
}

// Many at once, each a program that was written a moment ago.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			name := filepath.Join(dir, fmt.Sprintf("p%d", i))
			write(t, name, "#!/bin/sh\ncat; exit $1\n", 0o700)
			o, err := process.Run(t.Context(), process.Command{Path: name, Args: []string{fmt.Sprint(i)}, Stdin: []byte(name)})
			if err != nil || o.Exit != i || string(o.Stdout) != name {
				t.Errorf("%d: %+v, %v", i, o, err)
			}
		})
	}
	all.Wait()
}

// A context that has ended already starts nothing.
func TestEndedBefore(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "touched")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := process.Run(ctx, process.Command{Path: "touch", Args: []string{file}})
	var start *process.StartError
	if !errors.As(err, &start) || !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it ran: %v", err)
	}
}

func write(t testing.TB, file, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(file, []byte(text), mode); err != nil {
		t.Error(err)
	}
}

// Where descriptors are sealed one by one, each is. No t.Parallel: starting a child would seal it too.
func TestSealListed(t *testing.T) {
	const list = "/dev/fd"
	if _, err := os.Stat(list); err != nil {
		t.Skip("there is no " + list + " to go through")
	}
	careless, err := syscall.Dup(0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Close(careless) }()
	process.SealListed(list)
	flags, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(careless), syscall.F_GETFD, 0)
	if errno != 0 || flags&syscall.FD_CLOEXEC == 0 {
		t.Errorf("flags %#x, %v", flags, errno)
	}
}
