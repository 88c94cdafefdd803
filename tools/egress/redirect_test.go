package egress_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"prax/tools/egress"
)

// TestRedirectsAreFollowed for the two methods that only read, to the same place by every status.
func TestRedirectsAreFollowed(t *testing.T) {
	t.Parallel()
	s := served(t, func(w http.ResponseWriter, r *http.Request) {
		if n, err := strconv.Atoi(r.URL.Path[1:]); err == nil {
			http.Redirect(w, r, "/end?q=1#fragment", n)
			return
		}
		w.Header().Set("X-Got", r.Method+" "+r.RequestURI+" "+r.Header.Get("X-Custom"))
	})
	c := client(t, egress.Config{}, s.URL)
	for _, status := range []string{"301", "302", "303", "307", "308"} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			resp, err := do(t, c, method, s.URL+"/"+status, "", "X-Custom", "c")
			if err != nil {
				t.Fatal(err)
			}
			if got, want := resp.Header.Get("X-Got"), method+" /end?q=1 c"; resp.Status != 200 || got != want || resp.URL != s.URL+"/end?q=1" {
				t.Errorf("%s %s: got %d %q at %s, want %q", method, status, resp.Status, got, resp.URL, want)
			}
		}
	}
}

// TestRedirectsThatAreAnswers: of a request that may have had an effect, of one with a body, and what leads nowhere.
func TestRedirectsThatAreAnswers(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	s := served(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		io.Copy(io.Discard, r.Body)
		if r.URL.Path != "/nowhere" {
			w.Header().Set("Location", "/end")
		}
		status, _ := strconv.Atoi(r.URL.Query().Get("s"))
		w.WriteHeader(status)
	})
	c := client(t, egress.Config{}, s.URL)
	for _, r := range []struct {
		method, path, body string
		status             int
	}{
		{http.MethodPost, "/", "x", 302}, {http.MethodPost, "/", "", 303}, {http.MethodPost, "/", "x", 307}, {http.MethodPut, "/", "x", 308}, {http.MethodDelete, "/", "", 301}, {http.MethodOptions, "/", "", 302},
		{http.MethodGet, "/", "x", 302}, {http.MethodGet, "/nowhere", "", 302}, {http.MethodGet, "/", "", 300}, {http.MethodGet, "/", "", 304}, {http.MethodGet, "/", "", 305},
	} {
		asked.Store(0)
		resp, err := do(t, c, r.method, s.URL+r.path+"?s="+strconv.Itoa(r.status), r.body)
		if err != nil || resp.Status != r.status || asked.Load() != 1 {
			t.Errorf("%+v: got %+v, %v after %d requests", r, resp, err, asked.Load())
		}
	}
}

// TestRedirectLimit allows five, and not one more.
func TestRedirectLimit(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	s := served(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if n, _ := strconv.Atoi(r.URL.Path[1:]); n > 0 {
			http.Redirect(w, r, fmt.Sprintf("/%d", n-1), http.StatusFound)
		}
	})
	c := client(t, egress.Config{}, s.URL)
	if resp, err := get(t, c, s.URL+"/5"); err != nil || resp.Status != 200 || resp.URL != s.URL+"/0" {
		t.Errorf("five: got %+v, %v", resp, err)
	}
	asked.Store(0)
	_, err := get(t, c, s.URL+"/6")
	if refused := wantRefused(t, "the sixth", err); !refused.Redirected || asked.Load() != 6 {
		t.Errorf("got %v after %d requests", refused, asked.Load())
	}
}

// TestRedirectsInside lead from an allowed server to where its own client may not go, in every bad form, and to another
// port of the same machine.
func TestRedirectsInside(t *testing.T) {
	t.Parallel()
	inside := listen(t, "127.0.0.1:0", hangUp)
	r := new(names).answer("rebound.test", "127.0.0.1").answer("metadata.test", "169.254.169.254")
	targets := []string{
		"http://127.0.0.1:" + inside.port() + "/", "//127.0.0.1:" + inside.port() + "/", "http://rebound.test:" + inside.port() + "/", "http://localhost:" + inside.port() + "/", "http://metadata.test/",
		"file:///etc/passwd", "gopher://127.0.0.1:" + inside.port() + "/", "http://user:canary@127.0.0.1:" + inside.port() + "/", "https://127.0.0.1:" + inside.port() + "/",
	}
	for _, text := range badURLs {
		// A path, or what is no URL, leads to the server itself.
		if u, err := url.Parse(text); err == nil && u.Host != "" && u.Scheme != "" {
			targets = append(targets, text)
		}
	}
	var to atomic.Value
	s := served(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Location"] = []string{to.Load().(string)}
		w.WriteHeader(http.StatusFound)
	})
	c := client(t, egress.Config{Resolver: r}, s.URL)
	for _, target := range targets {
		to.Store(target)
		_, err := get(t, c, s.URL)
		if refused := wantRefused(t, target, err); !refused.Redirected || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", target, err)
		}
	}
	to.Store("http://a.test:bad/%zz")
	_, err := get(t, c, s.URL)
	wantRefused(t, "what is no URL", err)
	if n := inside.accepted.Load(); n != 0 {
		t.Errorf("%d connections were made", n)
	}
}

// TestRedirectUnreached: the first request was sent, but what the error speaks of was not.
func TestRedirectUnreached(t *testing.T) {
	t.Parallel()
	s := served(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://gone.test/", http.StatusFound)
	})
	_, err := get(t, client(t, egress.Config{Resolver: new(names)}, s.URL), s.URL)
	wantUnreached(t, err)
}

// TestCredentialsStay has redirects lead to another port, another name, another scheme, and back: what is a credential, by
// whatever name, does not go along, nor does it come back.
func TestCredentialsStay(t *testing.T) {
	t.Parallel()
	var seen atomic.Value
	seen.Store(http.Header{})
	second := served(t, func(w http.ResponseWriter, r *http.Request) {
		seen.Store(r.Header)
		if back := r.URL.Query().Get("back"); back != "" {
			http.Redirect(w, r, back, http.StatusFound)
		}
	})
	first := served(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/end" {
			seen.Store(r.Header)
			return
		}
		http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusTemporaryRedirect)
	})
	secure := servedTLS(t, func(_ http.ResponseWriter, r *http.Request) { seen.Store(r.Header) })
	a, b := "http://a.test:"+portOf(first), "http://b.test:"+portOf(second)
	c := client(t, egress.Config{RootCAs: roots(secure), Allow: []string{"127.0.0.0/8"}, Resolver: new(names).answer("*", "127.0.0.1")}, "")
	for name, to := range map[string]string{
		"another host":         b,
		"another port":         "http://a.test:" + portOf(second),
		"another name for it":  "http://c.test:" + portOf(first) + "/end",
		"https":                secure.URL,
		"its address":          first.URL + "/end",
		"and back":             b + "?back=" + url.QueryEscape(a+"/end"),
		"a name that is below": "http://x.a.test:" + portOf(first) + "/end",
	} {
		resp, err := get(t, c, a+"/?to="+url.QueryEscape(to), "Authorization", "Bearer canary", "Cookie", "a=canary", "X-Api-Key", "canary", "Proxy-Authorization", "canary", "Idempotency-Key", "canary", "Referer", "http://canary/", "Accept", "text/plain", "User-Agent", "prax")
		if err != nil || resp.Status != 200 {
			t.Fatalf("%s: %v, %v", name, resp, err)
		}
		got := seen.Load().(http.Header)
		if s := fmt.Sprint(got); strings.Contains(s, "canary") {
			t.Errorf("%s: %s", name, s)
		}
		if got.Get("Accept") != "text/plain" || got.Get("User-Agent") != "prax" {
			t.Errorf("%s: %v lost what is no credential", name, got)
		}
	}
}

// TestCredentialsGoAlong to the same origin, however it is written.
func TestCredentialsGoAlong(t *testing.T) {
	t.Parallel()
	s := served(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/end" {
			http.Redirect(w, r, "http://A.Test.:"+r.Header.Get("X-Port")+"/end", http.StatusFound)
			return
		}
		io.WriteString(w, r.Header.Get("Authorization"))
	})
	base := "http://a.test:" + portOf(s)
	c := client(t, egress.Config{Resolver: new(names).answer("*", "127.0.0.1")}, base)
	resp, err := get(t, c, base, "Authorization", "Bearer x", "X-Port", portOf(s))
	if err != nil || string(resp.Body) != "Bearer x" {
		t.Errorf("got %+v, %v", resp, err)
	}
}

// TestNoDowngrade: https never leads to http, not even to the same allowed host.
func TestNoDowngrade(t *testing.T) {
	t.Parallel()
	plain := listen(t, "127.0.0.1:0", hangUp)
	s := servedTLS(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://127.0.0.1:"+plain.port()+"/", http.StatusFound)
	})
	c := client(t, egress.Config{RootCAs: roots(s), Allow: []string{"127.0.0.1"}}, "")
	_, err := get(t, c, s.URL)
	if refused := wantRefused(t, "http after https", err); !refused.Redirected || plain.accepted.Load() != 0 {
		t.Errorf("got %v", refused)
	}
}
