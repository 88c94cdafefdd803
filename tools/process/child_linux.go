package process

import (
	"os"
	"syscall"
)

// attributes put the child into a session, hence a group, of its own: it cannot ask at a terminal, and is ended as a
// whole. When we end, so does it.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// The parts of waitid(2) that package syscall has no name for.
const (
	idPID   = 1
	noWait  = 0x01000000 // WNOWAIT
	exiting = 4          // WEXITED
)

// awaitEnd waits until a child has ended and leaves it to be reaped: until then its number, and that of its group, go
// to nobody else.
func awaitEnd(p *os.Process) (reap func() (*os.ProcessState, error)) {
	for {
		_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, idPID, uintptr(p.Pid), 0, exiting|noWait, 0, 0)
		if errno != syscall.EINTR {
			return p.Wait
		}
	}
}

const sysCloseRange = 436 // but on mips and alpha, where the call fails and the list is gone through

// sealDescriptors keeps what we inherited ourselves, and whatever else was opened carelessly, out of children.
func sealDescriptors() {
	const closeOnExec = 4 // CLOSE_RANGE_CLOEXEC, Linux 5.11
	if _, _, errno := syscall.RawSyscall(sysCloseRange, 3, uintptr(^uint32(0)), closeOnExec); errno != 0 {
		sealListed("/proc/self/fd")
	}
}
