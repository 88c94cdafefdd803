package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// healthTimeout bounds a probe: whoever asks wants an answer, even if it is no.
const healthTimeout = 5 * time.Second

// health asks the server at PRAX_ADDR for /healthz and /readyz, as a container's health check does
// without curl. It fails unless both are well.
func (p *program) health(args []string) error {
	f := p.flags("health", "[flags]", "Asks the server at PRAX_ADDR whether it runs and is ready. Exit code 0: both.").withSettings("PRAX_ADDR", "PRAX_TLS_CERT")
	if _, err := f.parse(args, 0, 0); err != nil {
		return err
	}
	s, _, err := p.loadSettings(f)
	if err != nil {
		return err
	}
	base, err := s.probeURL()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), healthTimeout)
	defer cancel()
	for _, path := range []string{"/healthz", "/readyz"} {
		status, body, err := probe(ctx, base+path)
		if err != nil {
			return noAnswer(s.Addr, path, err)
		}
		if status != http.StatusOK {
			return failed("", "%s answers %d: %s", path, status, body)
		}
		fmt.Fprintf(p.stdout, "%s %d %s\n", path, status, printable(body))
	}
	return nil
}

// noAnswer tells nobody there from somebody who does not answer well.
func noAnswer(addr, path string, err error) error {
	if op := (*net.OpError)(nil); errors.As(err, &op) && op.Op == "dial" {
		return failed("prax serve starts one; --addr HOST:PORT asks elsewhere", "no server answers at %s", addr)
	}
	return failed("PRAX_ADDR or --addr says where the server listens", "%s: %w", path, err)
}

// probeURL is where the server is asked from the same machine.
func (s *settings) probeURL() (string, error) {
	base, port := s.localURL(s.Addr)
	if port == "0" {
		return "", usage("--addr HOST:PORT", "no port to ask: PRAX_ADDR=%s", s.Addr)
	}
	return base, nil
}

// localURL is the address of a server that listens on addr, seen from the same machine: one that
// listens everywhere is reached on loopback.
func (s *settings) localURL(addr string) (base, port string) {
	scheme := "http://"
	if s.tls() {
		scheme = "https://"
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return scheme + addr, ""
	}
	ip, err := netip.ParseAddr(host)
	switch {
	case host == "", err == nil && ip.Is4() && ip.IsUnspecified():
		host = "127.0.0.1"
	case err == nil && ip.IsUnspecified():
		host = "::1"
	}
	return scheme + net.JoinHostPort(host, port), port
}

// probe is one GET that follows no redirect and uses no proxy. Whose certificate answers is not asked: it is that of the
// name which callers use, not of this machine's address; nothing secret is sent, and the answer grants nothing.
func probe(ctx context.Context, url string) (status int, body string, err error) {
	client := http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, "", err
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
	return resp.StatusCode, strings.TrimSpace(string(text)), err
}
