package egress_test

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"prax/tools/egress"
)

// badURLs are refused as they are written, whatever they lead to.
var badURLs = []string{
	"ftp://a.test/", "file:///etc/passwd", "gopher://a.test/", "unix:///run/x.sock", "javascript:alert(1)", "//a.test/", "/path", "", "http:a.test", "http:///x", "http://:80/",
	"http://user@a.test/", "http://user:word@a.test/", "http://a.test@127.0.0.1/", "http://@a.test/",
	"http://a.test:0/", "http://a.test:65536/", "http://a.test:99999999999999999999/",
	"http://127.0.0.1/", "http://127.1/", "http://127.0.1/", "http://2130706433/", "http://0x7f000001/", "http://0x7f.1/", "http://0x7f.0.0.1/", "http://017700000001/",
	"http://0177.0.0.1/", "http://127.0.0.01/", "http://127.0.0.1./", "http://127.0.0.0x1/", "http://127.0.0.1.1/", "http://0/", "http://0x/", "http://a.test.0x7f/", "http://1.2.3/", "http://256.256.256.256/", "http://8.8.8.8./",
	"http://0.0.0.0/", "http://10.1.2.3/", "http://172.16.0.1/", "http://192.168.1.1/", "http://100.64.0.1/", "http://198.18.0.1/", "http://192.0.0.1/", "http://240.0.0.1/", "http://255.255.255.255/", "http://224.0.0.1/",
	"http://[::1]/", "http://[::]/", "http://[0:0:0:0:0:0:0:1]/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://[::ffff:8.8.8.8]/", "http://[::127.0.0.1]/", "http://[64:ff9b::7f00:1]/", "http://[64:ff9b:1::1]/",
	"http://[2002:7f00:1::]/", "http://[2001::1]/", "http://[fe80::1]/", "http://[fe80::1%25eth0]/", "http://[2606:4700::1111%25eth0]/", "http://[fec0::1]/", "http://[fd00::1]/", "http://[ff02::1]/", "http://[2001:db8::1]/",
	"http://localhost/", "http://LOCALHOST/", "http://localhost./", "http://LocalHost.:8080/", "http://a.localhost/", "http://a.localhost./", "http://printer.local/", "http://db.internal/", "http://DB.Internal./", "http://internal/", "http://local/",
	"http://localhost../", "http://.localhost/", "http://a..test/", "http://-%20.test/", "http://a_b c.test/", "http://ｌｏｃａｌｈｏｓｔ/", "http://①②⑦.⓪.⓪.①/", "http://127。0。0。1/", "http://ex%61mple.test%00/", "http://" + strings.Repeat("a.", 127) + "test/", "http://" + strings.Repeat("a", 64) + ".test/",
	"http://169.254.169.254/", "http://metadata.google.internal/", "http://metadata.google.internal./", "http://Metadata.Goog/", "http://metadata/", "http://100.100.100.200/", "http://[fd00:ec2::254]/", "http://[::ffff:169.254.169.254]/", "http://instance-data/",
}

// TestJudge proves that none of the bad forms passes, and that judging takes no look-up.
func TestJudge(t *testing.T) {
	t.Parallel()
	c := client(t, egress.Config{}, "")
	for _, text := range badURLs {
		u, err := url.Parse(text)
		if err != nil {
			continue // nobody can ask for it
		}
		if err := c.Judge(u); err == nil {
			t.Errorf("%q passes", text)
		} else {
			wantRefused(t, text, err)
		}
	}
	for _, text := range []string{
		"http://a.test", "https://a.test/x?y", "HTTPS://A.Test.:8443/", "http://a.test:/", "http://8.8.8.8/", "http://[2606:4700::1111]:8080/", "http://xn--bcher-kva.test/", "http://a-b_c.test/", "http://local.test/", "http://localhost.test/", "http://0x7f.test/", "http://1.a/",
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Judge(u); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	if c.Judge(nil) == nil || c.Judge(&url.URL{}) == nil || c.Judge(&url.URL{Scheme: "http", Host: "::1"}) == nil {
		t.Error("what is no URL passes")
	}
}

// FuzzJudge proves that whatever passes is a plain name, or an address of the public internet.
func FuzzJudge(f *testing.F) {
	for _, text := range badURLs {
		f.Add(text)
	}
	f.Add("http://a.test:8080/x")
	e, err := egress.New(egress.Config{})
	if err != nil {
		f.Fatal(err)
	}
	c := e.Client(nil)
	f.Fuzz(func(t *testing.T, text string) {
		u, err := url.Parse(text)
		if err != nil || c.Judge(u) != nil {
			return
		}
		host := u.Hostname()
		if a, err := netip.ParseAddr(host); err == nil {
			if !a.IsGlobalUnicast() || a.IsPrivate() || a.Is4In6() || a.Zone() != "" {
				t.Errorf("%q passes", text)
			}
			return
		}
		for _, r := range host {
			if r > 'z' || r < '-' || r == '/' || r == ':' || r == '@' {
				t.Errorf("%q passes with %q in its host", text, r)
			}
		}
		if u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
			t.Errorf("%q passes", text)
		}
	})
}
