package egress

import "net/netip"

// network is a range of addresses that is not reached, and why.
type network struct {
	prefix netip.Prefix
	is     string // the predicate of a sentence about an address
}

// specials are the ranges that the registries of IANA (RFC 6890) keep for something else than the public internet, and
// those in which an address of the other family is hidden.
var specials = []network{
	{netip.MustParsePrefix("0.0.0.0/8"), "means this network"},
	{netip.MustParsePrefix("10.0.0.0/8"), "is in a private network"},
	{netip.MustParsePrefix("100.64.0.0/10"), "is in the address space of carriers and tailnets"},
	{netip.MustParsePrefix("127.0.0.0/8"), "is the machine itself"},
	{netip.MustParsePrefix("169.254.0.0/16"), "is link-local"},
	{netip.MustParsePrefix("172.16.0.0/12"), "is in a private network"},
	{netip.MustParsePrefix("192.0.0.0/24"), "is set aside for protocols"},
	{netip.MustParsePrefix("192.0.2.0/24"), "is set aside for documentation"},
	{netip.MustParsePrefix("192.88.99.0/24"), "is a 6to4 relay"},
	{netip.MustParsePrefix("192.168.0.0/16"), "is in a private network"},
	{netip.MustParsePrefix("198.18.0.0/15"), "is set aside for benchmarks"},
	{netip.MustParsePrefix("198.51.100.0/24"), "is set aside for documentation"},
	{netip.MustParsePrefix("203.0.113.0/24"), "is set aside for documentation"},
	{netip.MustParsePrefix("224.0.0.0/4"), "is a multicast address"},
	{netip.MustParsePrefix("240.0.0.0/4"), "is reserved"},

	{netip.MustParsePrefix("::/128"), "is the unspecified address"},
	{netip.MustParsePrefix("::1/128"), "is the machine itself"},
	{netip.MustParsePrefix("::/96"), "is an IPv4 address in the form of IPv6"},
	{netip.MustParsePrefix("64:ff9b::/96"), "is an IPv4 address behind NAT64"},
	{netip.MustParsePrefix("64:ff9b:1::/48"), "is an IPv4 address behind NAT64"},
	{netip.MustParsePrefix("2001::/32"), "is an IPv4 address behind Teredo"},
	{netip.MustParsePrefix("2001::/23"), "is set aside for protocols"},
	{netip.MustParsePrefix("2001:db8::/32"), "is set aside for documentation"},
	{netip.MustParsePrefix("2002::/16"), "is an IPv4 address behind 6to4"},
	{netip.MustParsePrefix("3fff::/20"), "is set aside for documentation"},
	{netip.MustParsePrefix("fc00::/7"), "is in a private network"},
	{netip.MustParsePrefix("fe80::/10"), "is link-local"},
	{netip.MustParsePrefix("fec0::/10"), "is site-local"},
	{netip.MustParsePrefix("ff00::/8"), "is a multicast address"},
}

// globalIPv6 holds all global unicast addresses that were ever given out.
var globalIPv6 = netip.MustParsePrefix("2000::/3")

// special is the reason not to reach an address without the operator's word; "" for one of the public internet.
func special(a netip.Addr) string {
	for _, n := range specials {
		if n.prefix.Contains(a) {
			return n.is
		}
	}
	if !a.Is4() && !globalIPv6.Contains(a) {
		return "is no global address"
	}
	return ""
}
