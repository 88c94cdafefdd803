package main

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"prax/server"
	"prax/store"
	"prax/tools"
)

// tls tells whether the server speaks https itself.
func (s *settings) tls() bool { return s.TLSCert != "" }

// halfTLS is why the two settings of TLS cannot be meant: one without the other. "" is nothing.
func (s *settings) halfTLS() string {
	switch {
	case s.TLSCert != "" && s.TLSKey == "":
		return "PRAX_TLS_CERT without PRAX_TLS_KEY: set both, or neither"
	case s.TLSCert == "" && s.TLSKey != "":
		return "PRAX_TLS_KEY without PRAX_TLS_CERT: set both, or neither"
	}
	return ""
}

// openCertificate reads the pair that https is served by; nil when it is not. A server that was to speak TLS never
// starts without it.
func (s *settings) openCertificate(log *slog.Logger, now func() time.Time) (*server.Certificate, error) {
	if half := s.halfTLS(); half != "" {
		return nil, badConfig("", "%s", half)
	}
	if !s.tls() {
		return nil, nil
	}
	c, err := server.OpenCertificate(s.TLSCert, s.TLSKey, log, now)
	if err != nil {
		return nil, badConfig("prax check judges PRAX_TLS_CERT and PRAX_TLS_KEY", "TLS: %w", err)
	}
	return c, nil
}

// certificateShown is what check tells of the pair.
type certificateShown struct {
	Names  []string  `json:"names"`
	From   time.Time `json:"from"`
	Until  time.Time `json:"until"`
	SHA256 string    `json:"sha256"` // of the chain
}

// judgeCertificate reads the pair as a start would.
func (v *verdict) judgeCertificate(s *settings, now time.Time) {
	if half := s.halfTLS(); half != "" {
		v.add(setting("tls-half", "error", half))
		return
	}
	if !s.tls() {
		return
	}
	p, err := server.ReadPair(s.TLSCert, s.TLSKey)
	if err != nil {
		v.add(setting("tls-unusable", "error", err.Error()))
		return
	}
	v.Certificate = &certificateShown{Names: p.Names, From: p.From.UTC(), Until: p.Until.UTC(), SHA256: p.Digest}
	if p.Loose {
		v.add(setting("tls-key-mode", "warning", s.TLSKey+" can be read or written by others than its owner: chmod 600"))
	}
	switch concern := p.Concern(now); {
	case concern == "":
	case p.Valid(now):
		v.add(setting("tls-expires", "warning", concern))
	default:
		v.add(setting("tls-expired", "error", concern))
	}
}

func orNobody(names []string) string {
	if len(names) == 0 {
		return "nobody: it names no host"
	}
	return strings.Join(names, ", ")
}

// watchCertificate keeps the pair in step with its files until ctx ends.
func (a *app) watchCertificate(ctx context.Context) error {
	if a.certificate == nil {
		<-ctx.Done()
		return nil
	}
	return a.certificate.Run(ctx, a.recertified)
}

// certificateEvent is the detail of a reading of the certificate that changed something.
type certificateEvent struct {
	Event  string `json:"event"`
	Reason string `json:"reason"`
	Digest string `json:"digest,omitzero"`
	Until  string `json:"until,omitzero"`
}

// recertified puts another certificate, and files that cannot be used, into the audit.
func (a *app) recertified(reason string, p server.Pair, err error) {
	e := certificateEvent{Event: "certificate", Reason: reason}
	outcome := tools.OutcomeError
	if err == nil {
		outcome, e.Digest, e.Until = tools.OutcomeOK, p.Digest, p.Until.UTC().Format(time.RFC3339)
	}
	a.note(store.Event{At: a.now(), Kind: store.EventServer, Outcome: outcome}, e)
}
