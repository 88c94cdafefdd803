package server

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

func TestRemote(t *testing.T) {
	t.Parallel()
	trusted, err := ParseProxies([]string{"127.0.0.1", "10.0.0.0/8", "::1", "fd00::/8"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		peer string
		sent []string
		want string
	}{
		{"192.0.2.1:99", nil, "192.0.2.1"},
		{"192.0.2.1:99", []string{"198.51.100.9"}, "192.0.2.1"},
		{"[2001:db8::1]:99", nil, "2001:db8::1"},
		{"127.0.0.1:99", nil, "127.0.0.1"},
		{"127.0.0.1:99", []string{"198.51.100.9"}, "198.51.100.9"},
		{"[::1]:99", []string{"2001:db8::9"}, "2001:db8::9"},
		{"127.0.0.1:99", []string{"1.1.1.1, 198.51.100.9"}, "198.51.100.9"},
		{"127.0.0.1:99", []string{"1.1.1.1", "198.51.100.9, 10.1.2.3"}, "198.51.100.9"},
		{"127.0.0.1:99", []string{"1.1.1.1", "10.1.2.3"}, "1.1.1.1"},
		{"127.0.0.1:99", []string{"10.1.2.3"}, "10.1.2.3"},
		{"127.0.0.1:99", []string{"::ffff:198.51.100.9"}, "198.51.100.9"},
		{"127.0.0.1:99", []string{"198.51.100.9, rubbish"}, "127.0.0.1"},
		{"127.0.0.1:99", []string{"rubbish\n, 10.0.0.1"}, "10.0.0.1"},
		{"127.0.0.1:99", []string{""}, "127.0.0.1"},
		{"127.0.0.1:99", []string{strings.Repeat("10.0.0.1,", 5000) + "10.0.0.1"}, "10.0.0.1"},
		{"127.0.0.1:99", []string{"fe80::1%evil"}, "fe80::1"},
		{"127.0.0.1:99", []string{"198.51.100.9:4711"}, "198.51.100.9"},
		{"127.0.0.1:99", []string{"1.1.1.1, [2001:db8::9]:4711"}, "2001:db8::9"},
		{"127.0.0.1:99", []string{"[2001:db8::9]"}, "2001:db8::9"},
		{"127.0.0.1:99", []string{"1.1.1.1,\t198.51.100.9:1 , 10.0.0.1:2,[::1]:3"}, "198.51.100.9"},
		{"127.0.0.1:99", []string{"[::ffff:198.51.100.9]:1"}, "198.51.100.9"},
		{"127.0.0.1:99", []string{"198.51.100.9, "}, "127.0.0.1"},
		{"127.0.0.1:99", []string{"198.51.100.9", "unknown"}, "127.0.0.1"},
		{"127.0.0.1:99", []string{"1.1.1.1, _hidden, 10.0.0.1"}, "10.0.0.1"},
		{"127.0.0.1:99", []string{"[198.51.100.9]"}, "127.0.0.1"},
		{"127.0.0.1:99", []string{"[2001:db8::9"}, "127.0.0.1"},
		{"127.0.0.1:99", []string{"2001:db8::9]"}, "127.0.0.1"},
		{"127.0.0.1:99", []string{"198.51.100.9:"}, "127.0.0.1"},
		{"127.0.0.1:99", []string{"198.51.100.9:99999"}, "127.0.0.1"},
		{"127.0.0.1:99", []string{"0198.51.100.9"}, "127.0.0.1"},
		{"127.0.0.1:99", []string{"198.51.100"}, "127.0.0.1"},
		{"127.0.0.1:99", []string{"\u00a0198.51.100.9"}, "127.0.0.1"},
		{"127.0.0.1:99", []string{"127.0.0.1", "127.0.0.1"}, "127.0.0.1"},
		{"[fd00::1%eth0]:99", []string{"2001:db8::9"}, "2001:db8::9"},
		{"@", []string{"198.51.100.9"}, "@"},
		{"@", nil, "@"},
	} {
		r := &http.Request{RemoteAddr: tt.peer, Header: http.Header{"X-Forwarded-For": tt.sent}}
		if got := proxies(trusted).remote(r); got != tt.want {
			t.Errorf("peer %s, forwarded %.60q: %q, want %q", tt.peer, tt.sent, got, tt.want)
		}
	}
}

// Without trusted proxies nobody's word is taken, not even a neighbour's.
func TestRemoteTrustsNobodyByDefault(t *testing.T) {
	t.Parallel()
	r := &http.Request{RemoteAddr: "127.0.0.1:1", Header: http.Header{
		"X-Forwarded-For": {"198.51.100.9"}, "X-Real-Ip": {"198.51.100.9"}, "Forwarded": {"for=198.51.100.9"}, "Tailscale-User-Login": {"root"},
	}}
	if got := (proxies{}).remote(r); got != "127.0.0.1" {
		t.Errorf("remote %q", got)
	}
}

func TestParseProxies(t *testing.T) {
	t.Parallel()
	got, err := ParseProxies([]string{"10.1.2.3/8", "192.0.2.1", "::ffff:192.0.2.2"})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"10.0.0.0/8", "192.0.2.1/32", "192.0.2.2/32"} {
		if got[i] != netip.MustParsePrefix(want) {
			t.Errorf("%v, want %s", got[i], want)
		}
	}
	for _, s := range []string{"::ffff:10.0.0.0/104", "", "proxy.example", "10.0.0.0/33", "10.0.0.1:80", "*", "0.0.0.0/0", "::/0"} {
		if _, err := ParseProxies([]string{s}); err == nil {
			t.Errorf("%q passed", s)
		}
	}
}
