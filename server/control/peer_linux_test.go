package control

import (
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// asUser runs f on a thread that has another user's rights, and throws the thread away.
func asUser(t *testing.T, uid int, f func()) {
	t.Helper()
	failed := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		const unchanged = ^uintptr(0)
		// The raw call changes this thread alone.
		if _, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, unchanged, uintptr(uid), unchanged); errno != 0 {
			failed <- errno
			return
		}
		f()
		failed <- nil
	}()
	if err := await(t, failed, "the other user"); err != nil {
		t.Fatal(err)
	}
}

// The kernel says who connects: neither the mode alone nor the peer's word.
func TestAnotherUserOfThisMachine(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can act as another user")
	}
	dir, err := os.MkdirTemp("/tmp", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	h := open(t)
	h.path = filepath.Join(dir, SocketName)
	h.serve()
	const nobody = 65534
	connect := func() (c net.Conn, err error) {
		asUser(t, nobody, func() { c, err = net.Dial("unix", h.path) })
		return c, err
	}
	if c, err := connect(); !errors.Is(err, os.ErrPermission) {
		t.Errorf("another user connected: %v", err)
		if err == nil {
			_ = c.Close()
		}
	}
	if err := os.Chmod(h.path, 0o666); err != nil { // by mistake
		t.Fatal(err)
	}
	c, err := connect()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	req, _ := http.NewRequest("GET", "http://prax/status", nil)
	if err := req.Write(c); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, len("HTTP/1.1 403"))
	if _, err := c.Read(b); err != nil || string(b) != "HTTP/1.1 403" {
		t.Errorf("another user got %q, %v", b, err)
	}
}
