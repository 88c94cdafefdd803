package server

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"time"

	"prax/auth/watch"
)

// maxPEM bounds each of the two files of a certificate, in bytes.
const maxPEM = 1 << 20

// ExpirySoon is how long before its end a certificate is warned about: renewals that work are done by then.
const ExpirySoon = 14 * 24 * time.Hour

// Pair is a certificate with its key, as two files had them at one time.
type Pair struct {
	Names  []string  // the hosts that it is for: names, then addresses
	From   time.Time // when all of its chain is valid
	Until  time.Time
	Digest string // SHA-256 of the chain in hex
	Loose  bool   // others than its owner may read or write the key

	certificate tls.Certificate
}

// ReadPair reads a chain of certificates, the server's own first, and its key, both PEM (RFC 7468), and tells
// whether they belong together. It does not judge the time. An error holds nothing of the key.
func ReadPair(certFile, keyFile string) (Pair, error) {
	cert, _, err := watch.ReadRegular(certFile, maxPEM)
	if err != nil {
		return Pair{}, fmt.Errorf("certificate: %w", err)
	}
	key, info, err := watch.ReadRegular(keyFile, maxPEM)
	if err != nil {
		return Pair{}, fmt.Errorf("key: %w", err)
	}
	both, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return Pair{}, fmt.Errorf("certificate %s and key %s: %w", certFile, keyFile, err)
	}
	p := Pair{certificate: both, Loose: info.Mode().Perm()&0o077 != 0}
	if err := p.describe(); err != nil {
		return Pair{}, fmt.Errorf("certificate %s: %w", certFile, err)
	}
	return p, nil
}

// describe reads the whole chain: a part of it that is no certificate would be noticed by callers only.
func (p *Pair) describe() error {
	sum := sha256.New()
	for _, der := range p.certificate.Certificate {
		one, err := x509.ParseCertificate(der)
		if err != nil {
			return err
		}
		sum.Write(der)
		if one.NotBefore.After(p.From) {
			p.From = one.NotBefore
		}
		if p.Until.IsZero() || one.NotAfter.Before(p.Until) {
			p.Until = one.NotAfter
		}
	}
	p.Digest = hex.EncodeToString(sum.Sum(nil))
	leaf := p.certificate.Leaf
	p.Names = append(p.Names, leaf.DNSNames...)
	for _, ip := range leaf.IPAddresses {
		p.Names = append(p.Names, ip.String())
	}
	return nil
}

// Valid tells whether the whole chain is valid at a time.
func (p Pair) Valid(now time.Time) bool { return !now.Before(p.From) && !now.After(p.Until) }

// Concern says what an operator should see to by now: that the certificate is not valid, or soon will not be. "" is
// nothing. It holds no path and no name.
func (p Pair) Concern(now time.Time) string {
	switch {
	case now.Before(p.From):
		return "the certificate is not valid before " + p.From.Format(time.RFC3339)
	case now.After(p.Until):
		return "the certificate expired at " + p.Until.Format(time.RFC3339)
	case p.Until.Sub(now) < ExpirySoon:
		return "the certificate expires at " + p.Until.Format(time.RFC3339)
	}
	return ""
}
