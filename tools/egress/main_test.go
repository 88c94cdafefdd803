package egress_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"prax/tools/egress"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// names is a resolver: each name has its answers, of which the last is given for ever.
type names struct {
	mu      sync.Mutex
	answers map[string][][]netip.Addr
	asked   int
}

// answer has a name resolve to addresses, once for each answer: "203.0.113.1,::1".
func (n *names) answer(name string, answers ...string) *names {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.answers == nil {
		n.answers = map[string][][]netip.Addr{}
	}
	for _, text := range answers {
		var addrs []netip.Addr
		for a := range strings.SplitSeq(text, ",") {
			addrs = append(addrs, netip.MustParseAddr(a))
		}
		n.answers[name] = append(n.answers[name], addrs)
	}
	return n
}

func (n *names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked++
	left, ok := n.answers[host]
	if !ok {
		left, ok = n.answers["*"]
	}
	if !ok {
		return nil, &net.DNSError{Err: "no such host", Name: host, Server: "10.9.8.7:53", IsNotFound: true}
	}
	if len(left) > 1 {
		n.answers[host] = left[1:]
	}
	return left[0], nil
}

func outward(t *testing.T, c egress.Config) *egress.Egress {
	t.Helper()
	e, err := egress.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// client is one whose operator wrote the base; "": none.
func client(t *testing.T, c egress.Config, base string) *egress.Client {
	t.Helper()
	if base == "" {
		return outward(t, c).Client(nil)
	}
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	return outward(t, c).Client(u)
}

// served is a server on loopback.
func served(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// do sends a request that has half a minute.
func do(t *testing.T, c *egress.Client, method, target, body string, header ...string) (*egress.Response, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var r io.Reader
	if body != "" {
		r = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, target, r)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Add(header[i], header[i+1])
	}
	return c.Do(ctx, req)
}

func get(t *testing.T, c *egress.Client, target string, header ...string) (*egress.Response, error) {
	t.Helper()
	return do(t, c, http.MethodGet, target, "", header...)
}

func wantRefused(t *testing.T, what string, err error) *egress.Refused {
	t.Helper()
	var refused *egress.Refused
	if !errors.As(err, &refused) {
		t.Fatalf("%s: got %v, want it refused", what, err)
	}
	return refused
}

func wantUnreached(t *testing.T, err error) {
	t.Helper()
	var unreached *egress.Unreached
	if !errors.As(err, &unreached) {
		t.Fatalf("got %v, want it unreached", err)
	}
}

// wantDoubtful is an error after which the request may have been sent.
func wantDoubtful(t *testing.T, err error) {
	t.Helper()
	var refused *egress.Refused
	var unreached *egress.Unreached
	if err == nil || errors.As(err, &refused) || errors.As(err, &unreached) {
		t.Fatalf("got %v, want an error that leaves it open whether the request was sent", err)
	}
}

// counted is a listener that counts who connects, and hands each connection to a function.
type counted struct {
	net.Listener
	accepted atomic.Int64
	serving  sync.WaitGroup
}

func listen(t *testing.T, address string, serve func(net.Conn)) *counted {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	c := &counted{Listener: l}
	c.serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			c.accepted.Add(1)
			c.serving.Go(func() {
				defer conn.Close()
				serve(conn)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		c.serving.Wait()
	})
	return c
}

// hangUp serves nothing.
func hangUp(net.Conn) {}

func (c *counted) port() string {
	_, port, _ := net.SplitHostPort(c.Addr().String())
	return port
}

// canned answers the first request of a connection with bytes, once its header is read.
func canned(answer string) func(net.Conn) {
	return func(conn net.Conn) {
		if readHeader(conn) {
			io.WriteString(conn, answer)
		}
	}
}

// readHeader reads up to the empty line, byte by byte, so that nothing of what follows is taken.
func readHeader(conn net.Conn) bool {
	var last [4]byte
	one := make([]byte, 1)
	for {
		if _, err := conn.Read(one); err != nil {
			return false
		}
		copy(last[:], last[1:])
		last[3] = one[0]
		if string(last[:]) == "\r\n\r\n" {
			return true
		}
	}
}
