package control

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestSocketIsTheOwnersAlone(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	dir := t.TempDir()
	ln, err := Listen(filepath.Join(dir, SocketName))
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(filepath.Join(dir, SocketName))
	if err != nil || info.Mode() != os.ModeSocket|0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left in the directory: %v", left)
	}
	if ln.Addr().String() != filepath.Join(dir, SocketName) {
		t.Errorf("address %s", ln.Addr())
	}
	if err := ln.Close(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left after Close: %v", left)
	}
}

func TestSocketOfADeadServer(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), SocketName)
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	dead.SetUnlinkOnClose(false)
	_ = dead.Close()
	if _, err := Dial(path); !errors.Is(err, ErrNoServer) {
		t.Errorf("Dial: %v, want ErrNoServer", err)
	}
	ln, err := Listen(path)
	if err != nil {
		t.Fatalf("a dead server's socket is in the way: %v", err)
	}
	defer func() { _ = ln.Close() }()
	c, err := dial(path)
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
}

func TestSocketInUse(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), SocketName)
	first, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = first.Close() }()
	if _, err := Listen(path); !errors.Is(err, ErrInUse) {
		t.Errorf("a second server: %v, want ErrInUse", err)
	}
	if c, err := dial(path); err != nil {
		t.Errorf("the first server lost its socket: %v", err)
	} else {
		_ = c.Close()
	}
}

func TestSocketNameIsTaken(t *testing.T) {
	t.Parallel()
	for name, put := range map[string]func(string) error{
		"file":      func(p string) error { return os.WriteFile(p, []byte("mine"), 0o600) },
		"directory": func(p string) error { return os.Mkdir(p, 0o700) },
		"symlink":   func(p string) error { return os.Symlink("elsewhere", p) },
		"fifo":      func(p string) error { return syscall.Mkfifo(p, 0o600) },
	} {
		path := filepath.Join(t.TempDir(), SocketName)
		if err := put(path); err != nil {
			t.Fatal(err)
		}
		if ln, err := Listen(path); err == nil {
			_ = ln.Close()
			t.Errorf("%s: was replaced", name)
		}
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("%s: is gone: %v", name, err)
		}
	}
}

// A socket's address holds about 100 bytes; a data directory may be deeper.
func TestSocketDeepInTheTree(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), strings.Repeat("d", 100), strings.Repeat("e", 100))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, SocketName)
	ln, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := dial(path)
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
	if _, err := Listen(path); !errors.Is(err, ErrInUse) {
		t.Errorf("a second server: %v, want ErrInUse", err)
	}
	_ = ln.Close()
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after Close: %v", err)
	}
}

// A server that ends late must not take the socket of the one that came after it.
func TestCloseLeavesAnothersSocket(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), SocketName)
	first, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	second, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = second.Close() }()
	_ = first.Close()
	_ = first.Close()
	c, err := dial(path)
	if err != nil {
		t.Fatalf("the second server's socket is gone: %v", err)
	}
	_ = c.Close()
}

func TestDialNobody(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{
		"nothing":      filepath.Join(t.TempDir(), SocketName),
		"no directory": filepath.Join(t.TempDir(), "absent", SocketName),
	} {
		if _, err := Dial(path); !errors.Is(err, ErrNoServer) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want ErrNoServer with the path", name, err)
		}
	}
}
