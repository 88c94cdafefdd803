package watch_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"prax/auth/watch"
)

// TestReadRegular: what is read, and for each thing that may stand in a file's place the kind of error, and that
// nothing waits for it.
func TestReadRegular(t *testing.T) {
	t.Parallel()
	const most = 10
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	write(t, path("empty"), "")
	write(t, path("full"), strings.Repeat("x", most))
	write(t, path("over"), strings.Repeat("x", most+1))
	must(t, os.Symlink("full", path("link")))
	must(t, os.Symlink("pipe", path("pipe-link")))
	must(t, os.Symlink("loop", path("loop")))
	must(t, os.Mkdir(path("directory"), 0o700))
	must(t, syscall.Mkfifo(path("pipe"), 0o600))
	for _, tt := range []struct {
		name, text string
		op         string // what could not be done; "" for nothing
		is         error
		cause      string
	}{
		{name: "empty"},
		{name: "full", text: "xxxxxxxxxx"},
		{name: "link", text: "xxxxxxxxxx"},
		{"over", "", "read", watch.ErrTooLarge, "larger than 10 bytes"},
		{"directory", "", "read", watch.ErrNotRegular, "not a regular file"},
		{"pipe", "", "read", watch.ErrNotRegular, "not a regular file"},
		{"pipe-link", "", "read", watch.ErrNotRegular, "not a regular file"},
		{"missing", "", "open", fs.ErrNotExist, "no such file or directory"},
		{"full/below", "", "open", syscall.ENOTDIR, "not a directory"},
		{"loop", "", "open", syscall.ELOOP, "too many levels of symbolic links"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text, info, err := watch.ReadRegular(path(tt.name), most)
			if string(text) != tt.text || !errors.Is(err, tt.is) {
				t.Fatalf("ReadRegular = %q, %v; want %q, %v", text, err, tt.text, tt.is)
			}
			if wantInfo := tt.op != "open"; (info != nil) != wantInfo {
				t.Errorf("info is %v, want one: %v", info, wantInfo)
			}
			if tt.op == "" {
				return
			}
			var of *fs.PathError
			if !errors.As(err, &of) || of.Op != tt.op || of.Path != path(tt.name) || watch.Reason(err) != "cannot "+tt.op+": "+tt.cause {
				t.Errorf("error %v, want that one could not %s %s: %s", err, tt.op, path(tt.name), tt.cause)
			}
		})
	}
}

// TestReadRegularUnsized: a file may have more in it than its size says, as those of the kernel have; the bound
// holds all the same.
func TestReadRegularUnsized(t *testing.T) {
	t.Parallel()
	const unsized = "/proc/self/environ"
	if info, err := os.Stat(unsized); err != nil || info.Size() != 0 || !info.Mode().IsRegular() {
		t.Skip("this system has no regular files whose size is unknown")
	}
	want, err := os.ReadFile(unsized)
	must(t, err)
	if len(want) == 0 {
		t.Skip("there is no environment to read")
	}
	if text, _, err := watch.ReadRegular(unsized, int64(len(want))); err != nil || !bytes.Equal(text, want) {
		t.Errorf("read %d bytes, %v; want %d", len(text), err, len(want))
	}
	if _, _, err := watch.ReadRegular(unsized, int64(len(want))-1); !errors.Is(err, watch.ErrTooLarge) {
		t.Errorf("one byte more than it may have: %v, want ErrTooLarge", err)
	}
}

// TestReason leaves the name out, however deep the error is, and any other error as it is.
func TestReason(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		want string
	}{
		{&fs.PathError{Op: "open", Path: "name", Err: fs.ErrPermission}, "cannot open: permission denied"},
		{errors.Join(&fs.PathError{Op: "read", Path: "name", Err: syscall.EIO}), "cannot read: input/output error"},
		{errors.New("anything"), "anything"},
	} {
		if got := watch.Reason(tt.err); got != tt.want {
			t.Errorf("Reason(%v) = %q, want %q", tt.err, got, tt.want)
		}
	}
}

// TestReadRegularWaitsForNobody: some files of the kernel are regular by their mode and wait for more to read.
// Where there is none that this process may open, the loop is over at once.
func TestReadRegularWaitsForNobody(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/proc/kmsg", "/proc/self/mem", "/sys/kernel/debug/tracing/trace_pipe"} {
		done := make(chan error, 1)
		go func() {
			_, _, err := watch.ReadRegular(path, 1<<20)
			done <- err
		}()
		select {
		case err := <-done:
			if err == nil {
				t.Logf("%s could be read whole", path)
			}
		case <-time.After(30 * time.Second):
			t.Errorf("%s is still being read", path)
		}
	}
}
