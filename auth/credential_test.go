package auth_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"prax/auth"
)

// TestLaw10CredentialPrintsAsPlaceholder: whichever way a credential, or what holds one, is printed, its
// value does not come out.
func TestLaw10CredentialPrintsAsPlaceholder(t *testing.T) {
	t.Parallel()
	c := auth.HashToken("canary")
	p := auth.Principal{Client: "a", User: "u", Credential: c}
	var out bytes.Buffer
	// Not %p: fmt asks no method for it, and vet refuses it.
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%o", "%b", "%c", "%U", "%t"} {
		fmt.Fprintf(&out, verb+"\n", c)
		fmt.Fprintf(&out, verb+"\n", p)
		fmt.Fprintf(&out, verb+"\n", []auth.Credential{c})
		fmt.Fprintf(&out, verb+"\n", map[auth.Credential]int{c: 1})
	}
	out.WriteString(c.String())
	for _, log := range []*slog.Logger{
		slog.New(slog.NewTextHandler(&out, nil)), slog.New(slog.NewJSONHandler(&out, nil)),
	} {
		log.Info("x", "credential", c, "principal", p, "list", []any{c})
	}
	for _, v := range []any{c, map[auth.Credential]auth.Credential{c: c}, struct{ C auth.Credential }{c}} {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(text)
	}
	numbers := strings.Trim(fmt.Sprint([sha256.Size]byte(c)), "[]")
	for _, secret := range []string{c.Hex(), c.Hex()[:16], numbers[:20], string(c[:8])} {
		if at := strings.Index(strings.ToLower(out.String()), secret); at >= 0 {
			t.Errorf("the value is printed: %.80q", out.String()[max(0, at-20):])
		}
	}
	if got := c.String(); got != "[credential]" {
		t.Errorf("String is %q", got)
	}
}

// TestHashToken is SHA-256 for tokens of every length, and allocates nothing for those of usual length.
func TestHashToken(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 31, 32, 33, 255, 256, 257, 1 << 20} {
		token := strings.Repeat("x", n)
		if got, want := auth.HashToken(token), auth.Credential(sha256.Sum256([]byte(token))); got != want {
			t.Errorf("%d bytes: another hash", n)
		}
	}
}

func TestHashTokenAllocatesNothing(t *testing.T) {
	token := strings.Repeat("x", 256)
	if n := testing.AllocsPerRun(100, func() { auth.HashToken(token) }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

func TestParseCredential(t *testing.T) {
	t.Parallel()
	c := auth.HashToken("t")
	for _, s := range []string{c.Hex(), strings.ToUpper(c.Hex())} {
		if got, err := auth.ParseCredential(s); err != nil || got != c {
			t.Errorf("ParseCredential(%q): %v", s, err)
		}
	}
	for _, s := range []string{"", "ab", c.Hex()[:63], c.Hex() + "0", c.Hex()[:63] + "g", " " + c.Hex()[:63], strings.Repeat("é", 32)} {
		got, err := auth.ParseCredential(s)
		if err == nil || got != (auth.Credential{}) {
			t.Errorf("ParseCredential(%q) is accepted", s)
		}
		if err != nil && s != "" && strings.Contains(err.Error(), s) {
			t.Errorf("the error repeats what it was given: %v", err)
		}
	}
}

// TestMintToken: prefix, 160 bits, never the same twice, readable by the parser of headers.
func TestMintToken(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^prx_[a-z2-7]{32}$`)
	seen := map[string]bool{}
	for range 1000 {
		token := auth.MintToken()
		if !form.MatchString(token) || seen[token] {
			t.Fatalf("token of %d bytes has another form, or was minted before", len(token))
		}
		seen[token] = true
		if got, ok := auth.ParseBearer([]string{"Bearer " + token}); !ok || got != token {
			t.Fatal("a minted token cannot be presented")
		}
	}
}

func TestParseBearer(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		values []string
		want   string
	}{
		{"plain", []string{"Bearer abc"}, "abc"},
		{"lower case", []string{"bearer abc"}, "abc"},
		{"upper case", []string{"BEARER abc"}, "abc"},
		{"several blanks", []string{"Bearer   abc"}, "abc"},
		{"blank after", []string{"Bearer abc \t"}, "abc"},
		{"none", nil, ""},
		{"two headers", []string{"Bearer abc", "Bearer abc"}, ""},
		{"empty", []string{""}, ""},
		{"scheme alone", []string{"Bearer"}, ""},
		{"no token", []string{"Bearer  "}, ""},
		{"blank inside", []string{"Bearer a b"}, ""},
		{"line end inside", []string{"Bearer a\r\nb"}, ""},
		{"basic", []string{"Basic abc"}, ""},
		{"tab for a blank", []string{"Bearer\tabc"}, ""},
		{"blank before", []string{" Bearer abc"}, ""},
		{"longer scheme", []string{"Bearers abc"}, ""},
		{"token alone", []string{"abc"}, ""},
	}
	for _, tt := range tests {
		if got, ok := auth.ParseBearer(tt.values); got != tt.want || ok != (tt.want != "") {
			t.Errorf("%s: %q %t, want %q", tt.name, got, ok, tt.want)
		}
	}
}

// FuzzParseBearer: whatever the header, a token that comes out has no blank in it and stands in the header.
func FuzzParseBearer(f *testing.F) {
	for _, s := range []string{"Bearer abc", "bearer  abc ", "Basic x", "Bearer a b", "Bearer", "Bearer \x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, header string) {
		token, ok := auth.ParseBearer([]string{header})
		if ok == (token == "") {
			t.Fatalf("token %q, ok %t", token, ok)
		}
		if strings.ContainsAny(token, " \t\r\n") || !strings.Contains(header, token) {
			t.Fatalf("token %q out of %q", token, header)
		}
	})
}

// TestCredentialRoundTrip: what client files store is what tokens hash to.
func TestCredentialRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := auth.HashToken(rapid.String().Draw(t, "token"))
		if back, err := auth.ParseCredential(c.Hex()); err != nil || back != c {
			t.Fatalf("another credential came back: %v", err)
		}
	})
}
