package server

import (
	"fmt"
	"net"
	"strconv"
)

// CheckBind refuses an address that cannot be listened on, and one that would carry tokens in the
// clear beyond this machine. TLS, or the operator's word that the network is safe, lifts the second.
// A name other than localhost counts as beyond: what it resolves to is not known here.
func CheckBind(addr string, tls, insecure bool) error {
	local, err := checkAddress(addr)
	if err != nil || local || tls || insecure {
		return err
	}
	return fmt.Errorf("address %q: plaintext beyond loopback: set PRAX_TLS_CERT and PRAX_TLS_KEY, listen on 127.0.0.1 behind a proxy with TLS, or set PRAX_INSECURE_BIND=true", addr)
}

// CheckMetricsBind refuses an address that cannot be listened on, and one at which others than this machine could read the
// metrics, unless the operator's word is that the network is safe. They ask for no token.
func CheckMetricsBind(addr string, insecure bool) error {
	local, err := checkAddress(addr)
	if err != nil || local || insecure {
		return err
	}
	return fmt.Errorf("address %q: metrics beyond loopback, where they are told to anybody: listen on 127.0.0.1, or set PRAX_INSECURE_BIND=true", addr)
}

// checkAddress tells whether an address is this machine's alone.
func checkAddress(addr string) (local bool, err error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return false, fmt.Errorf("address %q: not host:port", addr)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil {
		return false, fmt.Errorf("address %q: port %q is none of 0 to 65535", addr, port)
	} else if n == 0 && port != "0" {
		return false, fmt.Errorf("address %q: port %q is not written plainly", addr, port)
	}
	name, ok := hostname(host)
	return ok && loopback(name), nil
}
