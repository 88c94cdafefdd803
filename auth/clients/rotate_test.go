package clients_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/auth/clients"
)

// overlap is a rotation at noon whose old tokens go on for an hour.
var overlap = clients.Rotation{Hash: newHash, Now: noon, Until: noon.Add(time.Hour + time.Millisecond)}

const overlapEnds = `"2026-05-01T13:00:00Z"`

// TestRotateWithOverlap: the old token ends with the overlap, or before if it would have, and every other byte stays.
func TestRotateWithOverlap(t *testing.T) {
	t.Parallel()
	fresh := `{"sha256": "` + newHash.Hex() + `"}`
	old := func(members string) string { return element("old", members) }
	ends := `, "expires_at": ` + overlapEnds
	carol := func(token string) string { return `{"clients": [ {` + token + `, "name":"carol","user_id":"c"} , 5]}` }
	list := func(elements string) string { return carol(`"tokens" :[` + elements + `]`) }
	tests := []struct{ name, before, after string }{
		{"a hash", carol(`"token_sha256" : "` + strings.ToUpper(hashOf("old")) + `"`), carol(`"tokens" : [{"sha256": "` + strings.ToUpper(hashOf("old")) + `"` + ends + `}, ` + fresh + `]`)},
		{"a token", carol(`"token" : " old\n"`), carol(`"tokens" : [` + old(ends) + `, ` + fresh + `]`)},
		{"one in a list", list(old("")), list(old(ends) + `, ` + fresh)},
		{"one that ends sooner", list(old(`, "expires_at":"2026-05-01T12:30:00Z"`)), list(old(`, "expires_at":"2026-05-01T12:30:00Z"`) + `, ` + fresh)},
		{"one that ends later", list(old(`, "expires_at" : "2026-05-02", "note": 1`)), list(old(`, "expires_at" : `+overlapEnds+`, "note": 1`) + `, ` + fresh)},
		{"one without an end", list(old(`, "expires_at": null`)), list(old(ends) + `, ` + fresh)},
		{"one that is over", list(old(`, "expires_at": "2026-05-01T12:00:00Z"`) + ` , ` + element("b", "")), list(element("b", ends) + `, ` + fresh)},
		{"one that cannot be read", list(old(`, "expires_at": 0`) + `, ` + element("b", `, "not_before": ""`)), list(fresh)},
		{"one to come in time", list(old(`, "not_before": "2026-05-01T12:30:00Z"`)), list(old(`, "not_before": "2026-05-01T12:30:00Z"`+ends) + `, ` + fresh)},
		{"one to come too late", list(old(`, "not_before": ` + overlapEnds)), list(fresh)},
		{"an empty list", list(""), list(fresh)},
		{"on several lines", list("\n  {\n    \"sha256\": \"" + hashOf("old") + "\"\n  },\n  " + element("b", "") + "\n"),
			list("\n  {\n    \"sha256\": \"" + hashOf("old") + "\",\n    \"expires_at\": " + overlapEnds + "\n  },\n  " + element("b", ends) + ",\n  " + fresh + "\n")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := put(t, tt.before)
			if err := clients.RotateClient(path, "carol", overlap); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.after, content(t, path)); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
			alone(t, path)
		})
	}
}

// TestRotateAgain: within an overlap nobody's token is prolonged, what is over goes, and the list stays as short as an
// entry may have it; a rotation without an overlap leaves one token.
func TestRotateAgain(t *testing.T) {
	t.Parallel()
	w := open(t, file(`{"name": "alice", "user_id": "alice", "token": "`+oldToken+`", "allow": []}`, bystander))
	rotate := func(token string, until time.Duration) error {
		to := clients.Rotation{Hash: auth.HashToken(token), Now: w.clock.now()}
		if until > 0 {
			to.Until = to.Now.Add(until)
		}
		err := clients.RotateClient(w.path, "alice", to)
		w.Reload("test")
		return err
	}
	tokens := func() int {
		list, _ := clients.List(clients.Config{Path: w.path}, nil, w.clock.now())
		return len(list[0].Tokens)
	}
	for i, token := range strings.Split("abcdefg", "") { // the old one and seven more
		if err := rotate(token, time.Hour); err != nil || tokens() != i+2 {
			t.Fatalf("rotation %d: %v, %d tokens", i, err, tokens())
		}
	}
	before := content(t, w.path)
	if err := rotate("h", time.Hour); !errors.Is(err, clients.ErrTokens) || content(t, w.path) != before {
		t.Fatalf("one too many: %v", err)
	}
	for _, token := range []string{oldToken, "a", "g"} {
		w.want(token, true)
	}
	w.clock.add(59 * time.Minute)
	if err := rotate("h", time.Hour); !errors.Is(err, clients.ErrTokens) {
		t.Fatalf("before any is over: %v", err)
	}
	w.clock.add(time.Minute)
	w.want(oldToken, false)
	w.want("f", false)
	w.want("g", true)
	if err := rotate("h", time.Hour); err != nil || tokens() != 2 {
		t.Fatalf("after they were over: %v, %d tokens", err, tokens())
	}
	w.want("g", true)
	w.want("h", true)
	if err := rotate("i", 0); err != nil || tokens() != 1 {
		t.Fatalf("without an overlap: %v, %d tokens", err, tokens())
	}
	w.want("g", false)
	w.want("h", false)
	w.want("i", true)
	if diff := cmp.Diff(file(`{"name": "alice", "user_id": "alice", "token_sha256": "`+hashOf("i")+`", "allow": []}`, bystander), content(t, w.path)); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	w.want(byToken, true)
}

// TestRotateInDoubt: what cannot be told is left to a person, byte for byte.
func TestRotateInDoubt(t *testing.T) {
	t.Parallel()
	carol := func(members string) string { return file(`{"name": "carol", "user_id": "c", `+members+`}`, bystander) }
	for what, text := range map[string]string{
		"tokens and a token":   carol(`"tokens": [` + element("a", "") + `], "token": "x"`),
		"tokens twice":         carol(`"tokens": [` + element("a", "") + `], "tokens": [` + element("b", "") + `]`),
		"no list":              carol(`"tokens": ` + element("a", "")),
		"no object":            carol(`"tokens": ["` + hashOf("a") + `"]`),
		"no hash":              carol(`"tokens": [{}]`),
		"no hexadecimal":       carol(`"tokens": [{"sha256": "x"}]`),
		"a hash twice":         carol(`"tokens": [{"sha256": "` + hashOf("a") + `", "sha256": "` + hashOf("b") + `"}]`),
		"an end twice":         carol(`"tokens": [` + element("a", `, "expires_at": null, "expires_at": null`) + `]`),
		"a start twice":        carol(`"tokens": [` + element("a", `, "not_before": null, "not_before": null`) + `]`),
		"a bad hash":           carol(`"token_sha256": "x"`),
		"a token of no text":   carol(`"token": 5`),
		"an empty token":       carol(`"token": " "`),
		"no token":             carol(`"allow": []`),
		"two of the same name": file(`{"name": "carol", "user_id": "c", "token": "a"}`, `{"name": "carol", "user_id": "c", "token": "b"}`),
	} {
		path := put(t, text)
		if err := clients.RotateClient(path, "carol", overlap); !errors.Is(err, clients.ErrDoubt) {
			t.Errorf("%s: %v", what, err)
		}
		if content(t, path) != text {
			t.Errorf("%s: the file changed", what)
		}
	}
	path := put(t, carol(`"tokens": [{}, 5, "`+hashOf("a")+`"]`))
	if err := clients.RotateClient(path, "carol", clients.Rotation{Hash: newHash}); err != nil {
		t.Errorf("without an overlap all of it is replaced: %v", err)
	}
	if want := carol(`"token_sha256": "` + newHash.Hex() + `"`); content(t, path) != want {
		t.Errorf("%s", content(t, path))
	}
}

// TestRevokeAndAddWithTokens: an entry with a list goes whole, and another client cannot take one of its tokens.
func TestRevokeAndAddWithTokens(t *testing.T) {
	t.Parallel()
	path := put(t, file(several(element(aliceToken, "")+", "+element("new-token-0123456789", ""), ""), bystander))
	if err := clients.AddClient(path, carol()); !errors.Is(err, clients.ErrExists) {
		t.Errorf("adding one of its tokens: %v", err)
	}
	if err := clients.RevokeClient(path, "alice"); err != nil || content(t, path) != file(bystander) {
		t.Errorf("%v: %s", err, content(t, path))
	}
}
