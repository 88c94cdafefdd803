package auth_test

import (
	"strings"
	"testing"

	"prax/auth"
)

// FuzzCredential: 64 hex digits are a credential, whatever their case, and nothing else is; no other reading of it shows
// what it is.
func FuzzCredential(f *testing.F) {
	for _, text := range []string{"", strings.Repeat("0a", 32), strings.Repeat("F", 64), strings.Repeat("0", 63), strings.Repeat("g", 64), strings.Repeat("é", 32)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := auth.ParseCredential(text)
		digits := len(text) == 64 && strings.Trim(text, "0123456789abcdefABCDEF") == ""
		if (err == nil) != digits {
			t.Fatalf("%q: %v", text, err)
		}
		if err != nil && c != (auth.Credential{}) {
			t.Fatalf("%q is refused, and gives %x", text, c[:])
		}
		if err == nil && c.Hex() != strings.ToLower(text) {
			t.Fatalf("%q is %q", text, c.Hex())
		}
		if err == nil && strings.Contains(c.String(), text[:8]) {
			t.Fatalf("%q shows as %q", text, c.String())
		}
	})
}

// FuzzTier: only the three names that a tier prints are one, as they stand.
func FuzzTier(f *testing.F) {
	for _, text := range []string{"low", "medium", "high", "unknown", "Low", "low ", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tier, err := auth.ParseTier(text)
		if (err == nil) != (text == "low" || text == "medium" || text == "high") || err == nil && tier.String() != text {
			t.Fatalf("%q is %v, %v", text, tier, err)
		}
		if err != nil && (tier != auth.TierUnknown || tier.Exposable()) {
			t.Fatalf("%q is refused, and is %v", text, tier)
		}
	})
}
