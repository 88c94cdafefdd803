package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"prax/auth/clients"
)

// TestReasons: joined errors are a line each, with what was said before them; text of others stays one line.
func TestReasons(t *testing.T) {
	t.Parallel()
	a, b, c := errors.New("a"), errors.New("b"), errors.New("c\nd")
	for name, tt := range map[string]struct {
		err  error
		want []string
	}{
		"one":          {a, []string{"a"}},
		"joined":       {errors.Join(a, b), []string{"a", "b"}},
		"with context": {failed("", "x: %w", errors.Join(a, fmt.Errorf("y: %w", errors.Join(b, c)))), []string{"x: a", "x: y: b", `x: y: c\u{a}d`}},
		"two wrapped":  {fmt.Errorf("%w and %w", a, b), []string{"a and b"}},
		"none wrapped": {fmt.Errorf("%w and %w", nil, nil), []string{"%!w(<nil>) and %!w(<nil>)"}},
	} {
		p, _, stderr := trial()
		p.report(tt.err)
		want := "prax: error: " + strings.Join(tt.want, "\nprax: error: ") + "\n"
		if diff := cmp.Diff(want, stderr.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestEditHint: the file is blamed exactly when it cannot be read.
func TestEditHint(t *testing.T) {
	t.Parallel()
	good, bad := write(t, "good.json", `{"clients":[]}`), write(t, "bad.json", `{"clients":[`)
	refused := func(path, name string) error { return clients.AddClient(path, clients.Entry{Name: name, UserID: "u"}) }
	for name, tt := range map[string]struct {
		path string
		err  error
		want string
	}{
		"broken file":      {bad, refused(bad, "x"), checkHint},
		"bad name":         {good, refused(good, "operator:x"), ""},
		"name, no file":    {filepath.Join(t.TempDir(), "none.json"), refused("none.json", " x"), ""},
		"no directory":     {"none/none.json", refused("none/none.json", "x"), "make its directory first; --clients FILE names another file"},
		"full disk":        {good, fmt.Errorf("write: %w", errors.Join(&os.PathError{Err: syscall.ENOSPC})), "the disk is full: make room, and try again"},
		"mounted file":     {good, fmt.Errorf("rename: %w", &os.LinkError{Err: syscall.EBUSY}), "a file that is mounted by itself cannot be replaced: mount its directory"},
		"read-only system": {good, &os.PathError{Err: syscall.EROFS}, "the file system is read-only: edit the file where it can be written"},
		"another edit":     {good, fmt.Errorf("lock: %w", clients.ErrBusy), "try again"},
	} {
		if tt.err == nil {
			t.Fatalf("%s: no error", name)
		}
		if got := editHint(tt.path, tt.err); got != tt.want {
			t.Errorf("%s: %v has the hint %q, want %q", name, tt.err, got, tt.want)
		}
	}
}

// full is a stream that takes only so many bytes.
type full struct{ room int }

func (f *full) Write(text []byte) (int, error) {
	n := min(len(text), f.room)
	f.room -= n
	if n < len(text) {
		return n, syscall.ENOSPC
	}
	return n, nil
}

// TestStdoutFails: whatever is printed, and wherever it breaks off, a command whose output was not taken
// has failed, and says why once.
func TestStdoutFails(t *testing.T) {
	t.Parallel()
	file := write(t, "clients.json", `{"clients":[]}`)
	for _, args := range [][]string{
		{"help"}, {"client"}, {"client", "add", "-h"}, {"version"}, {"version", "--json"}, {"check", "--clients", file},
		{"client", "list", "--clients", file}, {"client", "list", "--clients", file, "--json"}, {"config", "show"}, {"token", "hash"},
	} {
		whole := len(printed(t, io.Discard, args...))
		for _, room := range []int{0, 1, whole - 1} {
			p, _, stderr := trial()
			p.stdin, p.stdout = strings.NewReader("abcdefgh"), &full{room}
			code := p.run(args)
			if code == exitOK || strings.Count(stderr.String(), "standard output: ") > 1 || strings.Count(stderr.String(), syscall.ENOSPC.Error()) != 1 {
				t.Errorf("%q with room for %d of %d bytes ends with %d: %s", args, room, whole, code, stderr)
			}
		}
	}
}

func printed(t *testing.T, stderr io.Writer, args ...string) string {
	t.Helper()
	p, stdout, _ := trial()
	p.stdin, p.stderr = strings.NewReader("abcdefgh"), stderr
	p.run(args)
	if stdout.Len() == 0 {
		t.Fatalf("%q prints nothing", args)
	}
	return stdout.String()
}

// TestJSONIsPrintable: what is printed as JSON has nothing that a terminal obeys, and means what it meant.
func TestJSONIsPrintable(t *testing.T) {
	t.Parallel()
	want := "a\u202eb\u0085c\u009bd\x7fe\x1bf\u2028g\u2066h\ufeffi\U000e0041j\ufffdk é 東 \\u202e"
	text, err := indented(map[string]any{want: []string{want}})
	if err != nil {
		t.Fatal(err)
	}
	if shown := printableText(string(text)); shown != strings.ReplaceAll(string(text), "\ufffd", `\u{fffd}`) {
		t.Errorf("it prints %q", text)
	}
	var got map[string][]string
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string][]string{want: {want}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
