package clients

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"prax/auth/watch"
)

// TestGiveBack: what a large file took is given back once it was read. For one that cannot be read, and is tried at every
// look, nothing is collected. Not parallel: it counts the collections of the process, and takes its descriptors.
func TestGiveBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clients.json")
	if err := os.WriteFile(path, []byte(`{"clients":[]}`+strings.Repeat(" ", large)), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Open(Config{Path: path}, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := forced(func() { r.look(watch.Event) }); n != 1 {
		t.Errorf("%d collections for a file that was read, want 1", n)
	}
	give := takeDescriptors(t)
	n := forced(func() { r.look(watch.Poll) })
	give()
	if report := r.Status(); len(report.Problems) != 1 || report.Problems[0].Code != FileUnreadable {
		t.Fatalf("without descriptors the file is told as %v", report.Problems)
	}
	if n != 0 {
		t.Errorf("%d collections for a file that was not read", n)
	}
}

// forced is how many collections f asks for.
func forced(f func()) uint32 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.NumForcedGC - before.NumForcedGC
}

// takeDescriptors keeps the process from opening anything until they are given back.
func takeDescriptors(t *testing.T) (give func()) {
	t.Helper()
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	none := was
	none.Cur = 0
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &none); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &was); err != nil {
			t.Error(err)
		}
	}
}
