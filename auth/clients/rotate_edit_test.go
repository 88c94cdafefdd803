package clients

import (
	"bytes"
	"testing"
	"time"

	"prax/auth"
)

// FuzzRotate: whatever stands in the entry of a client that is admitted, a rotation with an overlap lets the new token
// in, prolongs none of the old ones, and changes nothing outside of the entry.
func FuzzRotate(f *testing.F) {
	a, b := auth.HashToken("a").Hex(), auth.HashToken("b").Hex()
	for _, members := range []string{
		`"token": "old"`, `"token_sha256" : "` + a + `"`, `"tokens":[{"sha256":"` + a + `"}]`, `"tokens" : [ {"sha256": "` + a + `", "expires_at": "2999-01-01"} , {"not_before":null,"sha256":"` + b + `"}]`,
		"\"tokens\": [\n  {\"sha256\": \"" + a + "\",\n   \"not_before\": \"2000-01-01T00:00:00Z\"}\n]", `"tokens": [{"sha256": "` + a + `", "expires_at": 0}, {"sha256": "` + b + `"}]`,
		`"token": "x", "expires_at": "2999-01-01T00:00:00Z", "note": {"tokens": []}`,
	} {
		f.Add(members)
	}
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	at := func() time.Time { return now }
	to := Rotation{Hash: auth.HashToken("new-token-0123456789"), Now: now, Until: now.Add(time.Hour)}
	f.Fuzz(func(t *testing.T, members string) {
		text := []byte("{\"clients\": [5, {\"name\": \"carol\", \"user_id\": \"c\", " + members + "} , {\"name\": \"bob\", \"user_id\": \"b\", \"token\": \"bob-token-0123456789\"}]}\n")
		before, _, failed := assemble(&Config{}, nil, now, &source{text: text})
		if failed != nil {
			return
		}
		if _, in := before.named("carol", at); !in {
			return
		}
		m, err := measure(text)
		if err != nil {
			t.Fatalf("%q reads, and cannot be edited: %v", text, err)
		}
		places := m.named("carol")
		if len(places) != 1 {
			return
		}
		entry := m.entries[places[0]]
		rotated, err := m.rotate(&entry, to)
		if err == ErrTokens {
			return
		}
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if !bytes.HasPrefix(rotated, text[:entry.from]) || !bytes.HasSuffix(rotated, text[entry.to:]) {
			t.Fatalf("%q became %q", text, rotated)
		}
		after, _, failed := assemble(&Config{}, nil, now, &source{text: rotated})
		if failed != nil {
			t.Fatalf("%q became %q, which does not read", text, rotated)
		}
		if p, in := after.lookup(to.Hash, at); !in || p.Client != "carol" {
			t.Fatalf("%q became %q: the new token is out", text, rotated)
		}
		for i := range before.rows {
			r := &before.rows[i]
			was, wasIn := before.lookup(r.credential, at)
			is, isIn := after.lookup(r.credential, at)
			switch {
			case wasIn != isIn:
				t.Fatalf("%q became %q: a token is in: %t, was %t", text, rotated, isIn, wasIn)
			case isIn && was.Client == "carol" && (is.Expires.IsZero() || is.Expires.After(to.Until) || !was.Expires.IsZero() && is.Expires.After(was.Expires)):
				t.Fatalf("%q became %q: an old token is good until %v, was until %v", text, rotated, is.Expires, was.Expires)
			}
		}
	})
}
