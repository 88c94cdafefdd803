package egress

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

// FuzzAllow: an entry that is taken allows what it says and nothing else: never a metadata service, an address only
// within it, a host only by its own name.
func FuzzAllow(f *testing.F) {
	for _, entry := range []string{"10.1.0.0/16", "10.1.2.3", "10.1.2.3:80", "[::1]:443", "::1", "db.internal:5432", "DB.Internal.", "169.254.169.254", "169.254.0.0/16", "metadata.google.internal", "::ffff:10.0.0.1", "10.0.0.1/8", "0.0.0.0/0", "a b", "*", "localhost", "fe80::1%eth0"} {
		f.Add(entry)
	}
	f.Fuzz(func(t *testing.T, entry string) {
		a, err := parseAllowed([]string{entry})
		if err != nil {
			if a.hosts != nil || a.nets != nil {
				t.Fatalf("%q is refused, and allows %+v", entry, a)
			}
			return
		}
		if len(a.hosts)+len(a.nets) != 1 {
			t.Fatalf("%q allows %+v", entry, a)
		}
		for name := range a.hosts {
			host, _, _ := strings.Cut(name, ":")
			if isMetadataName(host) || host != strings.ToLower(host) || strings.ContainsAny(host, "/@ *%[]") {
				t.Fatalf("%q allows the host %q", entry, name)
			}
			if again, err := parseAllowed([]string{name}); err != nil || !again.hosts[name] {
				t.Fatalf("%q allows %q, and that %+v, %v", entry, name, again, err)
			}
		}
		for _, n := range a.nets {
			if n.prefix != n.prefix.Masked() || n.prefix.Addr().Is4In6() || n.prefix.IsSingleIP() && isMetadata(n.prefix.Addr()) {
				t.Fatalf("%q allows %v", entry, n)
			}
			if before := n.prefix.Addr().Prev(); before.IsValid() && a.hasAddr(before, max(n.port, 1)) || n.port != 0 && a.hasAddr(n.prefix.Addr(), n.port^1) {
				t.Fatalf("%q allows more than %v", entry, n)
			}
		}
		if a.hasAddr(netip.MustParseAddr("192.0.2.1"), 80) && !strings.Contains(entry, "/") && !strings.HasPrefix(entry, "192.0.2.1") && !strings.HasPrefix(entry, "[") {
			t.Fatalf("%q allows 192.0.2.1", entry)
		}
	})
}

// FuzzResponse: a body is what the library decompresses, cut at its bound; one that breaks off is an error, and
// headers of an encoding that was undone are gone.
func FuzzResponse(f *testing.F) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write([]byte("hello"))
	_ = w.Close()
	for _, encoding := range []string{"", "gzip", " X-GZIP", "br", "gzip, gzip"} {
		f.Add(packed.Bytes(), encoding)
		f.Add(packed.Bytes()[:packed.Len()-3], encoding)
		f.Add([]byte(nil), encoding)
	}
	req, err := http.NewRequest(http.MethodGet, "https://a.test/", nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte, encoding string) {
		h := http.Header{"Content-Encoding": {encoding}, "Content-Length": {"9"}}
		r, err := read(context.Background(), &http.Response{StatusCode: 200, Header: h, Body: io.NopCloser(bytes.NewReader(body)), Request: req}, req)
		want, undone, errWant := body, false, error(nil)
		if e := strings.ToLower(strings.TrimSpace(encoding)); (e == "gzip" || e == "x-gzip") && len(body) > 0 {
			want, undone, errWant = unpacked(body), true, nil
			if want == nil {
				errWant = io.ErrUnexpectedEOF
			}
		}
		switch {
		case errWant != nil:
			if err == nil && !r.Cut {
				t.Fatalf("%q in %q gives %q", body, encoding, r.Body)
			}
		case err != nil:
			t.Fatalf("%q in %q: %v", body, encoding, err)
		case !bytes.Equal(r.Body, want[:min(len(want), MaxBody)]) || r.Cut != (len(want) > MaxBody):
			t.Fatalf("%q in %q gives %d bytes, want %d", body, encoding, len(r.Body), len(want))
		case (r.Header.Get("Content-Encoding") == "") != (undone || encoding == ""):
			t.Fatalf("%q in %q leaves %v", body, encoding, r.Header)
		}
	})
}

// unpacked is what gzip holds, up to a little more than is kept; nil when it is none.
func unpacked(body []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(z, MaxBody+1))
	if err != nil {
		return nil
	}
	return append([]byte{}, text...)
}
