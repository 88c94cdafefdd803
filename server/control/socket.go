package control

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// SocketName is the socket's name in the data directory.
const SocketName = "prax.sock"

// ErrInUse says that a server answers on the socket already.
var ErrInUse = errors.New("another server answers on it")

// ErrNoServer says that nobody answers on the socket.
var ErrNoServer = errors.New("no server answers on the operator's socket")

// listener is the socket at its final place.
type listener struct {
	*net.UnixListener
	path  string
	file  os.FileInfo
	close sync.Once
}

// Listen opens the socket at path, 0600 whatever the umask: it is made in a directory that nobody
// else can enter, and moved once it is closed to others. A socket that a dead server left is
// replaced; a living one is [ErrInUse], and what is no socket is left alone.
func Listen(path string) (net.Listener, error) {
	if err := clearStale(path); err != nil {
		return nil, fmt.Errorf("operator's socket %s: %w", path, err)
	}
	l, err := listen(path)
	if err != nil {
		return nil, fmt.Errorf("operator's socket %s: %w", path, err)
	}
	return l, nil
}

func listen(path string) (*listener, error) {
	dir, err := os.MkdirTemp(filepath.Dir(path), ".sock-") // 0700
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	made := filepath.Join(dir, "s")
	addr, done, err := short(made)
	if err != nil {
		return nil, err
	}
	defer done()
	ul, err := net.ListenUnix("unix", &net.UnixAddr{Name: addr, Net: "unix"})
	if err != nil {
		return nil, err
	}
	ul.SetUnlinkOnClose(false) // it would remove another server's socket just as well
	l := &listener{UnixListener: ul, path: path}
	if err := l.settle(made); err != nil {
		_ = ul.Close()
		return nil, err
	}
	return l, nil
}

func (l *listener) settle(made string) (err error) {
	if err := os.Chmod(made, 0o600); err != nil {
		return err
	}
	if l.file, err = os.Lstat(made); err != nil {
		return err
	}
	return os.Rename(made, l.path)
}

// Addr is where the socket stands.
func (l *listener) Addr() net.Addr { return &net.UnixAddr{Name: l.path, Net: "unix"} }

// Close removes the socket, unless another took its place. It looks once, while its own is open: as
// long as that is so, no other file can have the same identity.
func (l *listener) Close() error {
	l.close.Do(func() {
		if now, err := os.Lstat(l.path); err == nil && os.SameFile(now, l.file) {
			_ = os.Remove(l.path)
		}
	})
	return l.UnixListener.Close()
}

// clearStale makes room at path: only a socket that refuses connections is in nobody's use.
func clearStale(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().Type() != os.ModeSocket {
		return errors.New("something else has this name: move it away")
	}
	c, err := dial(path)
	if err == nil {
		_ = c.Close()
		return ErrInUse
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return err
	}
	return os.Remove(path)
}

// dialTimeout bounds a connect to a server that does not accept.
const dialTimeout = 2 * time.Second

func dial(path string) (net.Conn, error) {
	addr, done, err := short(path)
	if err != nil {
		return nil, err
	}
	defer done()
	return net.DialTimeout("unix", addr, dialTimeout)
}

// addressMax is what every system takes as a socket's address.
const addressMax = 100

// short is a name for path that fits a socket's address: a long one is reached through its open
// directory, where the system has such names. The name holds until done.
func short(path string) (addr string, done func(), err error) {
	if len(path) <= addressMax {
		return path, func() {}, nil
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return "", nil, err
	}
	return fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), filepath.Base(path)), func() { _ = dir.Close() }, nil
}
