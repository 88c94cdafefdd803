package control

import (
	"fmt"
	"net"
	"syscall"
)

// peerUID is who stands at the other end, as the kernel saw it connect.
func peerUID(c *net.UnixConn) (uid int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return -1, fmt.Errorf("peer of the operator's socket: %w", err)
	}
	var cred *syscall.Ucred
	var failed error
	err = raw.Control(func(fd uintptr) {
		cred, failed = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return -1, fmt.Errorf("peer of the operator's socket: %w", err)
	}
	return int(cred.Uid), nil
}
