package egress

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"
)

// What a request may cost.
const (
	MaxBody      = 4 << 20  // bytes of a response's body that are kept, decompressed
	MaxHeader    = 64 << 10 // bytes of a response's header
	MaxRedirects = 5        // that are followed

	connectTimeout = 10 * time.Second // for the name and all its addresses; as much again for TLS
)

// Resolver finds the addresses of a name; net.DefaultResolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Config is what the operator says of the way out. Its zero value reaches global addresses.
type Config struct {
	// Allow is what may be reached beside global addresses, by all clients: a CIDR, an address, a host, and each of
	// the latter two with a port. A host is allowed to whatever address it leads; a CIDR or an address whatever
	// host led there, though not the names of the machine itself (localhost, *.local, *.internal).
	Allow    []string
	Resolver Resolver       // nil: net.DefaultResolver
	RootCAs  *x509.CertPool // nil: those of the system
	Log      *slog.Logger   // what was refused, with the address; nil: nowhere
}

// Egress is the way out. It may be used from many goroutines, and holds nothing that must be closed.
type Egress struct {
	allow    allowed
	resolver Resolver
	roots    *x509.CertPool
	log      *slog.Logger
}

// New checks what the operator allows; the error names the entry that says nothing.
func New(c Config) (*Egress, error) {
	allow, err := parseAllowed(c.Allow)
	if err != nil {
		return nil, err
	}
	e := &Egress{allow: allow, resolver: c.Resolver, roots: c.RootCAs, log: c.Log}
	if e.resolver == nil {
		e.resolver = net.DefaultResolver
	}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	return e, nil
}

// Client sends requests for one connection. It may be used from many goroutines, keeps no connection open, and need
// not be closed.
type Client struct {
	egress    *Egress
	base      string // host and port that the operator wrote, canonical; "": none
	transport *http.Transport
}

// Client is one for a connection whose base URL the operator wrote out: its host and port, and no other of the same
// host, may be reached to whatever address they lead, if it is no metadata service's. A nil base allows nothing.
func (e *Egress) Client(base *url.URL) *Client {
	c := &Client{egress: e}
	if base != nil {
		if t, reason := locate(base); reason == "" {
			c.base = t.String()
		}
	}
	c.transport = &http.Transport{
		Proxy:                  nil, // never the environment's
		DialContext:            c.dial,
		TLSClientConfig:        &tls.Config{RootCAs: e.roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    connectTimeout,
		Protocols:              onlyHTTP1(),
		DisableKeepAlives:      true, // tell the other side too that there will be one request only
		DisableCompression:     true, // done by read, which counts on both sides of it
		MaxResponseHeaderBytes: MaxHeader,
	}
	return c
}

func onlyHTTP1() *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(true)
	return p
}

// Judge says whether a URL may be asked for, as far as that is known without resolving its host: nil or a *Refused.
// Do judges the same way, and then the address.
func (c *Client) Judge(u *url.URL) error {
	t, reason := locate(u)
	if reason == "" {
		reason = c.admit(t)
	}
	if reason != "" {
		return &Refused{Target: t.String(), Reason: reason}
	}
	return nil
}

// admit is the reason to refuse a target by what is written in its URL.
func (c *Client) admit(t target) string {
	if isMetadataName(t.name()) {
		return "is a metadata service"
	}
	if t.addr.IsValid() {
		return c.judge(t, t.addr)
	}
	if !c.wrote(t) && isLocalName(t.name()) {
		return "is a name of the machine or its network, which is allowed by name and port only"
	}
	return ""
}

// wrote tells whether the operator wrote this very host, with this port or for all.
func (c *Client) wrote(t target) bool {
	return t.String() == c.base || c.egress.allow.hasHost(t)
}

// judge is the reason not to connect to an address for a target.
func (c *Client) judge(t target, a netip.Addr) string {
	switch {
	case dialerOpen:
		return ""
	case a.Zone() != "":
		return "has a zone"
	case isMetadata(a):
		return "is a metadata service"
	case a.Is4In6():
		return "is an IPv4 address in the form of IPv6"
	case c.wrote(t), c.egress.allow.hasAddr(a, t.port):
		return ""
	}
	return special(a)
}
