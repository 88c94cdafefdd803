package jwt_test

import (
	"strings"
	"testing"
	"time"

	jwtlib "github.com/golang-jwt/jwt/v5"

	"prax/auth/jwt"
)

// FuzzToken: of all texts only a token that was made is one; no other text ends a process or is admitted.
func FuzzToken(f *testing.F) {
	w := newWorld(f)
	good := w.mint(jwt.Order{Allow: names("memory_recall")})
	parts := strings.Split(good, ".")
	for _, text := range []string{
		"", "..", "eyJ..", good, good + "=", parts[0] + "." + parts[1], parts[0] + ".." + parts[2], "eyJhbGciOiJub25lIn0.e30.",
		"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
		"eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..AAAA.AAAA.AAAA", "prx_abcdefghijklmnopqrstuvwxyz234567",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if p, ok := w.Authenticate(request(text)); ok && (strings.Trim(text, " \t") != good || p.Client != "alice" || p.Allow.Len() != 1) {
			t.Fatalf("%q is admitted as %q", text, p.Client)
		}
		if why := w.Why(request(text)); len(why) > 60 || !jwt.Resembles(strings.Trim(text, " \t")) && why != "" {
			t.Fatalf("%q is refused for %q", text, why)
		}
	})
}

// FuzzSigned: whatever stands under our own signature, what is admitted is a token to the library as well, and says the
// same to it. The library takes more.
func FuzzSigned(f *testing.F) {
	w := newWorld(f)
	good := w.mint(jwt.Order{Allow: names("memory_recall"), Workflows: names("deploy", "ops.*")})
	forger := w.forger()
	const kid = "KID" // stands for the key's id, which is another each time
	header, claims := strings.Replace(forger.header(), forger.kid, kid, 1), unbase(f, strings.Split(good, ".")[1])
	for _, change := range [][2]string{
		{"", ""}, {`"exp":`, `"exp":1e0,"x":`}, {`"allow":`, `"Allow":`}, {`["memory_recall"]`, `null`}, {`["memory_recall"]`, `[null]`}, {`{`, `{"sub":"bob",`},
		{`"alice"`, `"\u0061lice"`}, {`"aud":"` + audience + `"`, `"aud":["` + audience + `"]`}, {`}`, `,"nbf":9999999999}`}, {`}`, ` } `},
	} {
		f.Add(header, strings.Replace(claims, change[0], change[1], 1))
		f.Add(strings.Replace(header, change[0], change[1], 1), claims)
	}
	parser := jwtlib.NewParser(
		jwtlib.WithValidMethods([]string{"EdDSA"}), jwtlib.WithStrictDecoding(), jwtlib.WithAudience(audience), jwtlib.WithIssuer("prax"),
		jwtlib.WithIssuedAt(), jwtlib.WithExpirationRequired(), jwtlib.WithLeeway(30*time.Second), jwtlib.WithTimeFunc(func() time.Time { return noon }),
	)
	f.Fuzz(func(t *testing.T, header, claims string) {
		token := forger.sign(strings.Replace(header, kid, forger.kid, 1), claims)
		p, ok := w.Authenticate(request(token))
		if !ok {
			return
		}
		var std jwtlib.RegisteredClaims
		_, err := parser.ParseWithClaims(token, &std, func(*jwtlib.Token) (any, error) { return forger.key.Public(), nil })
		if err != nil {
			t.Fatalf("%s %s is admitted; the library says %v", header, claims, err)
		}
		if std.Subject != p.Client || std.ID != p.Grant.ID || !std.ExpiresAt.Equal(p.Expires) || std.ExpiresAt.Sub(std.IssuedAt.Time) > jwt.MaxTTL {
			t.Fatalf("%s is %+v to us", claims, p.Grant)
		}
		for name := range p.Allow.Each() {
			if !alice().Allow.Has(name) {
				t.Fatalf("%s gives %q, which alice has not", claims, name)
			}
		}
	})
}
