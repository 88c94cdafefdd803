package clients_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/auth/clients"
)

// several is alice with these elements of tokens, and further members.
func several(elements, members string) string {
	return `{"name": "alice", "user_id": "alice", "tokens": [` + elements + `]` + members + `}`
}

// element is one of tokens.
func element(token, members string) string {
	return `{"sha256": "` + hashOf(token) + `"` + members + `}`
}

// stamp is a time as it stands in a file.
func stamp(t time.Time) string { return `"` + t.UTC().Format(time.RFC3339Nano) + `"` }

const (
	newToken = "new-token-0123456789"
	oldToken = "old-token-0123456789"
)

// TestTokenList is every row about tokens. What puts out one token leaves its sibling; what is in doubt about the entry
// puts out all of it. The token of the table is alice's; the sibling's must be admitted when the last column says so.
func TestTokenList(t *testing.T) {
	t.Parallel()
	hash := hashOf(aliceToken)
	sibling := element(newToken, "")
	both := func(one string) string { return several(one+", "+sibling, "") }
	with := func(members string) string { return both(element(aliceToken, members)) }
	many := func(n int) string {
		all := []string{element(aliceToken, "")}
		for i := range n - 1 {
			all = append(all, element(fmt.Sprintf("token-%d-0123456789", i), ""))
		}
		return several(strings.Join(all, ", "), "")
	}
	tests := []struct {
		row
		sibling bool
	}{
		{row{"two without a window", with(""), true, nil}, true},
		{row{"one alone", several(element(aliceToken, ""), ""), true, nil}, false},
		{row{"hash in capitals", both(`{"sha256": "` + strings.ToUpper(hash) + `"}`), true, nil}, true},
		{row{"an escaped member", both(`{"\u0073ha256": "` + hash + `"}`), true, nil}, true},
		{row{"null sides", with(`, "not_before": null, "expires_at": null`), true, nil}, true},
		{row{"within its window", with(`, "not_before": "2026-05-01T11:59:59Z", "expires_at": "2999-01-01T00:00:00Z"`), true, nil}, true},
		{row{"from now on", with(`, "not_before": "2026-05-01T12:00:00Z"`), true, nil}, true},
		{row{"until now", with(`, "expires_at": "2026-05-01T12:00:00Z"`), false, nil}, true},
		{row{"not yet", with(`, "not_before": "2026-05-01T12:00:00.000000001Z"`), false, nil}, true},
		{row{"sloppy sides", with(`, "not_before": "2026-05-01", "expires_at": "2999-01-01 00:00:00"`), true, code(clients.SloppyExpiry)}, true},
		{row{"unreadable expiry", with(`, "expires_at": "soon"`), false, code(clients.BadExpiry)}, true},
		{row{"empty expiry", with(`, "expires_at": ""`), false, code(clients.BadExpiry)}, true},
		{row{"expiry a number", with(`, "expires_at": 32503680000`), false, code(clients.BadExpiry)}, true},
		{row{"expiry false", with(`, "expires_at": false`), false, code(clients.BadExpiry)}, true},
		{row{"unreadable start", with(`, "not_before": "soon"`), false, code(clients.BadStart)}, true},
		{row{"empty start", with(`, "not_before": ""`), false, code(clients.BadStart)}, true},
		{row{"start 0", with(`, "not_before": 0`), false, code(clients.BadStart)}, true},
		{row{"start a list", with(`, "not_before": []`), false, code(clients.BadStart)}, true},
		{row{"window without inside", with(`, "not_before": "2026-05-01T11:00:00Z", "expires_at": "2026-05-01T11:00:00Z"`), false, code(clients.EmptyWindow)}, true},
		{row{"window the wrong way", with(`, "not_before": "2999-01-01T00:00:00Z", "expires_at": "2998-01-01T00:00:00Z"`), false, code(clients.EmptyWindow)}, true},
		{row{"a note", with(`, "note": "laptop"`), true, code(clients.UnknownMember)}, true},
		{row{"as many as may be", many(8), true, nil}, false},

		{row{"one too many", many(9), false, code(clients.TooManyTokens)}, false},
		{row{"none", several("", ""), false, code(clients.NoToken)}, false},
		{row{"null", `{"name": "alice", "user_id": "alice", "tokens": null}`, false, code(clients.WrongType)}, false},
		{row{"an object", `{"name": "alice", "user_id": "alice", "tokens": ` + element(aliceToken, "") + `}`, false, code(clients.WrongType)}, false},
		{row{"strings", both(`"` + hash + `"`), false, code(clients.WrongType)}, false},
		{row{"null inside", both(`null`), false, code(clients.WrongType)}, false},
		{row{"a list inside", both(`[` + element(aliceToken, "") + `]`), false, code(clients.WrongType)}, false},
		{row{"no hash", both(`{}`), false, code(clients.NoToken)}, false},
		{row{"no hash but a window", both(`{"expires_at": "2999-01-01T00:00:00Z"}`), false, code(clients.NoToken)}, false},
		{row{"a token in the open", both(`{"token": "` + aliceToken + `"}`), false, code(clients.NoToken, clients.UnknownMember)}, false},
		{row{"a hash of 63 digits", both(`{"sha256": "` + hash[1:] + `"}`), false, code(clients.BadHash)}, false},
		{row{"a hash with a blank", both(`{"sha256": "` + hash + ` "}`), false, code(clients.BadHash)}, false},
		{row{"a hash that is a number", both(`{"sha256": 5}`), false, code(clients.WrongType)}, false},
		{row{"a hash that is null", both(`{"sha256": null}`), false, code(clients.WrongType)}, false},
		{row{"the hash of nothing", both(element("", "")), false, code(clients.Placeholder)}, false},
		{row{"no hash at all", both(`{"sha256": "` + strings.Repeat("0", 64) + `"}`), false, code(clients.Placeholder)}, false},
		{row{"the same twice", several(element(aliceToken, "")+", "+element(aliceToken, ""), ""), false, code(clients.DuplicateToken)}, false},
		{row{"the same twice, in capitals", several(element(aliceToken, "")+`, {"sha256": "`+strings.ToUpper(hash)+`"}`, ""), false, code(clients.DuplicateToken)}, false},
		{row{"the same twice, one over", several(element(aliceToken, "")+", "+element(aliceToken, `, "expires_at": "2000-01-01T00:00:00Z"`), ""), false, code(clients.DuplicateToken)}, false},
		{row{"hash twice", both(`{"sha256": "` + hash + `", "sha256": "` + hash + `"}`), false, code(clients.DuplicateMember)}, false},
		{row{"expiry twice", with(`, "expires_at": null, "expires_at": "2000-01-01T00:00:00Z"`), false, code(clients.DuplicateMember)}, false},
		{row{"start twice", with(`, "not_before": "2999-01-01T00:00:00Z", "not_before": null`), false, code(clients.DuplicateMember)}, false},
		{row{"tokens twice", several(element(aliceToken, ""), `, "tokens": [`+sibling+`]`), false, code(clients.DuplicateMember)}, false},
		{row{"with a token", several(element(aliceToken, "")+", "+sibling, `, "token": "x-token-0123456789"`), false, code(clients.BothTokens)}, false},
		{row{"with the same token", several(element(aliceToken, "")+", "+sibling, `, "token": "`+aliceToken+`"`), false, code(clients.BothTokens)}, false},
		{row{"with a hash", several(element(aliceToken, "")+", "+sibling, `, "token_sha256": "`+hashOf("x")+`"`), false, code(clients.BothTokens)}, false},
		{row{"empty, with a token", several("", `, "token": "`+aliceToken+`"`), false, code(clients.BothTokens, clients.NoToken)}, false},
		{row{"a mistyped expiry", with(`, "expires": "2000-01-01T00:00:00Z"`), false, code(clients.MistakenMember)}, false},
		{row{"a mistyped start", with(`, "notBefore": "2999-01-01T00:00:00Z"`), false, code(clients.MistakenMember)}, false},
		{row{"an end by another name", with(`, "not_after": "2000-01-01T00:00:00Z"`), false, code(clients.MistakenMember)}, false},
		{row{"a start by another name", with(`, "valid_from": "2999-01-01T00:00:00Z"`), false, code(clients.MistakenMember)}, false},
		{row{"switched off inside", with(`, "disabled": true`), false, code(clients.MistakenMember)}, false},
		{row{"an allowlist inside", with(`, "allow": []`), false, code(clients.MistakenMember)}, false},
		{row{"text that is not UTF-8", with(", \"note\": \"\xff\""), false, code(clients.EntryNotUTF8, clients.UnknownMember)}, false},
		{row{"an entry that is disabled", several(element(aliceToken, "")+", "+sibling, `, "disabled": true`), false, nil}, false},
		{row{"an entry that is over", several(element(aliceToken, "")+", "+sibling, `, "expires_at": "2026-05-01T12:00:00Z"`), false, code(clients.ExpiredClient)}, false},
		{row{"an entry whose expiry is unreadable", several(element(aliceToken, "")+", "+sibling, `, "expires_at": 0`), false, code(clients.BadExpiry)}, false},
		{row{"all over", several(element(aliceToken, `, "expires_at": "2020-01-01T00:00:00Z"`), ""), false, code(clients.ExpiredClient)}, false},
		{row{"all to come", several(element(aliceToken, `, "not_before": "2999-01-01T00:00:00Z"`), ""), false, code(clients.NotYet)}, false},
		{row{"to come when the entry is over", several(element(aliceToken, `, "not_before": "2999-01-01T00:00:00Z"`), `, "expires_at": "2998-01-01T00:00:00Z"`), false, code(clients.ExpiredClient)}, false},
		{row{"out soon", several(element(aliceToken, `, "expires_at": "2026-05-02T12:00:00Z"`), ""), true, code(clients.ExpiresSoon)}, false},
		{row{"a sibling that stays", with(`, "expires_at": "2026-05-02T12:00:00Z"`), true, nil}, true},
		{row{"out soon by the entry", several(element(aliceToken, ""), `, "expires_at": "2026-05-02T12:00:00Z"`), true, code(clients.ExpiresSoon)}, false},
	}
	var rows []row
	for _, tt := range tests {
		rows = append(rows, tt.row)
		t.Run("sibling of "+tt.name, func(t *testing.T) {
			t.Parallel()
			open(t, file(tt.entry, bystander)).want(newToken, tt.sibling)
		})
	}
	runRows(t, rows)
}

// TestTokenListExpiryStaysEnforced: the switch that ignores expires_at of entries is not about tokens.
func TestTokenListExpiryStaysEnforced(t *testing.T) {
	t.Parallel()
	over := `, "expires_at": "2020-01-01T00:00:00Z"`
	w := open(t, file(
		several(element(aliceToken, over)+", "+element(newToken, `, "expires_at": "nonsense"`)+", "+element(oldToken, ""), over),
		bystander), func(c *clients.Config) { c.IgnoreExpiry = true })
	w.want(aliceToken, false)
	w.want(newToken, false)
	w.want(oldToken, true)
	if !strings.Contains(w.log.String(), string(clients.BadExpiry)) {
		t.Errorf("nothing says that an expiry cannot be read:\n%s", w.log)
	}
}

// TestTokenWindows: each token is good in its own time and no other, whatever the clock does, and the client is the
// same by each.
func TestTokenWindows(t *testing.T) {
	t.Parallel()
	at := func(h int) time.Time { return noon.Add(time.Duration(h) * time.Hour) }
	w := open(t, file(several(strings.Join([]string{
		element(oldToken, `, "expires_at": `+stamp(at(2))),
		element(aliceToken, `, "not_before": `+stamp(at(1))+`, "expires_at": `+stamp(at(3))),
		element(newToken, `, "not_before": `+stamp(at(4))),
	}, ", "), `, "expires_at": `+stamp(at(6))), bystander))
	good := map[int][]string{
		0: {oldToken}, 1: {oldToken, aliceToken}, 2: {aliceToken}, 3: nil, 4: {newToken}, 5: {newToken}, 6: nil, -48: {oldToken},
	}
	for _, hour := range []int{0, 1, 2, 3, 4, 5, 6, 1, 0, -48, 4} { // the clock is set back, too
		w.clock.add(at(hour).Sub(w.clock.now()))
		for _, token := range []string{oldToken, aliceToken, newToken} {
			w.want(token, slices.Contains(good[hour], token))
		}
		_, named := w.ByName("alice")
		if s := w.Status(); named != (len(good[hour]) > 0) || s.Clients != map[bool]int{true: 2, false: 1}[named] {
			t.Errorf("hour %d: by name %t, %d clients", hour, named, s.Clients)
		}
	}
	for token, want := range map[string]time.Time{oldToken: at(2), aliceToken: at(3)} {
		w.clock.add(at(1).Sub(w.clock.now()))
		if p, _ := w.Lookup(auth.HashToken(token)); !p.Expires.Equal(want) || p.Client != "alice" || p.User != "alice" {
			t.Errorf("%s: %+v, want until %v", token, p, want)
		}
	}
	w.clock.add(at(4).Sub(w.clock.now()))
	if p, _ := w.Lookup(auth.HashToken(newToken)); !p.Expires.Equal(at(6)) {
		t.Errorf("a token without an end is good until %v, want that of the entry", p.Expires)
	}
}

// TestByNameLastsLongest: by its name a client is out when its last token is, and is the newest of those that last as
// long.
func TestByNameLastsLongest(t *testing.T) {
	t.Parallel()
	w := open(t, file(several(element(newToken, "")+", "+element(aliceToken, "")+", "+element(oldToken, `, "expires_at": `+stamp(noon.Add(time.Hour))), "")))
	if p, ok := w.ByName("alice"); !ok || !p.Expires.IsZero() || p.Credential != auth.HashToken(aliceToken) {
		t.Errorf("%+v %t", p, ok)
	}
}

// TestTokenRemoved: a token that goes from the list is out with the next generation, and its principal with it; its
// sibling's is not. Moving it from one form of the entry to the other changes nothing.
func TestTokenRemoved(t *testing.T) {
	t.Parallel()
	w := open(t, file(several(element(oldToken, "")+", "+element(newToken, ""), ""), bystander))
	old, _ := w.Lookup(auth.HashToken(oldToken))
	fresh, _ := w.Lookup(auth.HashToken(newToken))
	changed := w.Changed()
	w.save(file(several(element(newToken, ""), ""), bystander))
	select {
	case <-changed:
	default:
		t.Error("no other generation")
	}
	if _, ok := w.Again(old); ok {
		t.Error("a token that was removed goes on")
	}
	if _, ok := w.Again(fresh); !ok {
		t.Error("its sibling does not")
	}
	if c := w.lastChange(); c.Changed.Total != 1 || c.Revoked.Total != 0 || c.Added.Total != 0 {
		t.Errorf("the change is %+v", c)
	}
	w.save(file(`{"name": "alice", "user_id": "alice", "token_sha256": "`+hashOf(newToken)+`"}`, bystander))
	if _, ok := w.Again(fresh); !ok {
		t.Error("the same token in the other form is out")
	}
	if c := w.lastChange(); c.Changed.Total != 0 {
		t.Errorf("the change is %+v", c)
	}
}

// TestTokenWindowIsAChange: whoever reads the audit finds an edit of a window.
func TestTokenWindowIsAChange(t *testing.T) {
	t.Parallel()
	w := open(t, file(several(element(oldToken, "")+", "+element(newToken, ""), ""), bystander))
	for _, members := range []string{`, "expires_at": "2999-01-01T00:00:00Z"`, `, "not_before": "2020-01-01T00:00:00Z"`, `, "expires_at": ""`} {
		w.save(file(several(element(oldToken, "")+", "+element(newToken, members), ""), bystander))
		if c := w.lastChange(); c.Changed.Total != 1 || c.Changed.First[0] != "alice" {
			t.Errorf("%s: the change is %+v", members, c)
		}
	}
}

// TestTokenListDuplicates: one token in two entries puts out both, with all their tokens, however it stands in each and
// whatever else is wrong with them.
func TestTokenListDuplicates(t *testing.T) {
	t.Parallel()
	list := func(name, elements, members string) string {
		return `{"name": "` + name + `", "user_id": "u", "tokens": [` + elements + `]` + members + `}`
	}
	shared, own, others := element(aliceToken, ""), element(newToken, ""), element(oldToken, "")
	a := list("a", own+", "+shared, "")
	for what, b := range map[string]string{
		"in a list":             list("b", others+", "+shared, ""),
		"in the open":           `{"name": "b", "user_id": "u", "token": "` + aliceToken + `"}`,
		"hashed":                `{"name": "b", "user_id": "u", "token_sha256": "` + strings.ToUpper(hashOf(aliceToken)) + `"}`,
		"over":                  list("b", others+", "+element(aliceToken, `, "expires_at": "2000-01-01T00:00:00Z"`), ""),
		"to come":               list("b", others+", "+element(aliceToken, `, "not_before": "2999-01-01T00:00:00Z"`), ""),
		"in a refused entry":    list("b", others+", "+shared, `, "allow": 5`),
		"in one too many":       list("b", strings.Repeat(others+", ", 9)+shared, ""),
		"in a disabled entry":   list("b", others+", "+shared, `, "disabled": true`),
		"twice in a list":       list("b", shared+", "+shared, ""),
		"beside one unreadable": list("b", `{"sha256": 5}, `+shared, ""),
	} {
		for _, text := range []string{file(a, b, bystander), file(b, a, bystander)} {
			w := open(t, text)
			for _, token := range []string{aliceToken, newToken, oldToken} {
				w.want(token, false)
			}
			w.want(byToken, true)
			report := clients.Check(clients.Config{Path: w.path}, tools, noon)
			if !slices.Contains(codes(report), clients.DuplicateToken) || report.Refused != 2 || report.Clients != 1 {
				t.Errorf("%s: %v, %d refused, %d in", what, report.Problems, report.Refused, report.Clients)
			}
		}
	}
}

// TestTokenListShowsNone: a user id that is one of the tokens is a secret in the wrong place.
func TestTokenListShowsNone(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{newToken, hashOf(newToken)} {
		entry := `{"name": "alice", "user_id": "` + secret + `", "tokens": [` + element(aliceToken, "") + `, ` + element(newToken, "") + `]}`
		w := open(t, file(entry, bystander))
		w.want(aliceToken, false)
		w.want(byToken, true)
		if said := w.log.String() + fmt.Sprint(w.Status()); strings.Contains(said, secret) {
			t.Errorf("it is said: %s", said)
		}
	}
	w := open(t, file(several(element(aliceToken, "")+", "+element(oldToken, ""), ""), `{"name": "`+oldToken+`", "user_id": "u", "token": "other-token-0123456789"}`, bystander))
	w.want("other-token-0123456789", false)
	w.want(byToken, true)
}

// TestTokenListInAList: an operator sees each token with its state, when the next live one lapses, and when the client is out.
func TestTokenListInAList(t *testing.T) {
	t.Parallel()
	at := func(h int) time.Time { return noon.Add(time.Duration(h) * time.Hour) }
	path := put(t, file(
		several(strings.Join([]string{
			element("past", `, "expires_at": `+stamp(at(-1))), element("first", `, "expires_at": `+stamp(at(2))),
			element("last", ""), element("next", `, "not_before": `+stamp(at(1))+`, "expires_at": `+stamp(at(3))), element("bad", `, "not_before": 1`),
		}, ", "), ""),
		`{"name": "b", "user_id": "b", "tokens": [`+element("b-1", `, "not_before": `+stamp(at(1)))+`]}`,
		`{"name": "c", "user_id": "c", "tokens": [`+element("c-1", `, "expires_at": `+stamp(at(-2)))+`, `+element("c-2", `, "expires_at": `+stamp(at(-1)))+`]}`,
	))
	type line struct {
		name, state string
		expires     time.Time
		next        time.Time
		tokens      []string
		live        int
	}
	var got []line
	list, report := clients.List(clients.Config{Path: path}, nil, noon)
	for _, l := range list {
		one := line{l.Name, string(l.State), l.Expires, l.NextEnd(), nil, l.LiveTokens()}
		for _, token := range l.Tokens {
			one.tokens = append(one.tokens, string(token.State))
		}
		got = append(got, one)
	}
	want := []line{
		{"alice", "live", time.Time{}, at(2), []string{"expired", "live", "live", "waiting", "expired"}, 2},
		{"b", "waiting", time.Time{}, time.Time{}, []string{"waiting"}, 0},
		{"c", "expired", at(-1), time.Time{}, []string{"expired", "expired"}, 0},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(line{})); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
	if report.Clients != 1 || report.Waiting != 1 || report.Expired != 1 {
		t.Errorf("%+v", report)
	}
}

// TestExpiringByTokens: a client is out when none of its tokens goes on, and a gap ends it.
func TestExpiringByTokens(t *testing.T) {
	t.Parallel()
	at := func(h int) time.Time { return noon.Add(time.Duration(h) * time.Hour) }
	window := func(from, until int) string {
		return `, "not_before": ` + stamp(at(from)) + `, "expires_at": ` + stamp(at(until))
	}
	for what, tt := range map[string]struct {
		elements []string
		want     int // hours from now; 0: it is not out within ten
	}{
		"one that stays":              {[]string{element("a", window(-1, 2)), element("b", "")}, 0},
		"the later of two":            {[]string{element("a", window(-1, 2)), element("b", window(-1, 3))}, 3},
		"one takes over":              {[]string{element("b", window(2, 5)), element("a", window(-1, 2))}, 5},
		"one takes over and stays":    {[]string{element("a", window(-1, 2)), element("b", `, "not_before": `+stamp(at(2)))}, 0},
		"a gap":                       {[]string{element("a", window(-1, 2)), element("b", window(3, 5))}, 2},
		"a gap before one that stays": {[]string{element("a", window(-1, 2)), element("b", `, "not_before": `+stamp(at(3)))}, 2},
		"one that cannot be read":     {[]string{element("a", window(-1, 2)), element("b", `, "expires_at": 0`)}, 2},
		"out already":                 {[]string{element("a", window(-2, -1))}, 0},
	} {
		w := open(t, file(several(strings.Join(tt.elements, ", "), ""), bystander))
		var want []clients.Expiring
		if tt.want > 0 {
			want = []clients.Expiring{{Client: "alice", At: at(tt.want)}}
		}
		if diff := cmp.Diff(want, w.Expiring(10*time.Hour)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
}

// TestEverLiveByTime: a client whose first token becomes good while the server runs has been live, without a reload.
func TestEverLiveByTime(t *testing.T) {
	t.Parallel()
	w := open(t, file(several(element(aliceToken, `, "not_before": `+stamp(noon.Add(time.Hour))), "")))
	if w.EverLive() || w.Status().EverLive {
		t.Error("live before its time")
	}
	w.clock.add(time.Hour)
	if !w.EverLive() || !w.Status().EverLive {
		t.Error("not live in its time")
	}
	w.clock.add(-time.Hour)
	if !w.EverLive() {
		t.Error("it was live once")
	}
	over := open(t, file(several(element(aliceToken, `, "not_before": `+stamp(noon.Add(-time.Hour))+`, "expires_at": `+stamp(noon)), "")))
	over.clock.add(time.Hour)
	if over.EverLive() {
		t.Error("one that was over at the start was never live")
	}
}

// TestTokenListKeepsRowsSmall: what a client of one token takes is not more for those who have several.
func TestTokenListKeepsRowsSmall(t *testing.T) {
	t.Parallel()
	w := open(t, many(10_000))
	if per := w.lastChange().Bytes / 10_000; per > 88 {
		t.Errorf("a client takes %d bytes", per)
	}
}
