package doctor

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"syscall"
)

// port is whether a server can listen where it is to. Ours that runs with the data may have the port already; where it
// tells metrics is its own matter then.
func (x *examination) port(context.Context) {
	if x.Server == nil {
		x.listen(x.Addr, "PRAX_ADDR or --addr")
		x.listen(x.Metrics, "PRAX_METRICS_ADDR or --metrics-addr")
	} else if portOf(x.Server.Addr) != portOf(x.Addr) {
		x.listen(x.Addr, "PRAX_ADDR or --addr")
	} else {
		x.looked("port " + portOf(x.Addr))
	}
}

// listen is whether one can at addr, which a setting names.
func (x *examination) listen(addr, setting string) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || port == "0" {
		return
	}
	x.looked("port " + port)
	elsewhere := setting + " listens elsewhere"
	switch err := x.Machine.Listen(addr); {
	case err == nil:
	case errors.Is(err, syscall.EADDRINUSE) && x.Server != nil:
		x.found(Warning, PortUsed, "", "ss -ltnp 'sport = :"+port+"'", "another process listens at %s; the server with this data listens at %s", addr, x.Server.Addr)
	case errors.Is(err, syscall.EADDRINUSE):
		x.found(Error, PortUsed, "", "ss -ltnp 'sport = :"+port+"' names it; "+elsewhere, "another process listens at %s, and not a server with this data", addr)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		x.found(Error, NoAddress, "", "ip address lists what this machine has; "+elsewhere, "this machine has no address %s", host)
	case errors.Is(err, fs.ErrPermission):
		x.found(Error, PortForbidden, "", "take a port above 1023, and a proxy before it; "+elsewhere, "uid %d may not listen at port %s", x.UID, port)
	default:
		x.found(Error, CannotListen, "", elsewhere, "one cannot listen at %s: %v", addr, err)
	}
}
