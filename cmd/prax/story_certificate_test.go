package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"os"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// certifyCommand writes NAME.crt and NAME.key, a certificate for NAME that signs itself.
func certifyCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: certify NAME DAYS")
	}
	days, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(certify(ts.MkAbs(args[0]), args[0], days))
}

// certify writes PATH.crt and PATH.key, a certificate for a name that signs itself and ends in so many days.
func certify(path, name string, days int) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	until := time.Now().Add(time.Duration(days) * 24 * time.Hour)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name + ".example.net"},
		NotBefore: until.Add(-100 * 24 * time.Hour), NotAfter: until,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(path+".crt", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600),
		os.WriteFile(path+".key", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
}

// handshakeCommand tells, on standard output, for whom the certificate is that the server shows.
func handshakeCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: handshake")
	}
	c, err := tls.Dial("tcp", ts.Getenv("HOSTPORT"), &tls.Config{InsecureSkipVerify: true}) // whose it is, is the question
	ts.Check(err)
	defer c.Close()
	fmt.Fprintln(ts.Stdout(), c.ConnectionState().PeerCertificates[0].Subject.CommonName)
}
