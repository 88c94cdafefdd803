package clients

import (
	"slices"
	"strings"
	"unicode"
)

// restrictions are the members that take something away from a client. Another member that is one slip
// away from one was meant to restrict, and an entry whose restriction is ignored would be wider than
// its writer believes.
var restrictions = foldAll("allow", "workflows", "expires_at", "not_before", "disabled", "token_sha256")

// otherNames are what other systems call the same restrictions, those of a token included.
var otherNames = foldAll("allowed", "allowlist", "tools", "tool_allowlist", "expiry", "expires", "exp",
	"expiration", "valid_until", "not_after", "valid_from", "nbf", "enabled", "active", "revoked")

// otherRates are what other systems call a rate, and what stands in ours: beside it they would bound nothing.
var otherRates = foldAll("rates", "rate_limit", "rate_limits", "limit", "limits", "quota", "throttle", "per_second", "rps", "burst",
	"in_flight", "max_in_flight", "concurrency", "max_concurrency")

// mistaken tells whether an unknown member was probably meant as a restriction, and as which.
func mistaken(member string) (meant string, yes bool) {
	if len(member) > 64 {
		return "", false
	}
	folded := fold(member)
	for plain, name := range restrictions {
		if nearly(folded, plain) {
			return name, true
		}
	}
	if _, yes = otherRates[folded]; yes {
		return "rate", true
	}
	_, yes = otherNames[folded]
	return "allow, expires_at, disabled, or not_before in tokens", yes
}

func foldAll(names ...string) map[string]string {
	m := make(map[string]string, len(names))
	for _, name := range names {
		m[fold(name)] = name
	}
	return m
}

var joints = strings.NewReplacer("_", "", "-", "")

// fold takes case, underscore and hyphen away, and what nobody sees: blanks and characters without a
// glyph, which come in with a paste.
func fold(s string) string {
	return joints.Replace(strings.ToLower(strings.Map(visible, s)))
}

func visible(r rune) rune {
	if unicode.IsSpace(r) || !unicode.IsGraphic(r) {
		return -1
	}
	return r
}

// nearly tells whether a becomes b by at most one insertion, deletion, replacement, or swap of two
// neighbours.
func nearly(a, b string) bool { return oneEdit([]rune(a), []rune(b)) }

func oneEdit(a, b []rune) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) < len(b) {
		return slices.Equal(a[i:], b[i+1:])
	}
	if i == len(a) || slices.Equal(a[i+1:], b[i+1:]) {
		return true
	}
	return a[i] == b[i+1] && a[i+1] == b[i] && slices.Equal(a[i+2:], b[i+2:])
}
