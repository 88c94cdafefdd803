package egress

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
)

// What is known without asking the other side what it means.
var (
	errNoHost    = errors.New("there is no such host")
	errNoLookup  = errors.New("the name cannot be resolved now")
	errNoAddress = errors.New("the name has no address")
	errMalformed = errors.New("what came is malformed or too large")
)

// unresolved is what is told of a look-up: not the name servers.
func unresolved(err error) error {
	var dns *net.DNSError
	if errors.As(err, &dns) && dns.IsNotFound {
		return errNoHost
	}
	return errNoLookup
}

// unconnected is what is told of a connection that never was: neither the addresses that package net puts around it, nor
// what stands in a certificate.
func unconnected(ctx context.Context, err error) error {
	var op *net.OpError
	var cert *tls.CertificateVerificationError
	switch {
	case errors.As(err, &cert):
		err = untrusted(cert)
	case errors.As(err, &op) && op.Err != nil:
		err = op.Err
	}
	if cause := ctx.Err(); cause != nil && !errors.Is(err, cause) {
		return fmt.Errorf("%w: %w", cause, err)
	}
	return err
}

func untrusted(err error) error {
	var host x509.HostnameError
	var authority x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &host):
		return errors.New("its certificate is for another host")
	case errors.As(err, &authority):
		return errors.New("its certificate is signed by an unknown authority")
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return errors.New("its certificate has expired or is not valid yet")
	}
	return errors.New("its certificate is not valid")
}

// broken is what is told of an exchange that failed: nothing that the other side sent.
func broken(ctx context.Context, err error) error {
	var op *net.OpError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &op) && op.Err != nil:
		return op.Err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return io.ErrUnexpectedEOF
	}
	return errMalformed
}
