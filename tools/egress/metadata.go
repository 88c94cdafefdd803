package egress

import (
	"net/netip"
	"slices"
)

// metadataNetworks are where clouds hand credentials to whoever asks from within a machine. Nothing allows them.
var metadataNetworks = []netip.Prefix{
	netip.MustParsePrefix("169.254.169.0/24"),    // nearly all clouds, .254
	netip.MustParsePrefix("169.254.170.0/24"),    // credentials of containers, .2 and .23
	netip.MustParsePrefix("169.254.0.23/32"),     // Tencent
	netip.MustParsePrefix("100.100.100.200/32"),  // Alibaba, in the address space of carriers
	netip.MustParsePrefix("192.0.0.192/32"),      // Oracle
	netip.MustParsePrefix("168.63.129.16/32"),    // Azure, in the public internet
	netip.MustParsePrefix("fd00:ec2::/32"),       // Amazon, ::254 and ::23
	netip.MustParsePrefix("fd20:ce::254/128"),    // Google
	netip.MustParsePrefix("fe80::a9fe:a9fe/128"), // OpenStack
}

// metadataNames are their names.
var metadataNames = []string{
	"metadata", "metadata.google.internal", "metadata.goog", "instance-data", "instance-data.ec2.internal",
	"metadata.tencentyun.com", "api.metadata.cloud.ibm.com", "rancher-metadata",
}

func isMetadataName(name string) bool { return slices.Contains(metadataNames, name) }

// isMetadata tells whether an address is a metadata service's, also when it is hidden in one of another form: an allowed
// NAT64 prefix must not lead there either.
func isMetadata(a netip.Addr) bool {
	a = a.WithZone("")
	if inMetadata(a) {
		return true
	}
	return a.Is6() && slices.ContainsFunc(hidden(a.As16()), inMetadata)
}

func inMetadata(a netip.Addr) bool {
	return slices.ContainsFunc(metadataNetworks, func(p netip.Prefix) bool { return p.Contains(a) })
}

// hidden are the IPv4 addresses that an IPv6 address may stand for: those at the places of RFC 6052 (NAT64, the last also
// of mapped and compatible ones), of RFC 3056 (6to4), and of RFC 4380 (Teredo: the server, and the client inverted). An
// operator's own NAT64 prefix is not known here, so each place is looked at in every address.
func hidden(b [16]byte) []netip.Addr {
	return []netip.Addr{
		netip.AddrFrom4([4]byte(b[12:16])),                       // a prefix of 96 bits
		netip.AddrFrom4([4]byte(b[9:13])),                        // 64
		netip.AddrFrom4([4]byte{b[7], b[9], b[10], b[11]}),       // 56
		netip.AddrFrom4([4]byte{b[6], b[7], b[9], b[10]}),        // 48
		netip.AddrFrom4([4]byte{b[5], b[6], b[7], b[9]}),         // 40
		netip.AddrFrom4([4]byte(b[4:8])),                         // 32, and Teredo's server
		netip.AddrFrom4([4]byte(b[2:6])),                         // 6to4
		netip.AddrFrom4([4]byte{^b[12], ^b[13], ^b[14], ^b[15]}), // Teredo's client
	}
}
