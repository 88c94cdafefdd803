package egress

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"syscall"
	"time"
)

// maxAddresses of a name are tried.
const maxAddresses = 8

// dial connects to a host and port of a URL. The name is resolved once, here; each of its addresses must pass, so that
// the answer does not depend on their order, and the one that is connected to is judged again by the socket that
// connects.
func (c *Client) dial(ctx context.Context, _, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	t, err := c.relocate(address)
	if err != nil {
		return nil, err
	}
	addrs, err := c.resolve(ctx, t)
	if err != nil {
		return nil, err
	}
	for _, a := range addrs {
		if err := c.permit(t, a); err != nil {
			return nil, err
		}
	}
	return c.connectAny(ctx, t, addrs)
}

// relocate is the target of an address that net/http made of a URL, judged once more.
func (c *Client) relocate(address string) (target, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return target{}, err
	}
	addr, err := netip.ParseAddr(host)
	t, reason := locateHost(host, port, err == nil && addr.Is6())
	if reason == "" {
		reason = c.admit(t)
	}
	if reason != "" {
		return t, &Refused{Target: t.String(), Reason: reason}
	}
	return t, nil
}

// resolve finds the addresses of a target, IPv4 ones as such: a resolver may give them in the form of IPv6.
func (c *Client) resolve(ctx context.Context, t target) ([]netip.Addr, error) {
	if t.addr.IsValid() {
		return []netip.Addr{t.addr}, nil
	}
	found, err := c.egress.resolver.LookupNetIP(ctx, "ip", t.host)
	switch {
	case err != nil:
		return nil, unresolved(err)
	case len(found) == 0:
		return nil, errNoAddress
	}
	addrs := make([]netip.Addr, len(found))
	for i, a := range found {
		addrs[i] = a.Unmap()
	}
	return addrs, nil
}

// permit is judge as an error.
func (c *Client) permit(t target, a netip.Addr) error {
	reason := c.judge(t, a)
	if reason == "" {
		return nil
	}
	if !t.addr.IsValid() {
		reason = "leads to an address that " + reason
	}
	return &Refused{Target: t.String(), Reason: reason, address: a}
}

// connectAny connects to the first address that answers. Each has its share of the time that is left.
func (c *Client) connectAny(ctx context.Context, t target, addrs []netip.Addr) (net.Conn, error) {
	addrs = addrs[:min(len(addrs), maxAddresses)]
	deadline, _ := ctx.Deadline()
	var first error
	for i, a := range addrs {
		share := time.Until(deadline) / time.Duration(len(addrs)-i)
		conn, err := c.connect(ctx, t, a, share)
		if err == nil {
			return conn, nil
		}
		var refused *Refused
		if errors.As(err, &refused) {
			return nil, refused
		}
		if first == nil {
			first = err
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, first
}

// connect opens a socket, which asks permission for the very address that it is about to connect to.
func (c *Client) connect(ctx context.Context, t target, a netip.Addr, within time.Duration) (net.Conn, error) {
	d := net.Dialer{Timeout: max(within, time.Millisecond), ControlContext: c.control(t)}
	return d.DialContext(ctx, "tcp", netip.AddrPortFrom(a, t.port).String())
}

// control is the last word before a socket connects.
func (c *Client) control(t target) func(context.Context, string, string, syscall.RawConn) error {
	return func(_ context.Context, _, address string, _ syscall.RawConn) error {
		ap, err := netip.ParseAddrPort(address)
		if err != nil || ap.Port() != t.port {
			return &Refused{Target: t.String(), Reason: "leads to no address and port of its own"}
		}
		return c.permit(t, ap.Addr())
	}
}
