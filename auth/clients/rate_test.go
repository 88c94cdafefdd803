package clients_test

import (
	"strings"
	"testing"

	"prax/auth"
	"prax/auth/clients"
)

// TestRate: what a client may ask for is what its entry says; what is not said is the server's.
func TestRate(t *testing.T) {
	t.Parallel()
	for member, want := range map[string]auth.Rate{
		``:                                {},
		`"rate": {"per_second": 5}`:       {PerSecond: 5, Burst: 5},
		`"rate": {"per_second": 0.25}`:    {PerSecond: 0.25, Burst: 1},
		`"rate": {"per_second": 2.5}`:     {PerSecond: 2.5, Burst: 3},
		`"rate": {"per_second": 1e6}`:     {PerSecond: 1e6, Burst: 1e6},
		`"rate": {"per_second": 0.001}`:   {PerSecond: 0.001, Burst: 1},
		`"rate": {"in_flight": 3}`:        {InFlight: 3},
		`"rate": {"\u0069n_flight": 3}`:   {InFlight: 3},
		`"rate": {"in_flight": 1000000 }`: {InFlight: 1_000_000},
		`"rate": {"burst": 20, "per_second": 5, "in_flight": 8}`: {PerSecond: 5, Burst: 20, InFlight: 8},
	} {
		entry := alice(member)
		if member == "" {
			entry = alice(`"roles": []`)
		}
		w := open(t, file(entry, bystander))
		p, ok := w.Lookup(auth.HashToken(aliceToken))
		if !ok || p.Rate != want {
			t.Errorf("%s: %+v, %v; want %+v: %v", member, p.Rate, ok, want, w.Status().Problems)
		}
		if p, _ := w.ByName("alice"); p.Rate != want {
			t.Errorf("%s: by name it is %+v", member, p.Rate)
		}
		if p, _ := w.Lookup(auth.HashToken(byToken)); p.Rate != (auth.Rate{}) {
			t.Errorf("%s: the bystander has %+v", member, p.Rate)
		}
	}
}

// TestBadRate: a rate that cannot be meant as it is written was to restrict, and puts its entry out.
func TestBadRate(t *testing.T) {
	t.Parallel()
	var rows []row
	for rate, want := range map[string]clients.Code{
		`null`: clients.WrongType, `5`: clients.WrongType, `"5"`: clients.WrongType, `[]`: clients.WrongType, `true`: clients.WrongType,
		`{"per_second": "5"}`: clients.WrongType, `{"per_second": null}`: clients.WrongType, `{"per_second": true}`: clients.WrongType,
		`{"per_second": {}}`: clients.WrongType, `{"per_second": "NaN"}`: clients.WrongType, `{"in_flight": [1]}`: clients.WrongType,
		`{"per_second": 5, "burst": "20"}`: clients.WrongType, `{"per_second": 5, "burst": null}`: clients.WrongType,
		`{"per_second": {"a": 1, "a": 2}}`: clients.WrongType,

		`{}`: clients.BadRate, `{"burst": 20}`: clients.BadRate, `{"burst": 20, "in_flight": 5}`: clients.BadRate,
		`{"per_second": 0}`: clients.BadRate, `{"per_second": -0}`: clients.BadRate, `{"per_second": -1}`: clients.BadRate,
		`{"per_second": 0.0001}`: clients.BadRate, `{"per_second": 1000001}`: clients.BadRate, `{"per_second": 1e400}`: clients.BadRate,
		`{"per_second": 5, "burst": 0}`: clients.BadRate, `{"per_second": 5, "burst": -1}`: clients.BadRate,
		`{"per_second": 5, "burst": 2.5}`: clients.BadRate, `{"per_second": 5, "burst": 2e1}`: clients.BadRate,
		`{"per_second": 5, "burst": 1000001}`: clients.BadRate, `{"per_second": 5, "burst": 99999999999999999999}`: clients.BadRate,
		`{"in_flight": 0}`: clients.BadRate, `{"in_flight": -64}`: clients.BadRate, `{"in_flight": 1.0}`: clients.BadRate,

		`{"per_second": 5, "per_minute": 5}`: clients.MistakenMember, `{"PER_SECOND": 5}`: clients.MistakenMember,
		`{"per_second": 5, "": 1}`: clients.MistakenMember, `{"inflight": 5}`: clients.MistakenMember,
		`{"per_second": 5, "per_second": 500}`: clients.DuplicateMember, `{"in_flight": 5, "in\u005fflight": 500}`: clients.DuplicateMember,
	} {
		rows = append(rows, row{rate, alice(`"rate": ` + rate), false, code(want)})
	}
	for _, member := range []string{"rates", "Rate_Limit", "rateLimit", "limits", "per_second", "burst", "in_flight", "max_inflight", "quota"} {
		rows = append(rows, row{member, alice(`"` + member + `": 5`), false, code(clients.MistakenMember)})
	}
	runRows(t, rows)
}

// TestRateOfMany: a rate that several entries share is judged for each, also where it is bad.
func TestRateOfMany(t *testing.T) {
	t.Parallel()
	entry := func(name, rate string) string {
		return `{"name": "` + name + `", "user_id": "u", "token": "` + strings.Repeat(name, 16) + `", "rate": ` + rate + `}`
	}
	w := open(t, file(entry("a", `{"per_second": 5}`), entry("b", `{"burst": 1}`), entry("c", `{"per_second": 5}`), entry("d", `{"burst": 1}`)))
	for name, live := range map[string]bool{"a": true, "b": false, "c": true, "d": false} {
		p, ok := w.ByName(name)
		if ok != live || live && p.Rate != (auth.Rate{PerSecond: 5, Burst: 5}) {
			t.Errorf("%s: live %v with %+v", name, ok, p.Rate)
		}
	}
}

// TestRateIsAChange: an edit of a rate alone is told as a change of that client, and of no other.
func TestRateIsAChange(t *testing.T) {
	t.Parallel()
	w := open(t, file(alice(`"rate": {"per_second": 5}`), bystander))
	w.save(file(alice(`"rate": {"per_second": 6}`), bystander))
	last := w.lastChange()
	if last.Changed.Total != 1 || last.Changed.First[0] != "alice" || last.Added.Total+last.Revoked.Total != 0 {
		t.Errorf("%+v", last)
	}
	if p, _ := w.ByName("alice"); p.Rate.PerSecond != 6 {
		t.Errorf("%+v is in force", p.Rate)
	}
}

// TestRateOfTokens: a client of several tokens has one rate, whichever it presents.
func TestRateOfTokens(t *testing.T) {
	t.Parallel()
	w := open(t, file(`{"name": "alice", "user_id": "u", "rate": {"per_second": 5}, "tokens": [{"sha256": "`+hashOf("one")+`"}, {"sha256": "`+hashOf("two")+`"}]}`, bystander))
	for _, token := range []string{"one", "two"} {
		if p, ok := w.Lookup(auth.HashToken(token)); !ok || p.Client != "alice" || p.Rate.PerSecond != 5 {
			t.Errorf("%s: %v with %+v: %v", token, ok, p.Rate, w.Status().Problems)
		}
	}
}
