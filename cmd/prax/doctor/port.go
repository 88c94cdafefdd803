package doctor

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"syscall"
)

// port is whether a server can listen where it is to. Ours that runs with the data may have the port already.
func (x *examination) port(context.Context) {
	host, port, err := net.SplitHostPort(x.Addr)
	if err != nil || port == "0" {
		return
	}
	x.looked("port " + port)
	if x.Server != nil {
		if _, at, err := net.SplitHostPort(x.Server.Addr); err == nil && at == port {
			return
		}
	}
	switch err := x.Machine.Listen(x.Addr); {
	case err == nil:
	case errors.Is(err, syscall.EADDRINUSE) && x.Server != nil:
		x.found(Warning, PortUsed, "", "ss -ltnp 'sport = :"+port+"'", "another process listens at %s; the server with this data listens at %s", x.Addr, x.Server.Addr)
	case errors.Is(err, syscall.EADDRINUSE):
		x.found(Error, PortUsed, "", "ss -ltnp 'sport = :"+port+"' names it; PRAX_ADDR or --addr listens elsewhere", "another process listens at %s, and not a server with this data", x.Addr)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		x.found(Error, NoAddress, "", "ip address lists what this machine has; PRAX_ADDR=127.0.0.1:"+port, "this machine has no address %s", host)
	case errors.Is(err, fs.ErrPermission):
		x.found(Error, PortForbidden, "", "PRAX_ADDR=127.0.0.1:8808, and a proxy before it", "uid %d may not listen at port %s", x.UID, port)
	default:
		x.found(Error, CannotListen, "", "PRAX_ADDR or --addr listens elsewhere", "one cannot listen at %s: %v", x.Addr, err)
	}
}
