package egress

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// target is the host and the port of a URL.
type target struct {
	host string     // as written, without brackets
	addr netip.Addr // when the host is an address
	port uint16
}

// name is the host in its one spelling: lower case, without a final dot; an address in canonical form.
func (t target) name() string {
	if t.addr.IsValid() {
		return t.addr.String()
	}
	return strings.TrimSuffix(strings.ToLower(t.host), ".")
}

// String is the one spelling of host and port.
func (t target) String() string {
	if t.port == 0 { // no target: whatever stood in its place
		return strconv.Quote(t.host[:min(len(t.host), 100)])
	}
	return net.JoinHostPort(t.name(), strconv.Itoa(int(t.port)))
}

// locate reads the target of a URL; otherwise the reason why it is none. Whatever is read differently by different
// programs is none: a number for an address, letters beyond ASCII, a zone, userinfo.
func locate(u *url.URL) (target, string) {
	switch {
	case u == nil:
		return target{}, "has no URL"
	case u.Scheme != "http" && u.Scheme != "https":
		return target{host: u.Scheme + ":"}, "is neither http nor https"
	case u.Opaque != "":
		return target{host: u.Scheme + ":"}, "has no host"
	case u.User != nil:
		return target{host: u.Hostname()}, "has a user or a password in its URL"
	}
	port := u.Port()
	if port == "" && u.Scheme == "http" {
		port = "80"
	} else if port == "" {
		port = "443"
	}
	return locateHost(u.Hostname(), port, strings.HasPrefix(u.Host, "["))
}

// locateHost reads a host and a port; bracketed tells that the host stood in brackets.
func locateHost(host, port string, bracketed bool) (target, string) {
	t := target{host: host}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return t, "has no valid port"
	}
	addr, err := netip.ParseAddr(host)
	switch {
	case err == nil && addr.Zone() != "":
		return t, "has a zone"
	case bracketed && (err != nil || addr.Is4()):
		return t, "is no IPv6 address"
	case err == nil && (bracketed || addr.Is4()):
		return target{host: host, addr: addr, port: uint16(n)}, ""
	case !isName(host):
		return t, "is no host name"
	case endsInNumber(host):
		return t, "is a number: write an address as four decimal numbers"
	}
	return target{host: host, port: uint16(n)}, ""
}

// isName tells whether a host is a name of DNS. A name beyond ASCII has to be written in punycode: what it is mapped to
// could be one of the names that are refused.
func isName(host string) bool {
	host = strings.TrimSuffix(host, ".")
	if host == "" || len(host) > 253 {
		return false
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 || strings.ContainsFunc(label, notInName) {
			return false
		}
	}
	return true
}

func notInName(r rune) bool {
	letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	return !letter && !('0' <= r && r <= '9') && r != '-' && r != '_'
}

// endsInNumber tells whether the last label is a number, decimal or hexadecimal: no name of DNS ends so, but some
// resolvers take it for an address (127.1, 0x7f000001, 017700000001).
func endsInNumber(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	last := host[strings.LastIndexByte(host, '.')+1:]
	digits := "0123456789"
	if rest, hex := strings.CutPrefix(last, "0x"); hex {
		last, digits = rest, "0123456789abcdef"
	}
	return strings.Trim(last, digits) == ""
}

// isLocalName tells whether a name is kept for the machine or its network (RFC 6761, RFC 6762, and the zone that ICANN
// set aside for private use).
func isLocalName(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	return last == "localhost" || last == "local" || last == "internal"
}
