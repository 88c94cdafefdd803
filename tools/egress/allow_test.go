package egress_test

import (
	"net/url"
	"strings"
	"testing"

	"prax/tools/egress"
)

// TestAllow says what each form of an entry opens, and what stays closed beside it.
func TestAllow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ allow, open, closed string }{
		{"10.1.0.0/16", "http://10.1.2.3/ http://10.1.255.255:9/", "http://10.2.0.1/ http://127.0.0.1/"},
		{"127.0.0.1", "http://127.0.0.1/ http://127.0.0.1:9/", "http://127.0.0.2/ http://localhost/ http://127.1/ http://[::1]/ http://[::ffff:127.0.0.1]/"},
		{"127.0.0.1:8080", "http://127.0.0.1:8080/", "http://127.0.0.1/ https://127.0.0.1/ http://127.0.0.1:8081/"},
		{"127.0.0.1:443", "https://127.0.0.1/", "http://127.0.0.1/"},
		{"::1", "http://[::1]/", "http://[::2]/ http://127.0.0.1/"},
		{"[::1]", "http://[::1]/", "http://[::2]/"},
		{"[::1]:81", "http://[::1]:81/", "http://[::1]/"},
		{"fd00::/8", "http://[fd12::1]/", "http://[fc00::1]/ http://[fd00:ec2::254]/"},
		{"localhost", "http://localhost/ http://LOCALHOST.:9/", "http://a.localhost/ http://127.0.0.1/"},
		{"LocalHost.:81", "http://localhost:81/", "http://localhost/"},
		{"db.internal:5", "http://db.internal:5/", "http://db.internal/ http://x.db.internal:5/"},
		{"0.0.0.0/0", "http://10.0.0.1/ http://127.0.0.1/", "http://169.254.169.254/ http://100.100.100.200/ http://168.63.129.16/ http://localhost/ http://[::1]/"},
		{"::/0", "http://[::1]/ http://[64:ff9b::8.8.8.8]/", "http://[64:ff9b::169.254.169.254]/ http://[::ffff:127.0.0.1]/ http://[::169.254.169.254]/ http://[2002:a9fe:a9fe::]/"},
	} {
		judged := client(t, egress.Config{Allow: []string{c.allow}}, "")
		for _, text := range strings.Fields(c.open) {
			if err := judged.Judge(parsed(t, text)); err != nil {
				t.Errorf("%s allowed: %v", c.allow, err)
			}
		}
		for _, text := range strings.Fields(c.closed) {
			if judged.Judge(parsed(t, text)) == nil {
				t.Errorf("%s allowed: %s passes", c.allow, text)
			}
		}
	}
}

// TestBase says the same of the base URL of a connection, and that it opens nothing for another client.
func TestBase(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ base, open, closed string }{
		{"http://127.0.0.1:8080/api", "http://127.0.0.1:8080/ http://127.0.0.1:8080/other https://127.0.0.1:8080/", "http://127.0.0.1/ http://127.0.0.1:8081/ http://localhost:8080/ http://127.0.0.2:8080/"},
		{"http://localhost", "http://localhost:80/ http://LOCALHOST./", "https://localhost/ http://a.localhost/"},
		{"https://[::1]", "https://[0::1]/ https://[::1]:443/", "http://[::1]/"},
		{"http://169.254.169.254", "", "http://169.254.169.254/ http://[::ffff:169.254.169.254]/"},
		{"http://metadata.google.internal", "", "http://metadata.google.internal/"},
		{"http://user:word@10.0.0.1", "", "http://10.0.0.1/ http://user:word@10.0.0.1/"},
		{"http://[::ffff:10.0.0.1]", "", "http://[::ffff:10.0.0.1]/ http://10.0.0.1/"},
		{"http://127.1", "", "http://127.1/ http://127.0.0.1/"},
		{"ftp://10.0.0.1", "", "http://10.0.0.1/"},
	} {
		e := outward(t, egress.Config{})
		own, other := e.Client(parsed(t, c.base)), e.Client(parsed(t, "http://a.test"))
		for _, text := range strings.Fields(c.open) {
			if err := own.Judge(parsed(t, text)); err != nil {
				t.Errorf("base %s: %v", c.base, err)
			}
			if other.Judge(parsed(t, text)) == nil {
				t.Errorf("base %s: %s passes for another client", c.base, text)
			}
		}
		for _, text := range strings.Fields(c.closed) {
			if own.Judge(parsed(t, text)) == nil {
				t.Errorf("base %s: %s passes", c.base, text)
			}
		}
	}
}

func TestAllowRefuses(t *testing.T) {
	t.Parallel()
	for _, entry := range []string{
		"", " ", "*", "*.test", "10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/", "http://a.test", "a.test/x", "a.test:0", "a.test:http", "a.test:1:2", "127.0.0.1:0",
		"127.1", "2130706433", "::ffff:10.0.0.1", "::ffff:0:0/96", "[::ffff:10.0.0.1]:80", "fe80::1%eth0", "user@a.test", "ｌｏｃａｌhost",
		"169.254.169.254", "169.254.169.254:80", "metadata.google.internal", "Metadata.Google.Internal.:80", "fd00:ec2::254", "64:ff9b::a9fe:a9fe",
	} {
		if _, err := egress.New(egress.Config{Allow: []string{"a.test", entry}}); err == nil {
			t.Errorf("%q is taken", entry)
		} else if !strings.Contains(err.Error(), "egress allows") {
			t.Errorf("%q: %v does not tell which entry", entry, err)
		}
	}
}

func parsed(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
