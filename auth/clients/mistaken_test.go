package clients_test

import (
	"strings"
	"testing"

	"prax/auth/clients"
)

// TestMistakenRestrictions: a member that was probably meant to restrict refuses the entry; any other one
// is warned about once a file.
func TestMistakenRestrictions(t *testing.T) {
	t.Parallel()
	var rows []row
	for _, member := range []string{"allows", "Allow", "alow", "allaw", "a-l-l-o-w", "alolw", "expiresAt", "expires-at", "EXPIRES_AT",
		"expire_at", "expires_att", "not_before", "notBefore", "not_befor", "Disabled", "disable", "disabledd",
		"workflow", "Workflows", "work_flows", "worflows", "token_sha265", "token_sha25", "tokenSha256", "TOKEN_SHA256",
		"allowed", "allowlist", "tools", "tool_allowlist", "toolAllowlist", "expiry", "expires", "exp", "expiration",
		"allow\u200b", "\ufeffallow", "expires_at\u00a0", "expires_at ", "dis\u00adabled", "\u0430llow", "valid_until", "enabled", "active", "revoked", "Revoked",
		"not_after", "notAfter", "valid_from", "nbf"} {
		rows = append(rows, row{member, alice(`"` + member + `": null`), false, code(clients.MistakenMember)})
	}
	for _, member := range []string{"comment", "note", "date", "description", "owner", "allowance", "expired_by", "tokenizer", "", "Name", "tool"} {
		rows = append(rows, row{"fine: " + member, alice(`"` + member + `": null`), true, code(clients.UnknownMember)})
	}
	runRows(t, rows)

	many := file(alice(`"comment": 1`), `{"name": "b", "user_id": "b", "token": "bbbbbbbbbbbbbbbb", "comment": 2}`)
	w := open(t, many)
	if n := strings.Count(w.log.String(), string(clients.UnknownMember)); n != 1 {
		t.Errorf("an unknown member of two entries is warned about %d times, want once", n)
	}
	report := clients.Check(clients.Config{Path: w.path}, tools, noon)
	if !report.Fails || report.Errors != 0 {
		t.Errorf("an unknown member: fails %t, errors %d", report.Fails, report.Errors)
	}
}
