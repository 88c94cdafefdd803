package clients_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"prax/auth"
	"prax/auth/clients"
)

const canary = "prx_canary7canary7canary7canary7ca"

// TestLaw10SecretsStayIn: wherever in the file a token or its hash stands, rightly or by mistake, nothing
// that the registry says has it: not the log, no report, status or change, and no principal printed whole.
func TestLaw10SecretsStayIn(t *testing.T) {
	t.Parallel()
	hash := hashOf(canary)
	texts := []string{
		file(`{"name": "a", "user_id": "a", "token": "` + canary + `"}`),
		file(`{"name": "a", "user_id": "a", "token_sha256": "` + hash + `"}`),
		file(`{"name": "a", "user_id": "a", "token_sha256": "` + canary + `"}`),
		file(`{"name": "a", "user_id": "a", "token_sha256": "` + hash + `x"}`),
		file(`{"name": "a", "user_id": "a", "token": "` + canary + ` ` + hash + `"}`),
		file(`{"name": "a", "user_id": "a", "token": "${` + canary + `}"}`),
		file(`{"name": "a", "user_id": "a", "token": ["` + canary + `"]}`),
		file(`{"name": "a", "user_id": "a", "tokens": [{"sha256": "` + hash + `"}]}`),
		file(`{"name": "a", "user_id": "a", "tokens": [{"sha256": "` + hash + `"}, {"sha256": "` + strings.ToUpper(hash) + `"}]}`),
		file(`{"name": "a", "user_id": "a", "tokens": [{"sha256": "` + hash + `", "expires_at": "` + canary + `", "` + canary + `": "` + hash + `"}]}`),
		file(`{"name": "a", "user_id": "a", "tokens": [{"sha256": "` + canary + `"}, "` + canary + `", {"token": "` + canary + `"}]}`),
		file(`{"name": "` + canary + `", "user_id": "` + canary + `", "token": "` + canary + `"}`),
		file(`{"name": "` + canary + `", "user_id": "a", "token": "other-token-0123456789"}`),
		file(`{"name": "` + hash + `", "user_id": "a", "token_sha256": "` + hash + `"}`),
		file(`{"name": "a", "user_id": "a", "token": "t", "` + canary + `": 1}`),
		file(`{"name": "a", "user_id": "a", "token": "t", "` + hash + `": 1}`),
		file(`{"name": "a", "user_id": "a", "token": "t", "rate": {"` + canary + `": 1}}`),
		file(`{"name": "a", "user_id": "a", "token": "t", "rate": {"per_second": "` + canary + `"}}`),
		file(`{"name": "a", "user_id": "a", "token": "t", "expires_at": "` + canary + `", "allow": ["` + canary + `"]}`),
		file(`{"name": "a", "user_id": "a", "token": "t", "allow": "` + hash + `,` + canary + `"}`),
		file(`{"name": "a", "user_id": "a", "token": "`+canary+`"}`, `{"name": "b", "user_id": "a", "token_sha256": "`+hash+`"}`),
		file(`"` + canary + `"`),
		`{"` + canary + `": 1, "clients": []}`,
		`{"clients": [{"token": "` + canary + `" "x"}]}`,
		`{"clients": [{"token": ` + canary + `}]}`,
		`{"clients": [{"` + canary + `"]}`,
		`{"clients": "` + canary + `"}`,
		`["` + canary + `", "` + hash + `"]`,
		`"` + canary + `"`,
		canary,
	}
	single := withSingle(clients.Single{Token: canary + "\n", UserID: canary, Allowlist: canary, ExpiresAt: hash})
	for i, text := range texts {
		for _, opts := range [][]func(*clients.Config){nil, {single}} {
			w := open(t, file(alice("")), opts...)
			report := w.save(text)
			p, _ := w.Lookup(auth.HashToken(canary))
			p2, _ := w.ByName("a")
			encoded, err := json.Marshal([]any{report, w.Status(), w.changes})
			if err != nil {
				t.Fatal(err)
			}
			said := w.log.String() + string(encoded) + fmt.Sprintf("%v %+v %#v %s %x", report, w.Status(), w.changes, report.Problems, report.Problems)
			said += fmt.Sprintf("%v %+v %s %x %v %+v", p.Credential, p.Credential, p.Credential, p.Credential, struct{ auth.Credential }{p.Credential}, p2.Credential)
			for _, secret := range secrets(canary, hash) {
				if at := strings.Index(strings.ToLower(said), strings.ToLower(secret)); at >= 0 {
					t.Errorf("text %d: a secret is said: …%s…", i, said[max(0, at-60):min(len(said), at+60)])
				}
			}
		}
	}
}

// secrets are the forms in which a token could get out, whole or by the half.
func secrets(token, hash string) []string {
	return []string{token, token[4:20], hash, hash[:16], base64.StdEncoding.EncodeToString([]byte(token))[:16], fmt.Sprintf("%x", token)[:24]}
}
