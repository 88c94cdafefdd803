package egress

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// allowed is what the operator allows all clients.
type allowed struct {
	hosts map[string]bool // names, and names with a port, in their one spelling
	nets  []allowedNet
}

type allowedNet struct {
	prefix netip.Prefix
	port   uint16 // 0: each
}

func (a allowed) hasHost(t target) bool { return a.hosts[t.name()] || a.hosts[t.String()] }

func (a allowed) hasAddr(addr netip.Addr, port uint16) bool {
	for _, n := range a.nets {
		if n.prefix.Contains(addr) && (n.port == 0 || n.port == port) {
			return true
		}
	}
	return false
}

func parseAllowed(entries []string) (allowed, error) {
	a := allowed{hosts: map[string]bool{}}
	for _, e := range entries {
		if err := a.add(strings.TrimSpace(e)); err != nil {
			return allowed{}, fmt.Errorf("egress allows %q: %w", e, err)
		}
	}
	return a, nil
}

// add takes one entry: a CIDR, an address or a host, the latter two also with a port.
func (a *allowed) add(entry string) error {
	if strings.Contains(entry, "/") {
		p, err := netip.ParsePrefix(entry)
		if err != nil {
			return errors.New("neither a CIDR such as 10.1.0.0/16 nor a host")
		}
		return a.addNet(p, 0)
	}
	if addr, err := netip.ParseAddr(unbracketed(entry)); err == nil {
		return a.addAddr(addr, 0)
	}
	if ap, err := netip.ParseAddrPort(entry); err == nil {
		if ap.Port() == 0 {
			return errors.New("port 0")
		}
		return a.addAddr(ap.Addr(), ap.Port())
	}
	return a.addHost(entry)
}

func unbracketed(s string) string {
	if inner, ok := strings.CutPrefix(s, "["); ok {
		if inner, ok = strings.CutSuffix(inner, "]"); ok {
			return inner
		}
	}
	return s
}

func (a *allowed) addAddr(addr netip.Addr, port uint16) error {
	switch {
	case addr.Zone() != "":
		return errors.New("an address with a zone")
	case isMetadata(addr):
		return errors.New("a metadata service, which nothing allows")
	}
	return a.addNet(netip.PrefixFrom(addr, addr.BitLen()), port)
}

func (a *allowed) addNet(p netip.Prefix, port uint16) error {
	switch {
	case p.Addr().Is4In6():
		return errors.New("an IPv4 address in the form of IPv6: write it as four decimal numbers")
	case p.Masked() != p:
		return fmt.Errorf("bits beyond the prefix: write %s", p.Masked())
	}
	a.nets = append(a.nets, allowedNet{p, port})
	return nil
}

func (a *allowed) addHost(entry string) error {
	host, port, withPort := strings.Cut(entry, ":")
	if !withPort {
		port = "1" // any, to have the host checked
	}
	t, reason := locateHost(host, port, false)
	if reason != "" {
		return fmt.Errorf("it %s", reason)
	}
	if isMetadataName(t.name()) {
		return errors.New("a metadata service, which nothing allows")
	}
	if !withPort {
		a.hosts[t.name()] = true
		return nil
	}
	a.hosts[t.name()+":"+strconv.Itoa(int(t.port))] = true
	return nil
}
