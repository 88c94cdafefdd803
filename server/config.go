package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"prax/server/edge"
)

// The limits in force when a Config leaves them at zero.
const (
	DefaultMaxBody        = 1 << 20
	DefaultMaxHeaderBytes = 64 << 10
	DefaultHeaderTimeout  = 10 * time.Second
	DefaultBodyTimeout    = 30 * time.Second
	DefaultWriteTimeout   = 60 * time.Second
	DefaultIdleTimeout    = 120 * time.Second
	DefaultGrace          = 8 * time.Second // below the ten seconds after which containers are killed
	DefaultMaxConns       = 4096            // or half of the descriptors that the process may have
)

// maxStreams is how many requests one connection of HTTP/2 may have at once (RFC 9113 5.1.2). What a client
// may have of them is its budget's; this bounds what somebody without a token can begin.
const maxStreams = 128

// Config is what a server is made of. Zero limits are the defaults above; a nil function counts as
// the answer that admits nothing.
type Config struct {
	Addr           string         // what it listens on; its host is admitted as a Host
	PublicURL      string         // how callers reach it from outside, see Endpoint; "" when there is no such URL
	AllowedHosts   []string       // further Host names, a leading "*." for everything below one
	AllowedOrigins []string       // web origins whose pages may call; any turns CORS answers on
	TrustedProxies []netip.Prefix // peers whose X-Forwarded-For is believed
	Certificate    *Certificate   // nil: plaintext
	Card           *Card          // published below the endpoint, if CheckPublic lets it; nil: nothing is

	Authenticators []edge.Authenticator // asked in this order; the first that knows the credential wins
	Edge           *edge.Edge           // budgets shared by all exchanges; nil: one with the defaults
	MCP            edge.Handler         // answers an authenticated POST to /mcp
	Enabled        func() bool          // false: /mcp does not exist
	Ready          func(context.Context) Readiness
	Metrics        *Metrics // told of every request; nil: nothing is counted
	Drain          []func() // called once, in order, when the drain begins; they end open streams

	MaxConns       int           // connections at once; one more waits to be accepted
	MaxBody        int64         // bytes of a request's body
	MaxHeaderBytes int           // bytes of a request's headers
	HeaderTimeout  time.Duration // from the first byte to the last header
	BodyTimeout    time.Duration // from the first byte to the end of the body
	WriteTimeout   time.Duration // from the first byte of an answer, unless its handler sets its own
	IdleTimeout    time.Duration // between two requests of a connection
	Grace          time.Duration // what running calls have left once the drain begins

	Log        *slog.Logger
	Access     io.Writer    // one line a request, buffered for up to a second; nil: none
	AccessText bool         // key=value instead of JSON
	Denied     func(Denial) // refused callers, bounded; nil: none
}

// Check tells whether hosts, origins and the public URL can be meant as they are written. An entry
// that cannot would admit nothing, which its author would not notice until a caller is refused.
func (c Config) Check() error {
	var problems []error
	if c.PublicURL != "" {
		if _, err := publicOrigin(c.PublicURL); err != nil {
			problems = append(problems, fmt.Errorf("public URL %q: %w", c.PublicURL, err))
		}
	}
	for _, h := range c.AllowedHosts {
		if _, ok := hostname(strings.TrimPrefix(h, "*.")); !ok {
			problems = append(problems, fmt.Errorf("allowed host %q: not a host name or *.name", h))
		}
	}
	for _, o := range c.AllowedOrigins {
		if _, ok := parseOrigin(o); !ok {
			problems = append(problems, fmt.Errorf("allowed origin %q: not scheme://host or scheme://host:port", o))
		}
	}
	return errors.Join(problems...)
}

// ParseProxies reads addresses and prefixes of proxies whose X-Forwarded-For is believed.
func ParseProxies(list []string) ([]netip.Prefix, error) {
	var prefixes []netip.Prefix
	for _, s := range list {
		if p, err := netip.ParsePrefix(s); err == nil {
			if p.Bits() == 0 {
				return nil, fmt.Errorf("trusted proxy %q: believes everybody, so that callers choose their address", s)
			}
			if p.Addr().Is4In6() { // no address would be in it: they are compared as IPv4
				return nil, fmt.Errorf("trusted proxy %q: an IPv4 prefix in the form of IPv6, write it as 10.0.0.0/8", s)
			}
			prefixes = append(prefixes, p.Masked())
			continue
		}
		a, err := netip.ParseAddr(s)
		if err != nil {
			return nil, fmt.Errorf("trusted proxy %q: neither an address nor a prefix", s)
		}
		a = a.Unmap()
		prefixes = append(prefixes, netip.PrefixFrom(a, a.BitLen()))
	}
	return prefixes, nil
}

func (c Config) withDefaults() Config {
	c.MaxConns = cmp.Or(c.MaxConns, defaultConns())
	c.MaxBody = cmp.Or(c.MaxBody, DefaultMaxBody)
	c.MaxHeaderBytes = cmp.Or(c.MaxHeaderBytes, DefaultMaxHeaderBytes)
	c.HeaderTimeout = cmp.Or(c.HeaderTimeout, DefaultHeaderTimeout)
	c.BodyTimeout = cmp.Or(c.BodyTimeout, DefaultBodyTimeout)
	c.WriteTimeout = cmp.Or(c.WriteTimeout, DefaultWriteTimeout)
	c.IdleTimeout = cmp.Or(c.IdleTimeout, DefaultIdleTimeout)
	c.Grace = cmp.Or(c.Grace, DefaultGrace)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Edge == nil {
		c.Edge = edge.New(edge.Config{})
	}
	return c
}

// endpoint is that of the public URL. One that Check refuses has none of its own.
func (c Config) endpoint() string {
	if u, err := url.Parse(c.PublicURL); err == nil {
		if at, err := Endpoint(u); err == nil {
			return at
		}
	}
	return routeMCP
}

func publicOrigin(raw string) (origin, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return origin{}, errors.New("not a URL")
	}
	if u.User != nil {
		return origin{}, errors.New("has credentials in it")
	}
	o, ok := parseOrigin(u.Scheme + "://" + u.Host)
	if !ok || !o.web() {
		return origin{}, errors.New("not an http or https URL with a host")
	}
	if _, err := Endpoint(u); err != nil {
		return origin{}, err
	}
	return o, nil
}
