package egress_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"prax/tools/egress"
)

// TestNoFormReachesLoopback sends for every bad form, with a resolver that takes every name for the machine itself: nobody
// is connected to, though somebody listens.
func TestNoFormReachesLoopback(t *testing.T) {
	t.Parallel()
	l := listen(t, "127.0.0.1:0", hangUp)
	c := client(t, egress.Config{Resolver: new(names).answer("*", "127.0.0.1")}, "")
	hosts := []string{
		"a.test", "a.test.", "127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "017700000001", "0177.0.0.1", "0", "0.0.0.0",
		"localhost", "LOCALHOST.", "a.localhost", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[2001:0:7f00:1::]",
	}
	for _, host := range hosts {
		_, err := get(t, c, "http://"+host+":"+l.port()+"/")
		wantRefused(t, host, err)
	}
	if n := l.accepted.Load(); n != 0 {
		t.Errorf("%d connections were made", n)
	}
}

// TestNamesThatLeadInside has every kind of address as the answer of a resolver.
func TestNamesThatLeadInside(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{
		"127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.0.1", "100.64.0.1", "169.254.1.1", "169.254.169.254", "0.0.0.0", "192.0.0.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "192.0.2.1",
		"::1", "::", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "fc00::1", "fe80::1", "fe80::1%lo", "::1%lo", "2606:4700::1111%lo", "fec0::1", "ff02::1", "64:ff9b::7f00:1", "64:ff9b:1::1", "2001::1", "2002:7f00:1::", "2001:db8::1", "100::1",
		"8.8.8.8,127.0.0.1", "127.0.0.1,8.8.8.8", "8.8.8.8,2606:4700::1111,::1", // one bad answer is enough
	} {
		c := client(t, egress.Config{Resolver: new(names).answer("a.test", answer)}, "")
		_, err := get(t, c, "http://a.test/")
		refused := wantRefused(t, answer, err)
		for a := range strings.SplitSeq(answer, ",") {
			if strings.Contains(refused.Error(), a) {
				t.Errorf("%q tells the address", refused)
			}
		}
	}
}

// TestMetadataNever proves that nothing allows a metadata service: the operator's base URL, an allowed host, a range.
func TestMetadataNever(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{"169.254.169.254", "::ffff:169.254.169.254", "100.100.100.200", "fd00:ec2::254", "168.63.129.16", "64:ff9b::a9fe:a9fe", "169.254.169.254%", "127.0.0.1,169.254.169.254"} {
		answer = strings.TrimSuffix(answer, "%")
		for name, allow := range map[string][]string{"base": nil, "host": {"a.test"}, "host and port": {"a.test:80"}, "range": {"0.0.0.0/0", "::/0"}} {
			c := client(t, egress.Config{Allow: allow, Resolver: new(names).answer("a.test", answer)}, "http://a.test/")
			_, err := get(t, c, "http://a.test/")
			if refused := wantRefused(t, name+" "+answer, err); !strings.Contains(refused.Reason, "metadata") {
				t.Errorf("%s: %s", name, refused)
			}
		}
	}
}

// TestZoneNever: a link of the machine is no place to name, whatever the operator wrote.
func TestZoneNever(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{"fe80::1%lo", "::1%lo", "2606:4700::1111%lo"} {
		c := client(t, egress.Config{Allow: []string{"::/0"}, Resolver: new(names).answer("a.test", answer)}, "http://a.test")
		_, err := get(t, c, "http://a.test/")
		if refused := wantRefused(t, answer, err); !strings.Contains(refused.Reason, "zone") {
			t.Errorf("%s: %v", answer, refused)
		}
	}
}

// TestRebinding has a name change its answer after it was found good, each time with somebody listening on the machine.
func TestRebinding(t *testing.T) {
	t.Parallel()
	l := listen(t, "127.0.0.1:0", hangUp)
	r := new(names).answer("a.test", "8.8.8.8", "127.0.0.1")
	c := client(t, egress.Config{Resolver: r}, "")
	target := "http://a.test:" + l.port() + "/"
	if err := c.Judge(parsed(t, target)); err != nil { // a check by name
		t.Fatal(err)
	}
	if a, err := r.LookupNetIP(t.Context(), "ip", "a.test"); err != nil || a[0] != netip.MustParseAddr("8.8.8.8") { // a check by address
		t.Fatal(a, err)
	}
	_, err := get(t, c, target)
	wantRefused(t, "the second answer", err)
	if n := l.accepted.Load(); n != 0 {
		t.Errorf("%d connections were made", n)
	}
}

// TestRebindingBetweenRequests has the first answer reached really, at another address of the machine that the operator allows.
func TestRebindingBetweenRequests(t *testing.T) {
	t.Parallel()
	good, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Skipf("this machine has one loopback address only: %v", err)
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "good") })}
	go s.Serve(good)
	t.Cleanup(func() { s.Close() })
	_, port, _ := net.SplitHostPort(good.Addr().String())
	c := client(t, egress.Config{Allow: []string{"127.0.0.2"}, Resolver: new(names).answer("a.test", "127.0.0.2", "127.0.0.1", "127.0.0.2")}, "")
	for i, want := range []bool{true, false, true} {
		resp, err := get(t, c, "http://a.test:"+port+"/")
		if want && (err != nil || string(resp.Body) != "good") {
			t.Fatalf("request %d: %v, %v", i, resp, err)
		}
		if !want {
			wantRefused(t, "the second answer", err)
		}
	}
}

// TestAllowedIsReached is the other side: what the operator wrote is connected to, by name and address.
func TestAllowedIsReached(t *testing.T) {
	t.Parallel()
	s := served(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Host) })
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	r := new(names).answer("*", "127.0.0.1").answer("mapped.test", "::ffff:127.0.0.1")
	for _, c := range []struct{ allow, base, host string }{
		{"", "http://127.0.0.1:" + port, "127.0.0.1"},
		{"", "http://mapped.test:" + port, "mapped.test"}, // as some resolvers say it
		{"", "http://localhost:" + port + "/x", "localhost"},
		{"", "http://api.internal:" + port, "API.internal"},
		{"127.0.0.0/8", "", "a.test"},
		{"127.0.0.1", "", "127.0.0.1"},
		{"127.0.0.1:" + port, "", "a.test"},
		{"a.test", "", "a.test"},
		{"a.test:" + port, "", "a.test."},
	} {
		var allow []string
		if c.allow != "" {
			allow = []string{c.allow}
		}
		resp, err := get(t, client(t, egress.Config{Allow: allow, Resolver: r}, c.base), "http://"+c.host+":"+port+"/")
		if err != nil || resp.Status != 200 || !strings.EqualFold(string(resp.Body), c.host+":"+port) {
			t.Errorf("%+v: got %+v, %v", c, resp, err)
		}
	}
}

// TestNextAddress is connected to when the first does not answer.
func TestNextAddress(t *testing.T) {
	t.Parallel()
	s := served(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "second") })
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	c := client(t, egress.Config{Resolver: new(names).answer("a.test", "127.0.0.77,127.0.0.1")}, "http://a.test:"+port)
	if resp, err := get(t, c, "http://a.test:"+port+"/"); err != nil || string(resp.Body) != "second" {
		t.Errorf("got %v, %v", resp, err)
	}
}

// TestUnreached covers all that fails before there is a connection.
func TestUnreached(t *testing.T) {
	t.Parallel()
	closed := listen(t, "127.0.0.1:0", hangUp)
	closed.Close()
	plain := listen(t, "127.0.0.1:0", canned("HTTP/1.1 200 OK\r\n\r\n"))
	for name, target := range map[string]string{
		"nobody listens":      "http://127.0.0.1:" + closed.port(),
		"no name":             "http://a.test:81",
		"no TLS, broken off":  "https://127.0.0.1:" + listen(t, "127.0.0.1:0", hangUp).port(),
		"no TLS, other bytes": "https://127.0.0.1:" + listen(t, "127.0.0.1:0", func(c net.Conn) { io.WriteString(c, "220 mail.test\r\n") }).port(),
	} {
		_, err := do(t, client(t, egress.Config{Resolver: new(names)}, target), http.MethodPost, target, "body")
		t.Log(name, err)
		wantUnreached(t, err)
		if strings.Contains(err.Error(), "10.9.8.7") {
			t.Errorf("%s: %v names the resolver", name, err)
		}
	}
	if n := plain.accepted.Load(); n != 0 {
		t.Errorf("%d connections to where nobody was sent", n)
	}
}

// TestUnknownAuthority proves that certificates are verified, and that a request is not sent to who has none.
func TestUnknownAuthority(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 1)
	s := servedTLS(t, func(http.ResponseWriter, *http.Request) { asked <- "" })
	_, err := do(t, client(t, egress.Config{}, s.URL), http.MethodPost, s.URL, "secret")
	wantUnreached(t, err)
	if want := "its certificate is signed by an unknown authority"; !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
	other := client(t, egress.Config{RootCAs: roots(s), Resolver: new(names).answer("b.test", "127.0.0.1")}, "https://b.test:"+portOf(s))
	_, err = do(t, other, http.MethodPost, "https://b.test:"+portOf(s), "secret")
	wantUnreached(t, err)
	if want := "its certificate is for another host"; !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
	if len(asked) != 0 {
		t.Error("the request was sent")
	}
}

type stuck struct{}

func (stuck) LookupNetIP(ctx context.Context, _, _ string) ([]netip.Addr, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestResolverHangs bounds the time for a connection where the request has no bound of its own.
func TestResolverHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		req, err := http.NewRequest(http.MethodGet, "http://a.test/", nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = client(t, egress.Config{Resolver: stuck{}}, "").Do(context.Background(), req)
		wantUnreached(t, err)
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// TestEndsBeforeConnected has a context end during the look-up, and during the handshake.
func TestEndsBeforeConnected(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		req, err := http.NewRequest(http.MethodPost, "http://a.test/", strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		_, err = client(t, egress.Config{Resolver: stuck{}}, "").Do(ctx, req)
		wantUnreached(t, err)
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took != time.Second {
			t.Errorf("got %v after %v", err, took)
		}
		synctest.Wait()
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	mute := listen(t, "127.0.0.1:0", func(c net.Conn) {
		cancel()
		io.Copy(io.Discard, c)
	})
	target := "https://127.0.0.1:" + mute.port()
	req, err := http.NewRequest(http.MethodPost, target, strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = client(t, egress.Config{}, target).Do(ctx, req)
	wantUnreached(t, err)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestLog has the address for the operator, and nothing of the path, the query or the headers.
func TestLog(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	c := client(t, egress.Config{Resolver: new(names).answer("a.test", "10.1.2.3"), Log: slog.New(slog.NewTextHandler(&out, nil))}, "")
	for _, target := range []string{"http://a.test/canary?canary#canary", "http://10.4.5.6/canary", "http://canary:canary@b.test/canary", "http://c.test/canary"} {
		if _, err := get(t, c, target, "Authorization", "canary"); err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", target, err)
		}
	}
	if got := out.String(); !strings.Contains(got, "10.1.2.3") || !strings.Contains(got, "10.4.5.6") || strings.Contains(got, "canary") {
		t.Errorf("got %s", got)
	}
}
