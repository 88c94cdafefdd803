package egress

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"testing"
	"time"
)

// TestSocketAsks proves that the socket itself refuses an address that nobody judged before it was made.
func TestSocketAsks(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	e, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	at := netip.MustParseAddrPort(l.Addr().String())
	conn, err := e.Client(nil).connect(t.Context(), target{host: "a.test", port: at.Port()}, at.Addr(), 10*time.Second)
	var refused *Refused
	if !errors.As(err, &refused) {
		t.Errorf("got %v, want it refused", err)
	}
	if conn != nil {
		conn.Close()
	}
}

// TestSameOrigin is scheme, host and port, in whatever spelling.
func TestSameOrigin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"http://a.test/x", "http://A.test.:80/y?z", true},
		{"https://a.test", "https://a.test:443", true},
		{"http://[0::1]", "http://[::1]:80", true},
		{"http://a.test:443", "https://a.test", false},
		{"http://a.test", "http://a.test:8080", false},
		{"http://a.test", "http://b.test", false},
		{"http://a.test", "http://user@a.test", false},
		{"file:///x", "file:///x", false},
	} {
		a, errA := url.Parse(c.a)
		b, errB := url.Parse(c.b)
		if err := errors.Join(errA, errB); err != nil {
			t.Fatal(err)
		}
		if got := sameOrigin(a, b); got != c.same || sameOrigin(b, a) != got {
			t.Errorf("%s and %s: got %v", c.a, c.b, got)
		}
	}
}
