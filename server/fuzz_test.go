package server

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

// FuzzOrigin: an origin has one reading. What is taken says nothing beside scheme, host and port, and is the same
// whatever its case; and a page is ours only if its origin is listed, has the Host that was admitted, or both are this
// machine.
func FuzzOrigin(f *testing.F) {
	for _, s := range []string{"https://a.example", "http://a.example:80", "null", "https://a.example/", "HTTPS://A.example.:443", "vscode-webview://x", "http://[::1]:8080", "https://user@a", "http://localhost:1", "https://a.example.evil"} {
		f.Add(s, "a.example")
	}
	g := newGuard(Config{AllowedOrigins: []string{"https://listed.example", "vscode-webview://x"}})
	f.Fuzz(func(t *testing.T, s, host string) {
		o, ok := parseOrigin(s)
		if upper, same := parseOrigin(strings.ToUpper(s)); isASCII(s) && (same != ok || ok && upper != o) {
			t.Fatalf("%q is %v, in capitals %v", s, o, upper)
		}
		if ok && strings.ContainsAny(o.host, "/?#@* \t") {
			t.Fatalf("%q has the host %q", s, o.host)
		}
		name, port, admitted := splitHost(host)
		if !admitted || !g.ours(s, name, port) {
			return
		}
		listed := o == origin{"https", "listed.example", "443"} || o == origin{scheme: "vscode-webview", host: "x"}
		if !ok || !listed && (!o.web() || o.host != name && !(loopback(o.host) && loopback(name))) {
			t.Fatalf("%q is ours at the Host %q", s, host)
		}
	})
}

func isASCII(s string) bool { return strings.Trim(s, asciiBytes) == "" }

var asciiBytes = func() string {
	var b strings.Builder
	for c := range byte(128) {
		b.WriteByte(c)
	}
	return b.String()
}()

// FuzzRemote: a caller's address is an address, or what the connection says of its peer; whoever is no trusted proxy
// has no say in it; and it is never one that its header does not have, nor a trusted one while there is another behind.
func FuzzRemote(f *testing.F) {
	for _, header := range []string{"", "203.0.113.7", "203.0.113.7, 10.0.0.2", "10.0.0.1,10.0.0.2", "x, 10.0.0.2", "::ffff:203.0.113.7", "fe80::1%eth0", ",,", "203.0.113.7,"} {
		f.Add("10.0.0.1:999", header, "10.0.0.3")
	}
	trusted, err := ParseProxies([]string{"10.0.0.0/8", "::ffff:192.0.2.1"})
	if err != nil {
		f.Fatal(err)
	}
	p := proxies(trusted)
	f.Fuzz(func(t *testing.T, peer, first, second string) {
		r := &http.Request{RemoteAddr: peer, Header: http.Header{"X-Forwarded-For": {first, second}}}
		got := p.remote(r)
		at, err := netip.ParseAddr(withoutPort(peer))
		if err != nil || !p.trusts(at) {
			if got != withoutPort(peer) {
				t.Fatalf("%q says %q, %q, and is %q", peer, first, second, got)
			}
			return
		}
		is, err := netip.ParseAddr(got)
		if err != nil || is.Zone() != "" || is.Is4In6() && got != at.String() {
			t.Fatalf("%q, %q from %q is %q", first, second, peer, got)
		}
		if is != at && !named(is, first+","+second) {
			t.Fatalf("%q, %q from %q is %q, which nobody said", first, second, peer, got)
		}
	})
}

// named tells whether an address stands in a list.
func named(a netip.Addr, list string) bool {
	for item := range strings.SplitSeq(list, ",") {
		if one, err := netip.ParseAddr(strings.TrimSpace(item)); err == nil && one.Unmap().WithZone("") == a {
			return true
		}
	}
	return false
}

// FuzzProxies: what is taken is one prefix, whose own address it has and which is itself when it is read again.
func FuzzProxies(f *testing.F) {
	for _, s := range []string{"10.1.2.3/8", "::1", "::ffff:1.2.3.4", "::ffff:1.2.3.4/100", "fe80::1%eth0", "10.0.0.0/33", "x", "0.0.0.0/0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		list, err := ParseProxies([]string{s})
		if err != nil {
			return
		}
		if len(list) != 1 || list[0] != list[0].Masked() || !proxies(list).trusts(list[0].Addr()) {
			t.Fatalf("%q is %v", s, list)
		}
		if again, err := ParseProxies([]string{list[0].String()}); err != nil || again[0] != list[0] {
			t.Fatalf("%q is %v, and that %v, %v", s, list, again, err)
		}
	})
}
