package clients_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/auth/clients"
)

// TestDuplicates: whoever shares a name or a token is out, all of them and in either order; nobody else is.
func TestDuplicates(t *testing.T) {
	t.Parallel()
	entry := func(name, members string) string { return `{"name": "` + name + `", "user_id": "u", ` + members + `}` }
	plain, hashed := `"token": "`+aliceToken+`"`, `"token_sha256": "`+hashOf(aliceToken)+`"`
	const other = `"token": "other-token-0123456789"`
	tests := []struct {
		name string
		a, b string
		want []clients.Code
	}{
		{"one name", entry("a", plain), entry("a", other), code(clients.DuplicateName)},
		{"one token", entry("a", plain), entry("b", plain), code(clients.DuplicateToken)},
		{"plain and hashed", entry("a", plain), entry("b", hashed), code(clients.DuplicateToken)},
		{"blanks around", entry("a", plain), entry("b", `"token": " `+aliceToken+` "`), code(clients.DuplicateToken, clients.TrimmedToken)},
		{"one of them expired", entry("a", plain+`, "expires_at": "2000-01-01T00:00:00Z"`), entry("b", plain), code(clients.DuplicateToken, clients.ExpiredClient)},
		{"one of them disabled", entry("a", plain+`, "disabled": true`), entry("b", plain), code(clients.DuplicateToken)},
		{"one of them refused", entry("a", plain+`, "allow": 5`), entry("b", plain), code(clients.BadAllow, clients.DuplicateToken)},
		{"one name, one of them refused", entry("a", plain+`, "allow": 5`), entry("a", other), code(clients.BadAllow, clients.DuplicateName)},
		{"an escaped name", entry("a", plain), entry(`\u0061`, other), code(clients.DuplicateName)},
		{"a default name", `{"user_id": "u", ` + plain + `}`, entry("client-0", other), code(clients.DuplicateName, clients.Unnamed)},
		{"both", entry("a", plain), entry("a", plain), code(clients.DuplicateName, clients.DuplicateToken)},
	}
	for _, tt := range tests {
		for order, text := range map[string]string{"first": file(tt.a, tt.b, bystander), "second": file(tt.b, tt.a, bystander)} {
			if tt.name == "a default name" && order == "second" {
				continue // the default name is that of the place
			}
			t.Run(tt.name+"/"+order, func(t *testing.T) {
				t.Parallel()
				w := open(t, text)
				w.want(aliceToken, false)
				w.want("other-token-0123456789", false)
				w.want(byToken, true)
				if _, ok := w.ByName("a"); ok {
					t.Error("the name is somebody")
				}
				report := clients.Check(clients.Config{Path: w.path}, tools, noon)
				if diff := cmp.Diff(tt.want, codes(report)); diff != "" {
					t.Errorf("codes (-want +got):\n%s", diff)
				}
				if report.Refused != 2 || report.Clients != 1 {
					t.Errorf("%d refused and %d admitted, want 2 and 1", report.Refused, report.Clients)
				}
			})
		}
	}
}

func withSingle(s clients.Single) func(*clients.Config) {
	return func(c *clients.Config) { c.Single = &s }
}

const singleToken = "single-token-0123456789"

// TestSingle: the client of the settings, on its own.
func TestSingle(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		single clients.Single
		token  string
		live   bool
		allow  []string
		want   clients.Code
	}{
		{"plain", clients.Single{Token: singleToken, UserID: "u1"}, singleToken, true, auth.Names(clients.DefaultTools()...).Sorted(), ""},
		{"line end after the token", clients.Single{Token: singleToken + "\n", UserID: "u1"}, singleToken, true, auth.Names(clients.DefaultTools()...).Sorted(), clients.TrimmedToken},
		{"allowlist", clients.Single{Token: singleToken, UserID: "u1", Allowlist: "memory_recall, memory_remember"}, singleToken, true, []string{"memory_recall", "memory_remember"}, ""},
		{"allowlist with high", clients.Single{Token: singleToken, UserID: "u1", Allowlist: "memory_forget"}, singleToken, true, []string{"memory_forget"}, clients.HighTool},
		{"blank allowlist grants nothing", clients.Single{Token: singleToken, UserID: "u1", Allowlist: " "}, singleToken, true, nil, ""},
		{"no user", clients.Single{Token: singleToken}, singleToken, false, nil, clients.NoUser},
		{"placeholder", clients.Single{Token: "${MCP_TOKEN}", UserID: "u1"}, "${MCP_TOKEN}", false, nil, clients.Placeholder},
		{"template text", clients.Single{Token: "<a strong random token>", UserID: "u1"}, "<a strong random token>", false, nil, clients.Placeholder},
		{"blank token", clients.Single{Token: " \n", UserID: "u1"}, "", false, nil, clients.BadToken},
		{"no token is no client", clients.Single{UserID: "u1"}, "", false, nil, ""},
		{"expired", clients.Single{Token: singleToken, UserID: "u1", ExpiresAt: "2000-01-01T00:00:00Z"}, singleToken, false, nil, clients.ExpiredClient},
		{"unreadable expiry", clients.Single{Token: singleToken, UserID: "u1", ExpiresAt: "soon"}, singleToken, false, nil, clients.BadExpiry},
		{"later expiry", clients.Single{Token: singleToken, UserID: "u1", ExpiresAt: "2999-01-01T00:00:00Z"}, singleToken, true, auth.Names(clients.DefaultTools()...).Sorted(), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := open(t, "-", withSingle(tt.single), func(c *clients.Config) { c.Path = "" })
			p, ok := w.Lookup(auth.HashToken(tt.token))
			if ok != tt.live || w.Status().EverLive != tt.live {
				t.Fatalf("admitted %t, ever live %t, want %t", ok, w.Status().EverLive, tt.live)
			}
			if ok && (p.Client != "default" || p.User != "u1") {
				t.Errorf("it is %s of %s", p.Client, p.User)
			}
			if diff := cmp.Diff(tt.allow, p.Allow.Sorted()); ok && diff != "" {
				t.Errorf("allow (-want +got):\n%s", diff)
			}
			problems := w.Status().Problems
			if tt.want == "" && len(problems) > 0 || tt.want != "" && (len(problems) != 1 || problems[0].Code != tt.want) {
				t.Errorf("problems %v, want %q", problems, tt.want)
			}
		})
	}
}

// TestSingleAndFile: the single-token client takes part in the rule about duplicates and is otherwise
// untouched by the file, whatever becomes of it.
func TestSingleAndFile(t *testing.T) {
	t.Parallel()
	single := withSingle(clients.Single{Token: singleToken, UserID: "u1"})
	t.Run("merged", func(t *testing.T) {
		w := open(t, file(alice("")), single)
		w.want(aliceToken, true)
		w.want(singleToken, true)
	})
	t.Run("one token", func(t *testing.T) {
		w := open(t, file(`{"name": "a", "user_id": "a", "token": "`+singleToken+`"}`, bystander), single)
		w.want(singleToken, false)
		w.want(byToken, true)
	})
	t.Run("one name", func(t *testing.T) {
		w := open(t, file(`{"name": "default", "user_id": "a", "token": "`+aliceToken+`"}`, bystander), single)
		w.want(singleToken, false)
		w.want(aliceToken, false)
		w.want(byToken, true)
	})
	t.Run("the name is free without one", func(t *testing.T) {
		w := open(t, file(`{"name": "default", "user_id": "a", "token": "`+aliceToken+`"}`))
		w.want(aliceToken, true)
	})
	t.Run("broken at the start", func(t *testing.T) {
		w := open(t, "{bad", single)
		w.want(singleToken, true)
		if s := w.Status(); s.OK || s.Clients != 1 || !s.EverLive {
			t.Errorf("status %+v", s)
		}
	})
	t.Run("broken while running", func(t *testing.T) {
		w := open(t, file(alice("")), single)
		w.save("{bad")
		w.want(singleToken, true)
		w.clock.add(grace)
		w.want(singleToken, true)
		w.want(aliceToken, false)
	})
	t.Run("breaking the file does not let it in", func(t *testing.T) {
		w := open(t, file(`{"name": "a", "user_id": "a", "token": "`+singleToken+`"}`), single)
		w.save("{bad")
		w.clock.add(grace)
		w.want(singleToken, false)
		w.Reload("test")
		w.want(singleToken, false)
	})
	t.Run("its problems are reported beside those of a broken file", func(t *testing.T) {
		w := open(t, "{bad", withSingle(clients.Single{Token: singleToken}))
		got := codes(clients.Report{Problems: w.Status().Problems})
		if diff := cmp.Diff(code(clients.NoUser, clients.NotJSON), got); diff != "" {
			t.Errorf("codes (-want +got):\n%s", diff)
		}
		if !strings.Contains(w.log.String(), "not-json") {
			t.Errorf("log:\n%s", w.log)
		}
	})
}
