package server

import (
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// guard keeps web pages from using a caller's network position: a page of a foreign origin, and a
// page whose own name was made to resolve to this server (DNS rebinding; MCP, transports: servers
// must validate Origin).
type guard struct {
	hosts    map[string]bool
	suffixes []string // with their leading dot
	origins  map[origin]bool
	cors     bool // origins are configured: pages get CORS answers
	anyLocal bool // bound to all addresses: the one that a connection came in on is admitted
}

const (
	hostRefusal   = "this Host is not admitted: name it in PRAX_ALLOWED_HOSTS, or in PRAX_PUBLIC_URL if callers use it"
	originRefusal = "this Origin is not admitted: name it in PRAX_ALLOWED_ORIGINS"
)

// newLocalGuard admits loopback names, the host of an address, and those that are listed.
func newLocalGuard(addr string, hosts []string) *guard {
	g := &guard{hosts: map[string]bool{}}
	g.bind(addr)
	for _, h := range hosts {
		g.host(h)
	}
	return g
}

// newGuard leaves out what Config.Check refuses, and says so: an entry that cannot be read admits
// nothing.
func newGuard(c Config) *guard {
	g := &guard{
		hosts: map[string]bool{},
		// What tailscale serve gives as Host; only the tailnet's own names end so.
		suffixes: []string{".ts.net"},
		origins:  map[origin]bool{},
		cors:     len(c.AllowedOrigins) > 0,
	}
	if err := c.Check(); err != nil {
		c.Log.Error("unreadable hosts or origins admit nothing", slog.Any("error", err))
	}
	g.bind(c.Addr)
	g.public(c.PublicURL)
	for _, h := range c.AllowedHosts {
		g.host(h)
	}
	for _, s := range c.AllowedOrigins {
		if o, ok := parseOrigin(s); ok {
			g.origins[o] = true
		}
	}
	return g
}

func (g *guard) bind(addr string) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return
	}
	if a, err := netip.ParseAddr(host); host == "" || err == nil && a.IsUnspecified() {
		g.anyLocal = true
		return
	}
	if name, ok := hostname(host); ok {
		g.hosts[name] = true
	}
}

func (g *guard) public(raw string) {
	if raw == "" {
		return
	}
	if o, err := publicOrigin(raw); err == nil {
		g.hosts[o.host] = true
		g.origins[o] = true
	}
}

func (g *guard) host(h string) {
	rest, below := strings.CutPrefix(h, "*.")
	name, ok := hostname(rest)
	switch {
	case !ok:
	case below:
		g.suffixes = append(g.suffixes, "."+name)
	default:
		g.hosts[name] = true
	}
}

// refuses gives the sentence of the refusal, "" when the request may go on.
func (g *guard) refuses(r *http.Request) (reason Reason, sentence string) {
	name, port, ok := splitHost(r.Host)
	if !ok || !g.admits(name, r) {
		return DeniedHost, hostRefusal
	}
	switch sent := r.Header["Origin"]; {
	case len(sent) == 0: // not a web page
	case len(sent) > 1 || !g.ours(sent[0], name, port):
		return DeniedOrigin, originRefusal
	}
	return "", ""
}

func (g *guard) admits(name string, r *http.Request) bool {
	if g.hosts[name] || loopback(name) {
		return true
	}
	for _, s := range g.suffixes {
		if len(name) > len(s) && strings.HasSuffix(name, s) {
			return true
		}
	}
	return g.anyLocal && arrivedAt(r, name)
}

// arrivedAt tells whether name is the address of this machine that the connection came in on. A
// page cannot be served from a foreign address under it, so it says as much as a bind address.
func arrivedAt(r *http.Request, name string) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ok && local.AddrPort().Addr().Unmap().WithZone("").String() == name
}

// ours: listed or public; or the very Host that was admitted; or loopback calling loopback,
// whatever the ports.
func (g *guard) ours(sent, name, port string) bool {
	o, ok := parseOrigin(sent)
	if !ok {
		return false
	}
	if g.origins[o] {
		return true
	}
	if !o.web() {
		return false
	}
	if o.host == name && o.port == portOr(port, o.scheme) {
		return true
	}
	return loopback(o.host) && loopback(name)
}
