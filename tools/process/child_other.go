//go:build unix && !linux

package process

import (
	"os"
	"syscall"
)

// attributes put the child into a session, hence a group, of its own: it cannot ask at a terminal, and is ended as a
// whole.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// awaitEnd waits until a child has ended.
func awaitEnd(p *os.Process) (reap func() (*os.ProcessState, error)) {
	state, err := p.Wait()
	return func() (*os.ProcessState, error) { return state, err }
}

// sealDescriptors keeps what we inherited ourselves, and whatever else was opened carelessly, out of children.
func sealDescriptors() { sealListed("/dev/fd") }
