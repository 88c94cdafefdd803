package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
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
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ts.Check(err)
	until := time.Now().Add(time.Duration(days) * 24 * time.Hour)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: args[0]}, DNSNames: []string{args[0] + ".example.net"},
		NotBefore: until.Add(-100 * 24 * time.Hour), NotAfter: until,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	ts.Check(err)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	ts.Check(err)
	for name, block := range map[string]*pem.Block{
		args[0] + ".crt": {Type: "CERTIFICATE", Bytes: der},
		args[0] + ".key": {Type: "PRIVATE KEY", Bytes: secret},
	} {
		ts.Check(os.WriteFile(ts.MkAbs(name), pem.EncodeToMemory(block), 0o600))
	}
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
