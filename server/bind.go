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
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("address %q: not host:port", addr)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("address %q: port %q is none of 0 to 65535", addr, port)
	} else if n == 0 && port != "0" {
		return fmt.Errorf("address %q: port %q is not written plainly", addr, port)
	}
	if tls || insecure {
		return nil
	}
	if name, ok := hostname(host); ok && loopback(name) {
		return nil
	}
	return fmt.Errorf("address %q: plaintext beyond loopback: set PRAX_TLS_CERT and PRAX_TLS_KEY, listen on 127.0.0.1 behind a proxy with TLS, or set PRAX_INSECURE_BIND=true", addr)
}
