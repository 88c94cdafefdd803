package egress

import (
	"errors"
	"net"
	"net/netip"
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
