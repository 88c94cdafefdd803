package clients_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/auth/clients"
)

// row is a line of a table: what an entry says, and what becomes of its client. The entry beside it must
// be admitted in every case.
type row struct {
	name  string
	entry string
	live  bool
	codes []clients.Code // all that is reported
}

func runRows(t *testing.T, rows []row, opts ...func(*clients.Config)) {
	for _, tt := range rows {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := open(t, file(tt.entry, bystander), opts...)
			w.want(aliceToken, tt.live)
			w.want(byToken, true)
			report := clients.Check(clients.Config{Path: w.path}, tools, noon)
			if len(opts) == 0 {
				if diff := cmp.Diff(tt.codes, codes(report)); diff != "" {
					t.Errorf("codes (-want +got):\n%s\n%v", diff, report.Problems)
				}
			}
			for _, p := range report.Problems {
				if p.IsError() && p.Line != 2 {
					t.Errorf("%v: line %d, want 2", p, p.Line)
				}
			}
		})
	}
}

func code(c ...clients.Code) []clients.Code { return c }

// TestAllow is every row about allow: what is granted, and what refuses the entry.
func TestAllow(t *testing.T) {
	t.Parallel()
	defaults := auth.Names(clients.DefaultTools()...).Sorted()
	if len(defaults) != 7 {
		t.Fatalf("the default set has %d names", len(defaults))
	}
	granted := []struct {
		name, members string
		want          []string
	}{
		{"absent", ``, defaults},
		{"null", `"allow": null`, defaults},
		{"default", `"allow": "default"`, defaults},
		{"DEFAULT", `"allow": "DEFAULT"`, defaults},
		{"escaped default", `"allow": "\u0064efault"`, defaults},
		{"Default in other capitals is a name", `"allow": "Default"`, []string{"Default"}},
		{"empty list", `"allow": []`, nil},
		{"empty string", `"allow": ""`, nil},
		{"blank string", `"allow": "  "`, nil},
		{"list", `"allow": ["memory_recall", "memory_remember"]`, []string{"memory_recall", "memory_remember"}},
		{"list, trimmed", `"allow": [" memory_recall\n"]`, []string{"memory_recall"}},
		{"list with repetitions", `"allow": ["memory_recall", "memory_recall"]`, []string{"memory_recall"}},
		{"comma string", `"allow": "get_current_datetime, memory_recall"`, []string{"get_current_datetime", "memory_recall"}},
		{"comma string with gaps", `"allow": " memory_recall , ,praxec_query, "`, []string{"memory_recall", "praxec_query"}},
		{"default inside a list is only a name", `"allow": ["default"]`, []string{"default"}},
		{"star is only a name", `"allow": "*"`, []string{"*"}},
		{"both spellings stay as written", `"allow": ["praxec.query", "praxec_query"]`, []string{"praxec.query", "praxec_query"}},
		{"unknown name is kept", `"allow": ["memory_recall", "frobnicate"]`, []string{"frobnicate", "memory_recall"}},
		{"high name is kept", `"allow": ["memory_forget"]`, []string{"memory_forget"}},
	}
	for _, tt := range granted {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := open(t, file(alice(tt.members), bystander))
			p, ok := w.Lookup(auth.HashToken(aliceToken))
			if !ok {
				t.Fatalf("not admitted: %v", w.Status().Problems)
			}
			if diff := cmp.Diff(tt.want, p.Allow.Sorted()); diff != "" {
				t.Errorf("allow (-want +got):\n%s", diff)
			}
			if p.Allow.All() {
				t.Error("allow has every name")
			}
		})
	}
	var rows []row
	for _, bad := range []string{`5`, `false`, `true`, `{}`, `{"a": 1}`, `[""]`, `["  "]`, `["memory_recall", ""]`,
		`[1]`, `[null]`, `[1, null, "memory_recall"]`, `["memory_recall", ["x"]]`, `"\ud800"`} {
		rows = append(rows, row{"refused " + bad, alice(`"allow": ` + bad), false, code(clients.BadAllow)})
	}
	runRows(t, rows)
}

// TestAllowWarnings: names that nobody can use are kept, warned about, and fail a check; the default set
// is nobody's mistake.
func TestAllowWarnings(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, members string
		want          []clients.Code
		says          string
	}{
		{"unknown", `"allow": ["memory_recall", "frobnicate"]`, code(clients.UnknownTool), `"frobnicate"`},
		{"other capitals", `"allow": ["GET_CURRENT_DATETIME"]`, code(clients.UnknownTool), `"GET_CURRENT_DATETIME"`},
		{"high", `"allow": ["memory_recall", "memory_forget"]`, code(clients.HighTool), `"memory_forget"`},
		{"both", `"allow": "memory_forget, frobnicate"`, code(clients.HighTool, clients.UnknownTool), `"memory_forget"`},
		{"known in the other spelling", `"allow": ["praxec_query"]`, nil, ""},
		{"default", `"allow": "default"`, nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := open(t, file(alice(tt.members), bystander))
			w.want(aliceToken, true)
			report := clients.Check(clients.Config{Path: w.path}, tools, noon)
			if diff := cmp.Diff(tt.want, codes(report)); diff != "" {
				t.Errorf("codes (-want +got):\n%s", diff)
			}
			if report.Fails != (len(tt.want) > 0) || report.Errors != 0 {
				t.Errorf("fails %t, errors %d", report.Fails, report.Errors)
			}
			if tt.says != "" && !strings.Contains(fmt.Sprint(report.Problems)+w.log.String(), tt.says) {
				t.Errorf("nothing says %s: %v", tt.says, report.Problems)
			}
			if tt.says != "" && !strings.Contains(w.log.String(), string(tt.want[0])) {
				t.Errorf("the log does not say %s:\n%s", tt.want[0], w.log)
			}
		})
	}
}

// TestExpiresAt is every row about expires_at, judged at noon of 2026-05-01 UTC.
func TestExpiresAt(t *testing.T) {
	t.Parallel()
	at := func(s string) string { return alice(`"expires_at": ` + s) }
	rows := []row{
		{"absent", alice(""), true, nil},
		{"null is as absent", at(`null`), true, nil},
		{"RFC 3339", at(`"2999-01-01T00:00:00Z"`), true, nil},
		{"with an offset", at(`"2999-01-01T00:00:00+02:00"`), true, nil},
		{"with a fraction", at(`"2999-01-01T00:00:00.123456789Z"`), true, nil},
		{"lower-case t and z", at(`"2999-01-01t00:00:00z"`), true, nil},
		{"no offset", at(`"2999-01-01T00:00:00"`), true, code(clients.SloppyExpiry)},
		{"blank for T", at(`"2999-01-01 00:00:00Z"`), true, code(clients.SloppyExpiry)},
		{"blank for T, no offset", at(`"2999-01-01 00:00:00"`), true, code(clients.SloppyExpiry)},
		{"date only", at(`"2999-01-01"`), true, code(clients.SloppyExpiry)},
		{"date only is its first instant", at(`"2026-05-01"`), false, code(clients.ExpiredClient, clients.SloppyExpiry)},
		{"past", at(`"2000-01-01T00:00:00Z"`), false, code(clients.ExpiredClient)},
		{"exactly now", at(`"2026-05-01T12:00:00Z"`), false, code(clients.ExpiredClient)},
		{"a nanosecond ahead", at(`"2026-05-01T12:00:00.000000001Z"`), true, code(clients.ExpiresSoon)},
		{"a second ago in another zone", at(`"2026-05-01T20:59:59+09:00"`), false, code(clients.ExpiredClient)},
		{"a second ahead in another zone", at(`"2026-05-01T21:00:01+09:00"`), true, code(clients.ExpiresSoon)},
		{"a second ago without offset is UTC", at(`"2026-05-01T11:59:59"`), false, code(clients.ExpiredClient, clients.SloppyExpiry)},
		{"within a week", at(`"2026-05-05T00:00:00Z"`), true, code(clients.ExpiresSoon)},
	}
	for _, bad := range []string{`""`, `"   "`, `0`, `false`, `true`, `[]`, `["2999"]`, `{}`, `4102444800`,
		`"4102444800"`, `"not-a-date"`, `"never"`, `"29990101"`, `"2999-W01-1"`, `"2999-01-01T00"`,
		`"2999-01-01T00:00"`, `"2999-02-30T00:00:00Z"`, `"2999-01-01T24:00:00Z"`, `"2999-01-01T1:00:00Z"`,
		`"2999-01-01T00:00:00,5Z"`, `"2999-01-01T00:00:00+0200"`, `"2999-01-01T00:00:00ZZ"`, `" 2999-01-01"`,
		`"2999-01-01T00:00:00+99:00"`, `"2999-001"`, `"2999-01-01TT0:00:00Z"`} {
		rows = append(rows, row{"expired " + bad, at(bad), false, code(clients.BadExpiry)})
	}
	runRows(t, rows)
}

// TestExpiryIgnored: without enforcement a written expiry puts nobody out, and the report names those
// that it would.
func TestExpiryIgnored(t *testing.T) {
	t.Parallel()
	ignore := func(c *clients.Config) { c.IgnoreExpiry = true }
	for _, value := range []string{`"2000-01-01T00:00:00Z"`, `"garbage"`, `false`, `""`} {
		w := open(t, file(alice(`"expires_at": `+value), bystander), ignore)
		p, ok := w.Lookup(auth.HashToken(aliceToken))
		if !ok || !p.Expires.IsZero() {
			t.Errorf("%s: admitted %t, expires %v", value, ok, p.Expires)
		}
		named := 0
		for _, problem := range w.Status().Problems {
			if problem.Code == clients.ExpiryIgnored && problem.Client == "alice" {
				named++
			}
		}
		if named != 1 || !strings.Contains(w.log.String(), "not enforced") {
			t.Errorf("%s: named %d times\n%s", value, named, w.log)
		}
	}
}

// TestTokens is every row about token, token_sha256, user_id and types.
func TestTokens(t *testing.T) {
	t.Parallel()
	hash, upper := hashOf(aliceToken), strings.ToUpper(hashOf(aliceToken))
	entry := func(members string) string { return `{"name": "alice", "user_id": "alice", ` + members + `}` }
	runRows(t, []row{
		{"hash", entry(`"token_sha256": "` + hash + `"`), true, nil},
		{"hash in capitals", entry(`"token_sha256": "` + upper + `"`), true, nil},
		{"both, though they agree", entry(`"token": "` + aliceToken + `", "token_sha256": "` + hash + `"`), false, code(clients.BothTokens)},
		{"both, and they disagree", entry(`"token": "` + aliceToken + `", "token_sha256": "` + hashOf("another") + `"`), false, code(clients.BothTokens)},
		{"hash too short", entry(`"token_sha256": "` + hash[:63] + `"`), false, code(clients.BadHash)},
		{"hash with a blank", entry(`"token_sha256": " ` + hash + `"`), false, code(clients.BadHash)},
		{"hash not hex", entry(`"token_sha256": "` + strings.Repeat("g", 64) + `"`), false, code(clients.BadHash)},
		{"hash of 64 other letters", entry(`"token_sha256": "` + strings.Repeat("é", 64) + `"`), false, code(clients.BadHash)},
		{"hash a number", entry(`"token_sha256": 123`), false, code(clients.WrongType)},
		{"hash null", entry(`"token_sha256": null, "token": "` + aliceToken + `"`), false, code(clients.BothTokens, clients.WrongType)},
		{"token a number", entry(`"token": 123`), false, code(clients.WrongType)},
		{"token empty", entry(`"token": ""`), false, code(clients.BadToken)},
		{"token blank", entry(`"token": " \n"`), false, code(clients.BadToken)},
		{"token with blanks around", entry(`"token": " ` + aliceToken + `\n"`), true, code(clients.TrimmedToken)},
		{"token with a blank inside", entry(`"token": "alice token-0123456789"`), false, code(clients.BadToken)},
		{"no token at all", entry(`"allow": []`), false, code(clients.NoToken)},
		{"no user", `{"name": "alice", "token": "` + aliceToken + `"}`, false, code(clients.NoUser)},
		{"user empty", `{"name": "alice", "user_id": "", "token": "` + aliceToken + `"}`, false, code(clients.NoUser)},
		{"user a number", `{"name": "alice", "user_id": 7, "token": "` + aliceToken + `"}`, false, code(clients.WrongType)},
		{"user null", `{"name": "alice", "user_id": null, "token": "` + aliceToken + `"}`, false, code(clients.WrongType)},
		{"user too long", `{"name": "alice", "user_id": "` + strings.Repeat("u", 129) + `", "token": "` + aliceToken + `"}`, false, code(clients.BadUser)},
		{"user with a line end", `{"name": "alice", "user_id": "a\nb", "token": "` + aliceToken + `"}`, false, code(clients.BadUser)},
		{"user is half a surrogate", `{"name": "alice", "user_id": "\ud800", "token": "` + aliceToken + `"}`, false, code(clients.WrongType)},
		{"user as the operator", `{"name": "alice", "user_id": "operator:0", "token": "` + aliceToken + `"}`, false, code(clients.BadUser)},
		{"user is the token", `{"name": "alice", "user_id": "` + aliceToken + `", "token": "` + aliceToken + `"}`, false, code(clients.BadUser)},
		{"a member twice", alice(`"allow": [], "allow": ["memory_recall"]`), false, code(clients.DuplicateMember)},
		{"a member twice, once escaped", alice(`"allow": [], "\u0061llow": ["memory_recall"]`), false, code(clients.DuplicateMember)},
		{"text that is not UTF-8", alice("\"note\": \"\xff\""), false, code(clients.EntryNotUTF8, clients.UnknownMember)},
		{"a number", `5`, false, code(clients.EntryNotObject)},
		{"null", `null`, false, code(clients.EntryNotObject)},
		{"a string", `"` + aliceToken + `"`, false, code(clients.EntryNotObject)},
		{"a list", `[]`, false, code(clients.EntryNotObject)},
		{"an empty object", `{}`, false, code(clients.NoToken, clients.NoUser)},
	})
}

// TestPlaceholders: what templates leave behind is no token, not even for who presents it literally.
func TestPlaceholders(t *testing.T) {
	t.Parallel()
	for _, token := range []string{"changeme", "CHANGEME", "change-me", "<token>", "<a strong random token>",
		"…strong secret…", "…", "...", "${MCP_TOKEN}", "Bearer${X}", "{{ .Token }}", "***"} {
		w := open(t, file(`{"name": "alice", "user_id": "alice", "token": "`+token+`"}`, bystander))
		w.want(token, false)
		w.want(byToken, true)
		if got := codes(clients.Check(clients.Config{Path: w.path}, tools, noon)); got[0] != clients.Placeholder && got[0] != clients.BadToken {
			t.Errorf("%s: codes %v", token, got)
		}
	}
	for _, hash := range []string{hashOf("changeme"), hashOf(""), strings.Repeat("0", 64)} {
		w := open(t, file(`{"name": "alice", "user_id": "alice", "token_sha256": "`+hash+`"}`, bystander))
		if s := w.Status(); s.Clients != 1 {
			t.Errorf("%s: %d clients, want 1", hash, s.Clients)
		}
	}
	if _, ok := open(t, file(`{"name": "zero", "user_id": "z", "token_sha256": "`+strings.Repeat("0", 64)+`"}`)).Again(auth.Principal{}); ok {
		t.Error("the zero principal is admitted again")
	}
}

// TestShortToken: a token that may be guessed is a warning, and served.
func TestShortToken(t *testing.T) {
	t.Parallel()
	w := open(t, file(`{"name": "alice", "user_id": "alice", "token": "ta"}`))
	w.want("ta", true)
	if diff := cmp.Diff(code(clients.ShortToken), codes(clients.Check(clients.Config{Path: w.path}, tools, noon))); diff != "" {
		t.Errorf("codes (-want +got):\n%s", diff)
	}
}

// TestPresentingTheHash: the hash itself is no token.
func TestPresentingTheHash(t *testing.T) {
	t.Parallel()
	w := open(t, file(`{"name": "a", "user_id": "a", "token_sha256": "`+hashOf(aliceToken)+`"}`))
	w.want(aliceToken, true)
	w.want(hashOf(aliceToken), false)
}

// TestNamesThatShowATokenOfAnother: names and user ids stand in logs, so an entry whose own would show a
// token of the file is out, and the report does not show it either.
func TestNamesThatShowATokenOfAnother(t *testing.T) {
	t.Parallel()
	const secret, own = "canary-token-0123456789", "own-token-0123456789"
	owner := `{"name": "owner", "user_id": "o", "token_sha256": "` + hashOf(secret) + `"}`
	for what, entry := range map[string]string{
		"name": `{"name": "` + secret + `", "user_id": "u", "token": "` + own + `"}`,
		"user": `{"name": "n", "user_id": "` + secret + `", "token": "` + own + `"}`,
	} {
		for _, text := range []string{file(owner, entry), file(entry, owner)} {
			w := open(t, text)
			w.want(own, false)
			w.want(secret, true)
			report := clients.Check(clients.Config{Path: w.path}, tools, noon)
			if diff := cmp.Diff(code(clients.BadName), codes(report)); diff != "" {
				t.Errorf("%s: codes (-want +got):\n%s", what, diff)
			}
			if strings.Contains(fmt.Sprint(report, w.log.String()), secret) {
				t.Errorf("%s: the token is shown", what)
			}
		}
	}
}

// TestNames is every row about names.
func TestNames(t *testing.T) {
	t.Parallel()
	named := func(name string) string {
		return `{"name": ` + name + `, "user_id": "alice", "token": "` + aliceToken + `"}`
	}
	runRows(t, []row{
		{"missing", `{"user_id": "alice", "token": "` + aliceToken + `"}`, true, code(clients.Unnamed)},
		{"empty", named(`""`), true, code(clients.Unnamed)},
		{"128 characters", named(`"` + strings.Repeat("é", 128) + `"`), true, nil},
		{"129 characters", named(`"` + strings.Repeat("n", 129) + `"`), false, code(clients.BadName)},
		{"a megabyte", named(`"` + strings.Repeat("n", 1<<20) + `"`), false, code(clients.BadName)},
		{"a line end", named(`"a\nb"`), false, code(clients.BadName)},
		{"an escape sequence", named(`"\u001b[31mred"`), false, code(clients.BadName)},
		{"a bidi override", named(`"a\u202eb"`), false, code(clients.BadName)},
		{"blanks around", named(`" a"`), false, code(clients.BadName)},
		{"as a path", named(`"../../x"`), true, nil},
		{"as the operator", named(`"operator:1000"`), false, code(clients.BadName)},
		{"the token", named(`"` + aliceToken + `"`), false, code(clients.BadName)},
		{"a number", named(`7`), false, code(clients.Unnamed, clients.WrongType)},
		{"null", named(`null`), false, code(clients.Unnamed, clients.WrongType)},
	})
	w := open(t, file(bystander, `{"user_id": "alice", "token": "`+aliceToken+`"}`))
	if p, _ := w.Lookup(auth.HashToken(aliceToken)); p.Client != "client-1" {
		t.Errorf("the second entry without a name is called %q, want client-1", p.Client)
	}
}

// TestOtherMembers is every row about the members that are ours.
func TestOtherMembers(t *testing.T) {
	t.Parallel()
	runRows(t, []row{
		{"disabled", alice(`"disabled": true`), false, nil},
		{"not disabled", alice(`"disabled": false`), true, nil},
		{"disabled a string", alice(`"disabled": "yes"`), false, code(clients.WrongType)},
		{"disabled null", alice(`"disabled": null`), false, code(clients.WrongType)},
		{"roles", alice(`"roles": ["human", "reviewer"]`), true, nil},
		{"roles a string", alice(`"roles": "human"`), false, code(clients.WrongType)},
		{"roles with a number", alice(`"roles": [1]`), false, code(clients.WrongType)},
		{"roles with nothing", alice(`"roles": [""]`), false, code(clients.WrongType)},
		{"permissions an object", alice(`"permissions": {}`), false, code(clients.WrongType)},
		{"workflows null", alice(`"workflows": null`), false, code(clients.WrongType)},
		{"workflows a string", alice(`"workflows": "deploy"`), false, code(clients.WrongType)},
		{"oversees without the role", alice(`"oversees": ["bob"]`), false, code(clients.BadOversees)},
		{"oversees all without the role", alice(`"oversees": "*"`), false, code(clients.BadOversees)},
		{"oversees with the role, named later", alice(`"oversees": ["bob"], "roles": ["human"]`), true, nil},
		{"oversees another string", alice(`"oversees": "bob", "roles": ["human"]`), false, code(clients.WrongType)},
		{"tool_names dot", alice(`"tool_names": "dot"`), true, nil},
		{"tool_names other", alice(`"tool_names": "camel"`), false, code(clients.WrongType)},
		{"tool_names a list", alice(`"tool_names": []`), false, code(clients.WrongType)},
		{"unknown member", alice(`"comment": {"free": ["form"]}`), true, code(clients.UnknownMember)},
	})
}

// TestPrincipal is what a client becomes.
func TestPrincipal(t *testing.T) {
	t.Parallel()
	w := open(t, file(alice(`"workflows": ["deploy", "x.*"], "roles": ["human"], "permissions": ["praxec.reload"],
		"oversees": "*", "tool_names": "underscore", "expires_at": "2030-01-02T03:04:05.000000006+01:00"`), bystander))
	p, ok := w.Lookup(auth.HashToken(aliceToken))
	if !ok {
		t.Fatal("not admitted")
	}
	type facts struct {
		Client, User, Expires         string
		Workflows, Roles, Permissions []string
		Spelling                      auth.Spelling
		OverseesAll, WorkflowsAll     bool
	}
	of := func(p auth.Principal) facts {
		return facts{p.Client, p.User, p.Expires.Format("2006-01-02T15:04:05.999999999Z07:00"), p.Workflows.Sorted(), p.Roles.Sorted(),
			p.Permissions.Sorted(), p.Spelling, p.Oversees.All(), p.Workflows.All()}
	}
	want := facts{"alice", "alice", "2030-01-02T02:04:05.000000006Z", []string{"deploy", "x.*"}, []string{"human"},
		[]string{"praxec.reload"}, auth.Underscore, true, false}
	if diff := cmp.Diff(want, of(p)); diff != "" {
		t.Errorf("principal (-want +got):\n%s", diff)
	}
	b, _ := w.Lookup(auth.HashToken(byToken))
	if !b.Workflows.All() || b.Oversees.All() || b.Oversees.Len() != 0 || b.Spelling != auth.Dot || !b.Expires.IsZero() {
		t.Errorf("a plain client is %+v", b)
	}
	none := open(t, file(alice(`"workflows": []`)))
	if p, _ := none.Lookup(auth.HashToken(aliceToken)); p.Workflows.All() || p.Workflows.Len() != 0 {
		t.Error("an empty list of workflows grants some")
	}
	under := open(t, file(alice(""), `{"name": "d", "user_id": "d", "token": "dddddddddddddddd", "tool_names": "dot"}`),
		func(c *clients.Config) { c.Spelling = auth.Underscore })
	a, _ := under.ByName("alice")
	d, _ := under.ByName("d")
	if a.Spelling != auth.Underscore || d.Spelling != auth.Dot {
		t.Errorf("spellings %v and %v, want the configured one and the entry's own", a.Spelling, d.Spelling)
	}
}
