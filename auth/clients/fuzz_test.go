package clients_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"prax/auth"
	"prax/auth/clients"
)

// reopen loads a text as the file of a new registry.
func reopen(t testing.TB, path, text string) *clients.Registry {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	reg, err := clients.Open(clients.Config{Path: path}, tools, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return reg
}

// FuzzFile: no text breaks the reader, and a text that does not read admits nobody.
func FuzzFile(f *testing.F) {
	for _, b := range breakages {
		f.Add(b.text)
	}
	for _, text := range []string{file(alice(""), bystander), `{}`, "\ufeff{}", file(`{"\u006eame": "a"}`),
		file("{\"name\": \"\xff\"}"), file(`{"tokens": [{}], "rate": {}}`), `{"a": {"b": [1e400, -0]}, "clients": []}`,
		file(alice(`"allow": ["a", "b"], "expires_at": "2999-01-01", "roles": ["human"], "oversees": "*"`)),
	} {
		f.Add(text)
	}
	path := filepath.Join(f.TempDir(), "clients.json")
	f.Fuzz(func(t *testing.T, text string) {
		reg := reopen(t, path, text)
		s := reg.Status()
		if !s.OK && s.Clients != 0 {
			t.Fatalf("a file that does not read admits %d clients", s.Clients)
		}
		if s.OK && !jsontext.Value(text).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) &&
			text[:min(3, len(text))] != "\ufeff" {
			t.Fatalf("text that is not JSON is read: %q", text)
		}
		for _, p := range s.Problems {
			if p.Line < 0 || p.Column < 0 || p.Text == "" || p.Code == "" {
				t.Fatalf("problem %+v", p)
			}
		}
	})
}

// FuzzEntry: whatever else stands in one entry, and wherever, the entries beside it are admitted or not as
// they were without it. (An entry that claims the name or token of another is no junk, but a duplicate.)
func FuzzEntry(f *testing.F) {
	for _, junk := range []string{`5`, `null`, `[]`, `{}`, `"x"`, `{"allow": 5}`, `{"name": 1}`, "{\"x\": \"\xff\"}",
		`{"token": "\ud800"}`, `{"name": "x", "name": "y"}`, `{"tokens": {}, "rate": []}`,
		alice(`"allow": []`), alice(`"expires_at": ""`), `{"user_id": "u", "token": "t"}`,
	} {
		f.Add(junk)
	}
	path := filepath.Join(f.TempDir(), "clients.json")
	f.Fuzz(func(t *testing.T, junk string) {
		valid := jsontext.Value(junk).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		if !valid {
			return
		}
		off := `{"name": "off", "user_id": "o", "token": "off-token-0123456789", "disabled": true}`
		bad := `{"name": "bad", "user_id": "o", "token": "bad-token-0123456789", "allow": 5}`
		for _, text := range []string{file(junk, bystander, off, bad), file(bystander, off, bad, junk)} {
			reg := reopen(t, path, text)
			p, ok := reg.Lookup(auth.HashToken(byToken))
			if !claims(reg, "bystander") && (!ok || p.User != "bob" || p.Allow.Len() != 0) {
				t.Fatalf("%q: the bystander is %t %+v: %v", junk, ok, p, reg.Status().Problems)
			}
			for _, token := range []string{"off-token-0123456789", "bad-token-0123456789"} {
				if _, ok := reg.Lookup(auth.HashToken(token)); ok {
					t.Fatalf("%q lets %s in", junk, token)
				}
			}
		}
	})
}

// claims tells whether the registry found that another entry has the name or token of this one.
func claims(reg *clients.Registry, name string) bool {
	for _, p := range reg.Status().Problems {
		if p.Client == name && (p.Code == clients.DuplicateName || p.Code == clients.DuplicateToken) {
			return true
		}
	}
	return false
}

// TestJunkMembersTouchNoOther: the same by construction: members of any kind added to one entry never
// change the admission of another, and never let the entry itself in if it was out.
func TestJunkMembersTouchNoOther(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "clients.json")
	keys := []string{`allow`, `allows`, `expires_at`, `disabled`, `roles`, `oversees`, `tokens`, `rate`, `x`, `\u0061llow`,
		`token_sha256`, `workflows`, `tool_names`, `user_id`}
	values := []string{`null`, `5`, `""`, `"x"`, `[]`, `["a"]`, `{}`, `true`, `"2999-01-01"`, `"*"`, `[{"a": 1, "a": 2}]`}
	rapid.Check(t, func(rt *rapid.T) {
		members := ""
		for range rapid.IntRange(0, 5).Draw(rt, "members") {
			members += `, "` + rapid.SampledFrom(keys).Draw(rt, "key") + `": ` + rapid.SampledFrom(values).Draw(rt, "value")
		}
		was := rapid.SampledFrom([]string{``, `, "allow": 5`, `, "disabled": true`, `, "expires_at": "x"`}).Draw(rt, "was")
		entry := `{"name": "alice", "user_id": "alice", "token": "` + aliceToken + `"` + was
		_, before := reopen(t, path, file(entry+`}`, bystander)).Lookup(auth.HashToken(aliceToken))
		reg := reopen(t, path, file(entry+members+`}`, bystander))
		if p, ok := reg.Lookup(auth.HashToken(byToken)); !ok || p.User != "bob" {
			rt.Fatalf("%s touches the bystander: %v", members, reg.Status().Problems)
		}
		if _, after := reg.Lookup(auth.HashToken(aliceToken)); after && !before {
			rt.Fatalf("%s lets an entry in that was out by %s", members, was)
		}
	})
}
