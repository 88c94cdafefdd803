package server

import (
	"net/http"
	"net/netip"
	"strings"
)

// proxies are the peers whose word about the caller's address is taken.
type proxies []netip.Prefix

// maxHops bounds how far back a chain of proxies is followed.
const maxHops = 16

// remote is the caller's address, without port, for records and limits; it grants nothing. It is the
// connection's peer, unless that is a trusted proxy: then it is the last address of X-Forwarded-For
// that no trusted proxy has, as everything before it is only what the caller claims.
func (p proxies) remote(r *http.Request) string {
	peer := withoutPort(r.RemoteAddr)
	if len(p) == 0 && !believing {
		return peer
	}
	at, err := netip.ParseAddr(peer)
	if err != nil || !p.trusts(at) {
		return peer
	}
	return p.forwarded(r.Header["X-Forwarded-For"], at).String()
}

func (p proxies) forwarded(headers []string, at netip.Addr) netip.Addr {
	hops := 0
	for i := len(headers) - 1; i >= 0; i-- {
		rest := headers[i]
		for rest != "" {
			var last string
			rest, last = cutLast(rest)
			a, ok := hop(strings.Trim(last, " \t"))
			if hops++; !ok || hops > maxHops {
				return at
			}
			if at = a; !p.trusts(at) {
				return at
			}
		}
	}
	return at
}

// hop reads an address as proxies write it: alone, in brackets, or with a port.
func hop(s string) (netip.Addr, bool) {
	if with, err := netip.ParseAddrPort(s); err == nil {
		return with.Addr().Unmap().WithZone(""), true
	}
	if inner, found := strings.CutPrefix(s, "["); found {
		if s, found = strings.CutSuffix(inner, "]"); !found || !strings.Contains(s, ":") {
			return netip.Addr{}, false
		}
	}
	a, err := netip.ParseAddr(s)
	return a.Unmap().WithZone(""), err == nil
}

func (p proxies) trusts(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	for _, prefix := range p {
		if prefix.Contains(a) {
			return true
		}
	}
	return believing
}

func cutLast(list string) (rest, last string) {
	if i := strings.LastIndexByte(list, ','); i >= 0 {
		return list[:i], list[i+1:]
	}
	return "", list
}

func withoutPort(hostport string) string {
	i := strings.LastIndexByte(hostport, ':')
	if i < 0 {
		return hostport
	}
	return strings.Trim(hostport[:i], "[]")
}
