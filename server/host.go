package server

import (
	"net/netip"
	"strings"
)

// hostname is the name in a Host header or an origin: lower case, without port, brackets and the
// root's dot, an IP address in its one canonical form.
func hostname(hostport string) (name string, ok bool) {
	name, _, ok = splitHost(hostport)
	return name, ok
}

func splitHost(hostport string) (name, port string, ok bool) {
	name = hostport
	if strings.HasPrefix(name, "[") {
		end := strings.IndexByte(name, ']')
		if end < 0 {
			return "", "", false
		}
		name, port = name[1:end], name[end+1:]
		if !strings.Contains(name, ":") {
			return "", "", false
		}
	} else if i := strings.IndexByte(name, ':'); i >= 0 && strings.Count(name, ":") == 1 {
		name, port = name[:i], name[i:]
	}
	if port, ok = trimPort(port); !ok {
		return "", "", false
	}
	name, ok = canonical(name)
	return name, port, ok
}

func trimPort(port string) (string, bool) {
	if port == "" {
		return "", true
	}
	if port[0] != ':' || len(port) > 6 {
		return "", false
	}
	for _, c := range port[1:] {
		if c < '0' || c > '9' {
			return "", false
		}
	}
	return port[1:], true
}

// canonical refuses whatever is not plainly a name or an address, so that two readings of one
// header cannot differ.
func canonical(name string) (string, bool) {
	if strings.Contains(name, ":") {
		a, err := netip.ParseAddr(name)
		if err != nil {
			return "", false
		}
		return a.Unmap().WithZone("").String(), true
	}
	name = strings.TrimSuffix(name, ".")
	if name == "" || len(name) > 253 || name[0] == '.' || name[len(name)-1] == '.' || strings.Contains(name, "..") {
		return "", false
	}
	for _, c := range []byte(name) {
		if !nameByte(c) {
			return "", false
		}
	}
	return strings.ToLower(name), true // does not allocate when nothing changes
}

func nameByte(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.':
		return true
	}
	return false
}

// loopback tells whether a canonical name is this machine and nothing else.
func loopback(name string) bool {
	if name == "localhost" {
		return true
	}
	if name[0] != ':' && (name[0] < '0' || name[0] > '9') {
		return false
	}
	a, err := netip.ParseAddr(name)
	return err == nil && a.IsLoopback()
}

// origin is a web origin (RFC 6454). One that is not of http or https keeps its whole text in host
// and is compared as such.
type origin struct{ scheme, host, port string }

func (o origin) web() bool { return o.scheme == "http" || o.scheme == "https" }

// parseOrigin reads the one serialisation of an origin: scheme, host and perhaps a port, nothing
// after them. "null" is none.
func parseOrigin(s string) (origin, bool) {
	scheme, rest, found := strings.Cut(s, "://")
	if !found || scheme == "" || rest == "" || len(s) > 512 || strings.ContainsAny(rest, "/?#@* \t") {
		return origin{}, false
	}
	o := origin{scheme: strings.ToLower(scheme)}
	if !o.web() {
		o.host = strings.ToLower(rest)
		return o, true
	}
	var ok bool
	o.host, o.port, ok = splitHost(rest)
	o.port = portOr(o.port, o.scheme)
	return o, ok
}

func portOr(port, scheme string) string {
	switch {
	case port != "":
		return port
	case scheme == "https":
		return "443"
	}
	return "80"
}
