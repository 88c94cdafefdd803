package egress

import (
	"net/netip"
	"testing"
)

// TestSpecial names the ranges by their first and last addresses, and the neighbours that are not in them.
func TestSpecial(t *testing.T) {
	t.Parallel()
	for reason, addrs := range map[string][]string{
		"means this network":                               {"0.0.0.0", "0.255.255.255"},
		"is in a private network":                          {"10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.0", "192.168.255.255", "fc00::", "fdff:ffff::1"},
		"is in the address space of carriers and tailnets": {"100.64.0.0", "100.127.255.255"},
		"is the machine itself":                            {"127.0.0.0", "127.0.0.1", "127.255.255.255", "::1"},
		"is link-local":                                    {"169.254.0.0", "169.254.255.255", "fe80::1", "febf:ffff::1"},
		"is set aside for protocols":                       {"192.0.0.0", "192.0.0.255", "2001:1::1", "2001:1ff:ffff::1", "2001:2::1", "2001:20::1"},
		"is set aside for documentation":                   {"192.0.2.1", "198.51.100.1", "203.0.113.255", "2001:db8::1", "3fff::1", "3fff:fff:ffff::1"},
		"is a 6to4 relay":                                  {"192.88.99.1"},
		"is set aside for benchmarks":                      {"198.18.0.0", "198.19.255.255"},
		"is a multicast address":                           {"224.0.0.0", "239.255.255.255", "ff00::", "ff02::1", "ffff::1"},
		"is reserved":                                      {"240.0.0.0", "255.255.255.254", "255.255.255.255"},
		"is the unspecified address":                       {"::"},
		"is an IPv4 address in the form of IPv6":           {"::7f00:1", "::8.8.8.8", "::2"},
		"is an IPv4 address behind NAT64":                  {"64:ff9b::7f00:1", "64:ff9b::8.8.8.8", "64:ff9b:1::1", "64:ff9b:1:ffff::1"},
		"is an IPv4 address behind Teredo":                 {"2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2"},
		"is an IPv4 address behind 6to4":                   {"2002:7f00:1::", "2002:808:808::1", "2002:ffff:ffff::"},
		"is site-local":                                    {"fec0::1", "feff:ffff::1"},
		"is no global address":                             {"::ffff:8.8.8.8", "::ffff:0:8.8.8.8", "64:ff9b:2::1", "100::1", "1fff:ffff::1", "4000::1", "5f00::1", "e000::1", "fe00::1", "fe7f::1"},
		"": {"1.0.0.0", "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
			"169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0", "192.0.3.0", "192.167.255.255", "192.169.0.0",
			"198.17.255.255", "198.20.0.0", "203.0.112.255", "203.0.114.0", "223.255.255.255",
			"2000::", "2001:200::1", "2001:db7::1", "2001:db9::1", "2001:4860:4860::8888", "2003::1", "2606:4700::1111", "3ffe::1", "3fff:1000::1"},
	} {
		for _, a := range addrs {
			if got := special(netip.MustParseAddr(a)); got != reason {
				t.Errorf("%s: got %q, want %q", a, got, reason)
			}
		}
	}
}

// TestMetadata finds the services in every form in which an address can be written into another.
func TestMetadata(t *testing.T) {
	t.Parallel()
	for _, a := range []string{
		"169.254.169.254", "169.254.170.2", "169.254.170.23", "169.254.0.23", "100.100.100.200", "192.0.0.192", "168.63.129.16",
		"fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "fe80::a9fe:a9fe", "fe80::a9fe:a9fe%eth0",
		"::ffff:169.254.169.254", "::169.254.169.254", "::ffff:0:169.254.169.254",
		"64:ff9b::169.254.169.254", "64:ff9b:1::169.254.169.254", // NAT64 of 96 bits
		"64:ff9b:1:a9fe:a9:fe00::",                         // 48
		"64:ff9b:1:12a9:fe:a9fe::",                         // 56
		"64:ff9b:1:1234:a9:fea9:fe00::",                    // 64
		"2606:4700:a9:fea9:fe::", "2606:4700:a9fe:a9fe::1", // 40 and 32, of a network's own
		"2002:a9fe:a9fe::1", "2001:0:a9fe:a9fe::1", // 6to4, and Teredo by its server
		"2001:0:102:304::5601:5601", // Teredo by its client
		"2606:4700::6464:64c8",
	} {
		if !isMetadata(netip.MustParseAddr(a)) {
			t.Errorf("%s is not taken for a metadata service", a)
		}
	}
	for _, a := range []string{"169.254.168.254", "169.254.1.1", "100.100.100.201", "8.8.8.8", "127.0.0.1", "fd00:ec3::254", "2606:4700::1111", "::1", "fe80::1"} {
		if isMetadata(netip.MustParseAddr(a)) {
			t.Errorf("%s is taken for a metadata service", a)
		}
	}
}

// FuzzSpecial holds the tables to what net/netip knows of addresses, and to what no table can know: that an address
// within another never makes that one reachable.
func FuzzSpecial(f *testing.F) {
	for _, s := range []string{"8.8.8.8", "127.0.0.1", "::1", "64:ff9b::1", "2002::1", "fe80::1", "2606:4700::1111", "::ffff:10.0.0.1"} {
		f.Add(netip.MustParseAddr(s).AsSlice())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		a, ok := netip.AddrFromSlice(b)
		if !ok {
			return
		}
		local := a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || a.IsMulticast() || a.IsUnspecified() || !a.IsGlobalUnicast()
		if local && special(a) == "" {
			t.Errorf("%s passes", a)
		}
		if a.Is6() && special(a) == "" && (a.Is4In6() || b[0]>>5 != 1 || b[0] == 0x20 && b[1] == 2) {
			t.Errorf("%s passes", a)
		}
		if !a.Is4() {
			return
		}
		v4 := a.As4()
		if mapped := netip.AddrFrom16(a.As16()); special(mapped) == "" || isMetadata(mapped) != isMetadata(a) {
			t.Errorf("%s is judged otherwise than %s", mapped, a)
		}
		nat64 := [16]byte{0, 0x64, 0xff, 0x9b, 12: v4[0], 13: v4[1], 14: v4[2], 15: v4[3]}
		sixToFour := [16]byte{0x20, 2, v4[0], v4[1], v4[2], v4[3], 15: 1}
		for _, w := range [][16]byte{nat64, sixToFour} {
			wrapped := netip.AddrFrom16(w)
			if special(wrapped) == "" || isMetadata(a) && !isMetadata(wrapped) {
				t.Errorf("%s passes", wrapped)
			}
		}
	})
}
