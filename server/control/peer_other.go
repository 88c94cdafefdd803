//go:build !linux

package control

import (
	"errors"
	"fmt"
	"net"
)

// peerUID is not known here, so nobody is an operator.
func peerUID(*net.UnixConn) (uid int, err error) {
	return -1, fmt.Errorf("peer of the operator's socket: %w", errors.ErrUnsupported)
}
