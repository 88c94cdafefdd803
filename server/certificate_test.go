package server

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"prax/auth/watch"
)

// issued is a certificate for 127.0.0.1 that signs itself, as the two files have it.
type issued struct{ cert, key []byte }

func issue(t testing.TB, serial int64, from, until time.Time) issued {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "prax test"}, NotBefore: from, NotAfter: until,
		DNSNames: []string{"prax.example.net"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}, &x509.Certificate{SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "prax test"}}, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return issued{
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}),
	}
}

func fresh(t testing.TB, serial int64) issued {
	return issue(t, serial, time.Now().Add(-time.Hour), time.Now().Add(90*24*time.Hour))
}

// files are the two files of a pair.
type files struct{ cert, key string }

func (i issued) save(t testing.TB) files {
	t.Helper()
	dir := t.TempDir()
	f := files{filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")}
	f.put(t, i)
	return f
}

// put saves a pair as a renewal does: each file by a rename of its own, the certificate first.
func (f files) put(t testing.TB, i issued) {
	t.Helper()
	replace(t, f.cert, i.cert)
	replace(t, f.key, i.key)
}

func replace(t testing.TB, file string, text []byte) {
	t.Helper()
	if err := os.WriteFile(file+".new", text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		t.Fatal(err)
	}
}

func TestReadPair(t *testing.T) {
	t.Parallel()
	from, until := time.Now().Add(-time.Hour).Truncate(time.Second), time.Now().Add(time.Hour).Truncate(time.Second)
	one := issue(t, 1, from, until)
	shorter := issue(t, 2, from.Add(time.Minute), until.Add(-time.Minute))
	f := issued{append(bytes.Clone(one.cert), shorter.cert...), one.key}.save(t)
	p, err := ReadPair(f.cert, f.key)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(p.Names, " "); got != "prax.example.net 127.0.0.1" {
		t.Errorf("names %q", got)
	}
	if !p.From.Equal(from.Add(time.Minute)) || !p.Until.Equal(until.Add(-time.Minute)) {
		t.Errorf("valid from %v until %v: not the time in which the whole chain is", p.From, p.Until)
	}
	if p.Loose || len(p.Digest) != 64 {
		t.Errorf("loose %v, digest %q", p.Loose, p.Digest)
	}
	if err := os.Chmod(f.key, 0o640); err != nil {
		t.Fatal(err)
	}
	if p, err = ReadPair(f.cert, f.key); err != nil || !p.Loose {
		t.Errorf("a key that its group may read: loose %v, %v", p.Loose, err)
	}
}

// What cannot be a pair is refused, in words that have nothing of the key.
func TestReadPairRefuses(t *testing.T) {
	t.Parallel()
	a, b := fresh(t, 1), fresh(t, 2)
	noise := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("noise")})
	for name, i := range map[string]issued{
		"mismatch":        {a.cert, b.key},
		"swapped":         {a.key, a.cert},
		"empty":           {nil, nil},
		"no key":          {a.cert, nil},
		"half a file":     {a.cert[:len(a.cert)/2], a.key},
		"half a key":      {a.cert, a.key[:len(a.key)/2]},
		"noise in chain":  {append(bytes.Clone(a.cert), noise...), a.key},
		"beyond a MiB":    {append(bytes.Clone(a.cert), make([]byte, maxPEM)...), a.key},
		"something other": {[]byte("hello"), []byte("world")},
	} {
		f := i.save(t)
		_, err := ReadPair(f.cert, f.key)
		if err == nil {
			t.Errorf("%s: taken", name)
			continue
		}
		for line := range strings.Lines(string(i.key)) {
			if line = strings.TrimSpace(line); len(line) > 20 && !strings.Contains(line, "-----") && strings.Contains(err.Error(), line[:20]) {
				t.Errorf("%s: the error has a part of the key: %v", name, err)
			}
		}
	}
	f := a.save(t)
	if _, err := ReadPair(f.cert, f.key+".none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no key: %v", err)
	}
	if _, err := ReadPair(filepath.Dir(f.cert), f.key); !errors.Is(err, watch.ErrNotRegular) {
		t.Errorf("a directory: %v", err)
	}
	if _, err := OpenCertificate(f.cert, f.key+".none", slog.New(slog.DiscardHandler), time.Now); err == nil {
		t.Error("a server would start without its key")
	}
}

func TestConcern(t *testing.T) {
	t.Parallel()
	at := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	p := Pair{From: at, Until: at.Add(90 * 24 * time.Hour)}
	for _, tt := range []struct {
		now   time.Time
		valid bool
		want  string
	}{
		{at.Add(-time.Second), false, "not valid before 2027-01-01T00:00:00Z"},
		{at, true, ""},
		{p.Until.Add(-ExpirySoon), true, ""},
		{p.Until.Add(time.Second - ExpirySoon), true, "expires at 2027-04-01T00:00:00Z"},
		{p.Until, true, "expires at"},
		{p.Until.Add(time.Second), false, "expired at"},
	} {
		got := p.Concern(tt.now)
		if !strings.Contains(got, tt.want) || (tt.want == "") != (got == "") || p.Valid(tt.now) != tt.valid {
			t.Errorf("at %v: %q, valid %v", tt.now, got, p.Valid(tt.now))
		}
	}
}

// The log says each day that a certificate ends soon: who renews by hand reads it there.
func TestCertificateReminds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := &buffer{}
		c := &Certificate{log: slog.New(slog.NewTextHandler(log, nil)), now: time.Now}
		c.pair.Store(&Pair{From: time.Now(), Until: time.Now().Add(ExpirySoon + 36*time.Hour)})
		ctx, end := context.WithCancel(t.Context())
		go c.remind(ctx)
		for day, want := range []int{0, 0, 1, 2} {
			synctest.Wait()
			if got := strings.Count(log.String(), "expires at"); got != want {
				t.Errorf("day %d: reminded %d times, want %d", day, got, want)
			}
			time.Sleep(remindEvery)
		}
		end()
		synctest.Wait()
	})
}

// secured is a rig that serves over TLS, its certificate kept in step with its files.
type secured struct {
	*rig
	files
	certificate *Certificate
}

func startTLS(t *testing.T, change func(*Config)) *secured {
	t.Helper()
	s := &secured{files: fresh(t, 1).save(t)}
	log := &buffer{}
	var err error
	s.certificate, err = OpenCertificate(s.cert, s.key, slog.New(slog.NewTextHandler(log, nil)), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	s.rig = start(t, func(c *Config) {
		c.Certificate = s.certificate
		if change != nil {
			change(c)
		}
	})
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.certificate.Run(ctx, nil) }()
	t.Cleanup(func() {
		end()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return s
}

// shake is a connection whose handshake is done, in the protocol that was asked for.
func (s *secured) shake(protocol string) *tls.Conn {
	s.t.Helper()
	c, err := tls.Dial("tcp", s.addr, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{protocol}}) // which it is, is what is tested
	if err != nil {
		s.t.Fatal(err)
	}
	_ = c.SetDeadline(time.Now().Add(patience))
	s.t.Cleanup(func() { _ = c.Close() })
	return c
}

func (s *secured) serial() int64 {
	s.t.Helper()
	c := s.shake("http/1.1")
	defer c.Close()
	return serialOf(c)
}

func serialOf(c *tls.Conn) int64 {
	return c.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
}

// A renewed pair is in force for the next handshake. Files that do not belong together, or are gone, change nothing,
// and connections that are open stay through all of it.
func TestCertificateIsReloaded(t *testing.T) {
	t.Parallel()
	s := startTLS(t, nil)
	first := s.shake("http/1.1")
	old := &conn{Conn: first, t: t, r: bufio.NewReader(first)}
	call := func() {
		t.Helper()
		old.send("POST /mcp HTTP/1.1", "Host: "+s.addr, good, "Content-Length: 2", "", "{}")
		if got := old.reply(); got.status != 200 {
			t.Errorf("the open connection: %d", got.status)
		}
	}
	call()
	second := fresh(t, 2)
	s.put(t, second)
	s.until("the second certificate", func() bool { return s.serial() == 2 })
	call()
	if serialOf(first) != 1 {
		t.Error("the open connection is another one")
	}

	third := fresh(t, 3)
	replace(t, s.cert, third.cert) // the key is that of the second
	s.until("the mismatch to be seen", s.certificate.Broken)
	if got := s.serial(); got != 2 {
		t.Errorf("a certificate without its key: handshakes get %d", got)
	}
	if got := s.certificate.Concern(time.Now()); !strings.Contains(got, "last good pair") {
		t.Errorf("concern %q", got)
	}
	replace(t, s.key, third.key)
	s.until("the third certificate", func() bool { return s.serial() == 3 })
	if s.certificate.Broken() || s.certificate.Concern(time.Now()) != "" {
		t.Error("it is broken still")
	}

	for _, file := range []string{s.cert, s.key} {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	s.until("the files to be missed", s.certificate.Broken)
	if got := s.serial(); got != 3 {
		t.Errorf("without files: handshakes get %d", got)
	}
	s.put(t, second)
	s.until("the second certificate again", func() bool { return s.serial() == 2 })
	call()
}

// A failure that lasts is said once, and again when the operator asks.
func TestCertificateSaysOnce(t *testing.T) {
	t.Parallel()
	log := &buffer{}
	f := fresh(t, 1).save(t)
	c, err := OpenCertificate(f.cert, f.key, slog.New(slog.NewTextHandler(log, nil)), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	c.changed = func(reason string, _ Pair, err error) {
		told = append(told, reason+map[bool]string{true: " failed"}[err != nil])
	}
	replace(t, f.key, fresh(t, 2).key)
	for _, reason := range []string{"a", "b", watch.Forced} {
		if c.Reload(reason) == nil {
			t.Error("a key of another certificate was taken")
		}
	}
	if n := strings.Count(log.String(), "cannot be used"); n != 2 {
		t.Errorf("said %d times, want once for each reason to say it:\n%s", n, log)
	}
	f.put(t, fresh(t, 3))
	for _, reason := range []string{"c", "d"} {
		if err := c.Reload(reason); err != nil {
			t.Error(err)
		}
	}
	if got := strings.Join(told, ", "); got != "a failed, c" {
		t.Errorf("told: %s", got)
	}
	if n := strings.Count(log.String(), "certificate in force"); n != 2 {
		t.Errorf("said %d times that one is in force, want at the start and once after:\n%s", n, log)
	}
	if strings.Contains(log.String(), "PRIVATE") {
		t.Error("the log has a key")
	}
}

// Nobody resumes a session that an older key began, and nobody comes with less than TLS 1.2.
func TestHandshakes(t *testing.T) {
	t.Parallel()
	s := startTLS(t, nil)
	config := &tls.Config{InsecureSkipVerify: true, ClientSessionCache: tls.NewLRUClientSessionCache(4)}
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		config.MaxVersion = version
		for range 2 {
			c, err := tls.Dial("tcp", s.addr, config)
			if err != nil {
				t.Fatal(err)
			}
			one := &conn{Conn: c, t: t, r: bufio.NewReader(c)} // tickets of TLS 1.3 come with what is read
			one.send("GET /healthz HTTP/1.1", "Host: "+s.addr, "", "")
			if got := one.reply(); got.status != 200 {
				t.Errorf("%d", got.status)
			}
			if state := c.ConnectionState(); state.DidResume || state.Version != version {
				t.Errorf("resumed %v, version %x", state.DidResume, state.Version)
			}
			_ = c.Close()
		}
	}
	if c, err := tls.Dial("tcp", s.addr, &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}); err == nil {
		_ = c.Close()
		t.Error("TLS 1.1 was taken")
	}
}

// Who speaks no TLS reaches no route, whatever token it has.
func TestPlaintextToTLS(t *testing.T) {
	t.Parallel()
	s := startTLS(t, nil)
	c := s.dial()
	c.send("POST /mcp HTTP/1.1", "Host: "+s.addr, good, "Content-Length: 2", "", "{}")
	if got := c.reply(); got.status != 400 {
		t.Errorf("%+v", got)
	}
	if n := s.calls.Load(); n != 0 {
		t.Errorf("%d calls got through", n)
	}
}

// Handshakes that fail are anybody's to make: they cost the log a few lines a minute, and no connection for good.
func TestFailedHandshakesAreSampled(t *testing.T) {
	t.Parallel()
	s := startTLS(t, func(c *Config) { c.MaxConns = 8 })
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 50 {
				c, err := net.Dial("tcp", s.addr)
				if err != nil {
					t.Error(err)
					return
				}
				_ = c.SetDeadline(time.Now().Add(patience))
				_, _ = io.WriteString(c, "\x16\x03\x01\x00\x05nonsense\x1b[31m")
				_, _ = io.Copy(io.Discard, c)
				_ = c.Close()
			}
		})
	}
	all.Wait()
	if got := s.serial(); got != 1 {
		t.Errorf("the next caller: %d", got)
	}
	if err := s.finish(); err != nil {
		t.Error(err)
	}
	if n := strings.Count(s.log.String(), "handshake error"); n == 0 || n > 2*refusalsARemote { // a minute may end in between
		t.Errorf("%d lines for 200 failed handshakes", n)
	}
	if !strings.Contains(s.log.String(), "more connections that failed") {
		t.Error("the others are not counted")
	}
}

// A connection that begins no handshake holds a place only for the time that headers have.
func TestSilentHandshake(t *testing.T) {
	t.Parallel()
	s := startTLS(t, func(c *Config) { c.MaxConns, c.HeaderTimeout = 1, 100*time.Millisecond })
	silent := s.dial()
	if got := s.serial(); got != 1 { // waits for the place
		t.Errorf("the next caller: %d", got)
	}
	if !silent.ends() {
		t.Error("a silent connection stays")
	}
}

// client is a caller of HTTP/2, or of HTTP/1.1 over TLS.
func (s *secured) client(http2 bool) *http.Client {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(!http2)
	protocols.SetHTTP2(http2)
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, Protocols: protocols}
	s.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: patience}
}
