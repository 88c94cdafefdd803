package egress_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/tools/egress"
)

func servedTLS(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.EnableHTTP2 = true
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func roots(s *httptest.Server) *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return pool
}

func portOf(s *httptest.Server) string {
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	return port
}

// TestExchange sends what was asked for, and gives back what was answered.
func TestExchange(t *testing.T) {
	t.Parallel()
	s := servedTLS(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Got", r.Method+" "+r.Proto+" "+r.URL.RequestURI()+" "+r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusTeapot)
		w.Write(body)
	})
	c := client(t, egress.Config{RootCAs: roots(s)}, s.URL)
	resp, err := do(t, c, http.MethodPut, s.URL+"/a%2Fb?c=d", "hello", "Authorization", "Bearer x")
	if err != nil {
		t.Fatal(err)
	}
	got := []any{resp.Status, resp.Header.Get("X-Got"), string(resp.Body), resp.Cut, resp.URL}
	want := []any{http.StatusTeapot, "PUT HTTP/1.1 /a%2Fb?c=d Bearer x", "hello", false, s.URL + "/a%2Fb?c=d"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestHostIsTheURLs: a request cannot claim another host than the one that was judged.
func TestHostIsTheURLs(t *testing.T) {
	t.Parallel()
	s := served(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Host) })
	req, err := http.NewRequest(http.MethodGet, s.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = "metadata.google.internal"
	resp, err := client(t, egress.Config{}, s.URL).Do(t.Context(), req)
	if err != nil || string(resp.Body) != s.Listener.Addr().String() {
		t.Errorf("got %v, %v", resp, err)
	}
}

// TestNoTunnel: CONNECT would have the other side dial for us.
func TestNoTunnel(t *testing.T) {
	t.Parallel()
	l := listen(t, "127.0.0.1:0", hangUp)
	target := "http://127.0.0.1:" + l.port()
	_, err := do(t, client(t, egress.Config{}, target), http.MethodConnect, target, "")
	wantRefused(t, "a tunnel", err)
}

// TestBadHeader: what cannot be sent is known before there is a connection, and named without its value.
func TestBadHeader(t *testing.T) {
	t.Parallel()
	l := listen(t, "127.0.0.1:0", hangUp)
	target := "http://127.0.0.1:" + l.port()
	for name, value := range map[string]string{"X-A": "canary\r\nX-B: c", "X-B": "canary\n", "X-C": "canary\x00", "X D": "canary", "": "canary", "X:E": "canary", "X-\u00e9": "canary"} {
		req, err := http.NewRequest(http.MethodPost, target, strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header[name] = []string{value}
		_, err = client(t, egress.Config{}, target).Do(t.Context(), req)
		if refused := wantRefused(t, name, err); strings.Contains(refused.Error(), "canary") {
			t.Errorf("%v tells the value", refused)
		}
	}
	if n := l.accepted.Load(); n != 0 {
		t.Errorf("%d connections were made", n)
	}
}

// TestSentOnce has a server answer the first request of each connection, and hang up on every further one after it has read
// it: whatever is sent again is counted.
func TestSentOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ method, body, key string }{
		{http.MethodGet, "", ""}, {http.MethodHead, "", ""}, {http.MethodOptions, "", ""}, {http.MethodDelete, "", ""},
		{http.MethodPost, "x", ""}, {http.MethodPost, "x", "Idempotency-Key"}, {http.MethodPost, "", "Idempotency-Key"}, {http.MethodPost, "x", "X-Idempotency-Key"},
		{http.MethodPut, "x", ""}, {http.MethodPatch, "x", "Idempotency-Key"},
	} {
		var seen atomic.Int64
		l := listen(t, "127.0.0.1:0", func(conn net.Conn) {
			r := bufio.NewReader(conn)
			for {
				req, err := http.ReadRequest(r)
				if err != nil {
					return
				}
				io.Copy(io.Discard, req.Body)
				if seen.Add(1) > 1 {
					return
				}
				io.WriteString(conn, "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n")
			}
		})
		target := "http://127.0.0.1:" + l.port()
		sender := client(t, egress.Config{}, target)
		header := []string{"X-A", "b"}
		if c.key != "" {
			header = append(header, c.key, "k")
		}
		if _, err := do(t, sender, c.method, target, c.body, header...); err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		_, err := do(t, sender, c.method, target, c.body, header...)
		wantDoubtful(t, err)
		l.Close()
		if n := seen.Load(); n != 2 {
			t.Errorf("%+v: two requests were sent %d times", c, n)
		}
	}
}

// TestProxyOfTheEnvironment is not asked. The names are none that net/http would leave out.
func TestProxyOfTheEnvironment(t *testing.T) {
	proxy := listen(t, "127.0.0.1:0", hangUp)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		t.Setenv(name, "http://127.0.0.1:"+proxy.port())
	}
	t.Setenv("NO_PROXY", "")
	t.Setenv("no_proxy", "")
	s := served(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "direct") })
	target := "http://a.test:" + portOf(s)
	req, err := http.NewRequest(http.MethodGet, target, nil)
	if err != nil {
		t.Fatal(err)
	}
	if p, err := http.ProxyFromEnvironment(req); p == nil || err != nil {
		t.Fatalf("the environment names no proxy: %v, %v", p, err)
	}
	c := client(t, egress.Config{Resolver: new(names).answer("a.test", "127.0.0.1")}, target)
	resp, err := get(t, c, target)
	if err != nil || string(resp.Body) != "direct" {
		t.Errorf("got %v, %v", resp, err)
	}
	if n := proxy.accepted.Load(); n != 0 {
		t.Errorf("the proxy was asked %d times", n)
	}
}

// TestDoubtful covers what fails once the request may have arrived.
func TestDoubtful(t *testing.T) {
	t.Parallel()
	for name, serve := range map[string]func(net.Conn){
		"hangs up":           canned(""),
		"half a status line": canned("HTTP/1.1 2"),
		"no HTTP":            canned("SSH-2.0-x\r\n\r\n"),
		"half a header":      canned("HTTP/1.1 200 OK\r\nContent-Le"),
		"half a body":        canned("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"),
		"half a chunk":       canned("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhal"),
		"a bad chunk":        canned("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhal"),
		"half of gzip":       canned("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08"),
		"no gzip":            canned("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nplain text"),
		"two lengths":        canned("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
	} {
		target := "http://127.0.0.1:" + listen(t, "127.0.0.1:0", serve).port()
		_, err := do(t, client(t, egress.Config{}, target), http.MethodPost, target+"/canary?canary", "canary", "X-A", "canary")
		t.Log(name, err)
		wantDoubtful(t, err)
		if strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v tells of the request", name, err)
		}
	}
}

// TestNothingEchoed: what the other side sends back of a request is in no error, whatever it breaks with it.
func TestNothingEchoed(t *testing.T) {
	t.Parallel()
	for _, begin := range []string{
		"", "HTTP/1.1 ", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nX-", "HTTP/1.1 200 OK\r\nContent-Length: ", "HTTP/1.1 200 OK\r\nTransfer-Encoding: ",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n",
		"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: http://", "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: ",
		"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: http://localhost.", "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: http://%",
	} {
		var out bytes.Buffer
		target := "http://127.0.0.1:" + listen(t, "127.0.0.1:0", canned(begin+"CaNaRy\r\n\r\n")).port()
		c := client(t, egress.Config{Resolver: new(names), Log: slog.New(slog.NewTextHandler(&out, nil))}, target)
		_, err := get(t, c, target, "Authorization", "CaNaRy")
		if err == nil || strings.Contains(strings.ToLower(err.Error()+out.String()), "canary") {
			t.Errorf("%q: %v, %s", begin, err, &out)
		}
	}
}

// TestEndsWhileAnswering has the context end before the header, and within a body that drips.
func TestEndsWhileAnswering(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]string{
		"header": "HTTP/1.1 200 OK\r\n",
		"body":   "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n",
		"chunks": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n",
		"gzip":   "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x00\x00\x00\x00\x00",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		target := "http://127.0.0.1:" + listen(t, "127.0.0.1:0", func(conn net.Conn) {
			if readHeader(conn) {
				io.WriteString(conn, begin)
				cancel()
				io.Copy(io.Discard, conn) // until the client lets go
			}
		}).port()
		req, err := http.NewRequest(http.MethodGet, target, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = client(t, egress.Config{}, target).Do(ctx, req)
		wantDoubtful(t, err)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestBodyIsClosed whatever comes of the request.
func TestBodyIsClosed(t *testing.T) {
	t.Parallel()
	s := served(t, func(http.ResponseWriter, *http.Request) {})
	gone := listen(t, "127.0.0.1:0", hangUp)
	gone.Close()
	for _, target := range []string{s.URL, "http://10.0.0.1/", "http://localhost:1/", "http://127.0.0.1:" + gone.port()} {
		body := &closing{Reader: strings.NewReader("x")}
		u, err := url.Parse(target)
		if err != nil {
			t.Fatal(err)
		}
		c := client(t, egress.Config{}, "http://127.0.0.1:"+u.Port())
		c.Do(t.Context(), &http.Request{Method: http.MethodPost, URL: u, Body: body})
		if n := body.closed.Load(); n != 1 {
			t.Errorf("%s: the body was closed %d times", target, n)
		}
	}
}

type closing struct {
	io.Reader
	closed atomic.Int64
}

func (c *closing) Close() error {
	c.closed.Add(1)
	return nil
}
