package clients_test

import (
	"strings"
	"testing"

	"prax/auth"
)

// TestIdentity: another user or another token is another client; whatever else an entry says, and whether it is
// admitted now, it is the same. One that is refused is none.
func TestIdentity(t *testing.T) {
	t.Parallel()
	plain := `{"name": "alice", "user_id": "u_alice", "token": "` + aliceToken + `"}`
	hashed := `{"name": "alice", "user_id": "u_alice", "token_sha256": "` + auth.HashToken(aliceToken).Hex() + `"`
	w := open(t, file(plain, bystander))
	first, known := w.Identity("alice")
	if !known {
		t.Fatal("alice is not known")
	}
	for what, tt := range map[string]struct {
		entry       string
		known, same bool
	}{
		"the same token by its hash": {hashed + `}`, true, true},
		"one token more":             {`{"name": "alice", "user_id": "u_alice", "tokens": [` + element(aliceToken, "") + `, ` + element("more", "") + `]}`, true, false},
		"the one in a list":          {`{"name": "alice", "user_id": "u_alice", "tokens": [` + element(aliceToken, `, "expires_at": "2001-01-01T00:00:00Z"`) + `]}`, true, true},
		"other rights":               {hashed + `, "allow": [], "workflows": [], "roles": ["human"]}`, true, true},
		"switched off":               {hashed + `, "disabled": true}`, true, true},
		"expired":                    {hashed + `, "expires_at": "2001-01-01T00:00:00Z"}`, true, true},
		"another token":              {strings.Replace(plain, aliceToken, aliceToken+"x", 1), true, false},
		"another user":               {strings.Replace(plain, "u_alice", "u_mallory", 1), true, false},
		"refused":                    {hashed + `, "allow": 7}`, false, false},
		"another name":               {strings.Replace(plain, `"alice"`, `"alicia"`, 1), false, false},
	} {
		w.write(file(tt.entry, bystander))
		w.Reload("test")
		got, known := w.Identity("alice")
		if known != tt.known || (got == first) != tt.same {
			t.Errorf("%s: known %t, same %t; want %t, %t", what, known, got == first, tt.known, tt.same)
		}
	}
}
