package jwt_test

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	jwtlib "github.com/golang-jwt/jwt/v5"

	"prax/auth/jwt"
)

// TestForgedAlgorithms: nothing but a signature by our own Ed25519 key is one, whatever a token says about itself.
func TestForgedAlgorithms(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	good := w.mint(jwt.Order{})
	f := w.forger()
	parts := strings.Split(good, ".")
	public := f.key.Public().(ed25519.PublicKey)
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	block := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	hs := func(secret []byte) string {
		signed := base(`{"alg":"HS256","kid":"`+f.kid+`","typ":"JWT"}`) + "." + parts[1]
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(signed))
		return signed + "." + base(string(mac.Sum(nil)))
	}
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	ecKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	_, another, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	lib := func(m jwtlib.SigningMethod, key any) string {
		tok := jwtlib.New(m)
		tok.Header["kid"] = f.kid
		var claims jwtlib.MapClaims
		if err := json.Unmarshal([]byte(unbase(t, parts[1])), &claims); err != nil {
			t.Fatal(err)
		}
		tok.Claims = claims
		text, err := tok.SignedString(key)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	forged := f
	forged.key = another
	for what, token := range map[string]string{
		"none":                           base(`{"alg":"none","kid":"`+f.kid+`","typ":"JWT"}`) + "." + parts[1] + ".",
		"none with our signature":        base(`{"alg":"none","kid":"`+f.kid+`","typ":"JWT"}`) + "." + parts[1] + "." + parts[2],
		"None":                           f.sign(`{"alg":"None","kid":"`+f.kid+`","typ":"JWT"}`, unbase(t, parts[1])),
		"no alg":                         f.sign(`{"kid":"`+f.kid+`","typ":"JWT"}`, unbase(t, parts[1])),
		"eddsa in small letters":         f.sign(`{"alg":"eddsa","kid":"`+f.kid+`","typ":"JWT"}`, unbase(t, parts[1])),
		"Ed25519":                        f.sign(`{"alg":"Ed25519","kid":"`+f.kid+`","typ":"JWT"}`, unbase(t, parts[1])),
		"HS256 with the public key":      hs(public),
		"HS256 with it as PEM":           hs(block),
		"HS256 with it as DER":           hs(der),
		"HS256 with the key's id":        hs([]byte(f.kid)),
		"HS256 with nothing":             hs(nil),
		"RS256":                          lib(jwtlib.SigningMethodRS256, rsaKey),
		"PS256":                          lib(jwtlib.SigningMethodPS256, rsaKey),
		"ES256":                          lib(jwtlib.SigningMethodES256, ecKey),
		"another Ed25519 key, our kid":   forged.sign(f.header(), unbase(t, parts[1])),
		"no signature":                   parts[0] + "." + parts[1] + ".",
		"signature of zeros":             parts[0] + "." + parts[1] + "." + base(strings.Repeat("\x00", 64)),
		"a signature cut short":          parts[0] + "." + parts[1] + "." + parts[2][:80],
		"the signature of other claims":  parts[0] + "." + base(strings.Replace(unbase(t, parts[1]), "u_alice", "u_admin", 1)) + "." + parts[2],
		"the signature with S plus L":    parts[0] + "." + parts[1] + "." + base(malleable(t, unbase(t, parts[2]))),
		"a token signed as a JWS of JWS": f.sign(f.header(), good),
	} {
		w.refused(what, token)
	}
	w.admitted(good)
}

// malleable is the other number that an Ed25519 signature could have for its S, which RFC 8032, 5.1.7 refuses.
func malleable(t *testing.T, signature string) string {
	t.Helper()
	order, _ := new(big.Int).SetString("7237005577332262213973186563042994240857116359379907606001950938285454250989", 10)
	s := []byte(signature[32:])
	for i := range len(s) / 2 {
		s[i], s[len(s)-1-i] = s[len(s)-1-i], s[i]
	}
	n := new(big.Int).Add(new(big.Int).SetBytes(s), order)
	out := n.FillBytes(make([]byte, 32))
	for i := range len(out) / 2 {
		out[i], out[len(out)-1-i] = out[len(out)-1-i], out[i]
	}
	return signature[:32] + string(out)
}

// TestForgedHeaders: a header has three members and no other; none of them names a file, a key or an address.
func TestForgedHeaders(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	good := w.mint(jwt.Order{})
	f := w.forger()
	claims := unbase(t, strings.Split(good, ".")[1])
	w.admitted(f.sign(f.header(), claims)) // what the forger signs as it should be is good: the rest fails for its one fault
	public := base64.RawURLEncoding.EncodeToString(f.key.Public().(ed25519.PublicKey))
	member := func(text string) string { return strings.Replace(f.header(), `}`, `,`+text+`}`, 1) }
	kid := func(id string) string {
		text, err := json.Marshal(id)
		if err != nil {
			t.Fatal(err)
		}
		return `{"alg":"EdDSA","kid":` + string(text) + `,"typ":"JWT"}`
	}
	headers := map[string]string{
		"jku":               member(`"jku":"https://evil.example/keys"`),
		"x5u":               member(`"x5u":"https://evil.example/cert"`),
		"jwk":               member(`"jwk":{"kty":"OKP","crv":"Ed25519","x":"` + public + `"}`),
		"x5c":               member(`"x5c":[]`),
		"crit":              member(`"crit":["exp"]`),
		"crit of nothing":   member(`"crit":[]`),
		"b64":               member(`"b64":false`),
		"zip":               member(`"zip":"DEF"`),
		"cty JWT":           member(`"cty":"JWT"`),
		"enc":               member(`"enc":"A256GCM"`),
		"kid twice":         member(`"kid":"` + f.kid + `"`),
		"alg twice":         member(`"alg":"none"`),
		"alg first as none": `{"alg":"none","alg":"EdDSA","kid":"` + f.kid + `","typ":"JWT"}`,
		"Alg":               strings.Replace(f.header(), `"alg"`, `"Alg"`, 1),
		"no kid":            `{"alg":"EdDSA","typ":"JWT"}`,
		"kid a number":      `{"alg":"EdDSA","kid":7,"typ":"JWT"}`,
		"kid a list":        `{"alg":"EdDSA","kid":["` + f.kid + `"],"typ":"JWT"}`,
		"no typ":            `{"alg":"EdDSA","kid":"` + f.kid + `"}`,
		"typ JOSE":          strings.Replace(f.header(), `"JWT"`, `"JOSE"`, 1),
		"typ jwt":           strings.Replace(f.header(), `"JWT"`, `"jwt"`, 1),
		"typ at+jwt":        strings.Replace(f.header(), `"JWT"`, `"at+jwt"`, 1),
		"a list":            `[` + f.header() + `]`,
		"null":              `null`,
		"empty":             ``,
		"two objects":       f.header() + f.header(),
		"trailing data":     f.header() + `x`,
		"not UTF-8":         strings.Replace(f.header(), f.kid, f.kid+"\xff", 1),
		"a byte order mark": "\ufeff" + f.header(),
	}
	for _, id := range []string{
		"", "../keys/audit", "../../etc/passwd", "/dev/null", "audit", f.kid + ".key", "jwt-" + f.kid, f.kid + "\x00", "\x00",
		"https://evil.example/" + f.kid, "file:///dev/zero", strings.ToUpper(f.kid), f.kid + " ", "' OR '1'='1", "0000000000000000", strings.Repeat("a", 4000),
	} {
		if id == f.kid {
			t.Fatalf("%q is the right id", id)
		}
		headers[fmt.Sprintf("kid %.20q", id)] = kid(id)
	}
	for what, h := range headers {
		w.refused(what, f.sign(h, claims))
	}
	w.admitted(good)
}

// TestForgedClaims: our own signature under claims that we would not make is no token.
func TestForgedClaims(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	good := w.mint(jwt.Order{})
	f := w.forger()
	unix := func(d time.Duration) int64 { return noon.Add(d).Unix() }
	type claims map[string]any
	for what, change := range map[string]claims{
		"aud missing": {"aud": nil}, "aud of another": {"aud": "https://other.example"}, "aud empty": {"aud": ""},
		"aud a list": {"aud": []string{audience}}, "aud a list of two": {"aud": []string{audience, "x"}}, "aud with a slash": {"aud": audience + "/"},
		"aud in capitals": {"aud": strings.ToUpper(audience)}, "aud a number": {"aud": 1},
		"iss missing": {"iss": nil}, "iss of another": {"iss": "praxx"}, "iss empty": {"iss": ""},
		"exp missing": {"exp": nil}, "exp a string": {"exp": "9999999999"}, "exp a float": {"exp": float64(unix(time.Hour)) + 0.5},
		"exp negative": {"exp": -1}, "exp zero": {"exp": 0}, "exp huge": {"exp": json.RawMessage("9223372036854775807")},
		"exp beyond 64 bits": {"exp": json.RawMessage("9223372036854775808")}, "exp 1e30": {"exp": json.RawMessage("1e30")}, "exp true": {"exp": true},
		"exp with an exponent": {"exp": json.RawMessage(fmt.Sprintf("%de0", unix(time.Hour)))}, "exp with a fraction": {"exp": json.RawMessage(fmt.Sprintf("%d.0", unix(time.Hour)))},
		"exp past": {"exp": unix(-time.Second), "iat": unix(-time.Hour)}, "exp exactly now": {"exp": unix(0), "iat": unix(-time.Hour)},
		"exp before iat": {"exp": unix(time.Second), "iat": unix(2 * time.Second)}, "exp at iat": {"exp": unix(20 * time.Second), "iat": unix(20 * time.Second)},
		"longer than a day": {"exp": unix(24*time.Hour + time.Second)}, "a week": {"exp": unix(7 * 24 * time.Hour)},
		"iat missing": {"iat": nil}, "iat in the future": {"iat": unix(31 * time.Second)}, "iat far in the future": {"iat": unix(time.Hour), "exp": unix(2 * time.Hour)},
		"iat a string": {"iat": fmt.Sprint(unix(0))}, "iat a float": {"iat": float64(unix(0)) + 0.25}, "iat negative": {"iat": -5}, "iat zero": {"iat": 0},
		"iat so low that exp less iat overflows": {"iat": json.RawMessage("-9223372036854775808")},
		"jti missing":                            {"jti": nil}, "jti empty": {"jti": ""}, "jti a number": {"jti": 1}, "jti of our length": {"jti": strings.Repeat("a", 28)}, "jti null": {"jti": json.RawMessage("null")},
		"sub missing": {"sub": nil}, "sub empty": {"sub": ""}, "sub unknown": {"sub": "bob"}, "sub with other capitals": {"sub": "Alice"}, "sub with a NUL": {"sub": "alice\x00"},
		"sub an operator": {"sub": "operator:0"}, "sub a list": {"sub": []string{"alice"}},
		"user_id missing": {"user_id": nil}, "user_id empty": {"user_id": ""}, "user_id of another": {"user_id": "u_bob"},
		"epoch missing": {"epoch": nil}, "epoch zero": {"epoch": 0}, "epoch of before": {"epoch": 1}, "epoch of after": {"epoch": noon.UnixMilli() + 1},
		"epoch a string": {"epoch": fmt.Sprint(noon.UnixMilli())}, "epoch negative": {"epoch": -noon.UnixMilli()},
		"nbf": {"nbf": unix(-time.Hour)}, "an unknown claim": {"admin": true}, "roles": {"roles": []string{"human"}}, "scope": {"scope": "everything"},
		"Allow": {"Allow": []string{}}, "allow null": {"allow": json.RawMessage("null")}, "allow a string": {"allow": "memory_recall"}, "allow a comma string": {"allow": "memory_recall,praxec.query"},
		"allow default": {"allow": "default"}, "allow a number": {"allow": 1}, "allow an object": {"allow": map[string]any{}}, "allow with a number": {"allow": []any{"memory_recall", 1}},
		"allow with null": {"allow": []any{"memory_recall", nil}}, "allow with nothing": {"allow": []string{""}}, "allow within a list": {"allow": [][]string{{"memory_recall"}}},
		"workflows null": {"workflows": json.RawMessage("null")}, "workflows a string": {"workflows": "deploy"}, "workflows with nothing": {"workflows": []string{""}},
	} {
		w.refused(what, f.with(good, change))
	}
	claimed := unbase(t, strings.Split(good, ".")[1])
	for what, text := range map[string]string{
		"a claim twice": strings.Replace(claimed, `{`, `{"sub":"alice",`, 1), "exp twice": strings.Replace(claimed, `{`, `{"exp":9999999999,`, 1),
		"allow twice": strings.Replace(claimed, `{`, `{"allow":[],"allow":["memory_recall"],`, 1), "a claim twice by an escape": strings.Replace(claimed, `{`, `{"s\u0075b":"alice",`, 1),
		"two objects": claimed + claimed, "trailing data": claimed + "x", "a list": "[" + claimed + "]", "a string": `"alice"`, "nothing": ``, "null": `null`,
		"not UTF-8": strings.Replace(claimed, "u_alice", "u_alice\xff", 1), "half a pair": strings.Replace(claimed, "u_alice", `u_alice\ud800`, 1),
	} {
		w.refused(what, f.sign(f.header(), text))
	}
	// What the forger changes by nothing, and by what may be, is good: each of the above fails for its one fault.
	for what, change := range map[string]claims{
		"nothing": {}, "iat within the skew": {"iat": unix(30 * time.Second), "exp": unix(time.Hour)}, "a day": {"exp": unix(24 * time.Hour)}, "a second left": {"exp": unix(time.Second)},
		"nothing allowed": {"allow": []string{}},
	} {
		if _, ok := w.Authenticate(request(f.with(good, change))); !ok {
			t.Errorf("%s is refused: %s", what, w.Why(request(f.with(good, change))))
		}
	}
}

// TestOneSpelling: a token has one spelling. Whatever differs from it in a byte is another token, and none.
func TestOneSpelling(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	good := w.mint(jwt.Order{})
	parts := strings.Split(good, ".")
	spellings := map[string]string{
		"padded": good + "==", "padded in the middle": parts[0] + "=." + parts[1] + "." + parts[2], "a dot more": good + ".", "a dot before": "." + good,
		"five parts": good + "." + parts[0] + "." + parts[1], "four parts": good + "." + parts[2], "two parts": parts[0] + "." + parts[1], "one part": parts[0], "empty parts": "..", "nothing": "",
		"a line break inside": parts[0] + "." + parts[1][:8] + "\n" + parts[1][8:] + "." + parts[2], "a blank inside": parts[0] + ". " + parts[1] + "." + parts[2],
		"standard letters": parts[0] + "." + parts[1] + "." + strings.NewReplacer("-", "+", "_", "/").Replace(parts[2]) + "+", "a NUL after": good + "\x00", "percent encoded": strings.Replace(good, ".", "%2E", 1),
		"twice": good + good, "lower case": strings.ToLower(good), "64 kB": good + strings.Repeat("A", 64<<10), "64 kB of dots": strings.Repeat(".", 64<<10), "64 kB of claims": parts[0] + "." + strings.Repeat("A", 64<<10) + "." + parts[2],
		"a JWE": base(`{"alg":"dir","enc":"A256GCM"}`) + "..AAAA.AAAA.AAAA",
	}
	// Each last letter has bits that mean nothing: every other spelling of them is refused.
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	for i, part := range parts {
		for _, c := range letters {
			other := append([]string{}, parts...)
			if other[i] = part[:len(part)-1] + string(c); other[i] != part {
				spellings[fmt.Sprintf("part %d ends with %c", i, c)] = strings.Join(other, ".")
			}
		}
	}
	for what, token := range spellings {
		w.refused(what, token)
	}
	for i := range good { // and no byte can be another one
		w.refused(fmt.Sprintf("byte %d", i), good[:i]+string(good[i]^1)+good[i+1:])
	}
	w.admitted(good)
	r := request(good)
	r.Header.Add("Authorization", "Bearer "+good)
	if _, ok := w.Authenticate(r); ok {
		t.Error("two headers are one token")
	}
}
