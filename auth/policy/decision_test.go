package policy_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"prax/auth"
	"prax/auth/policy"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func alice(names ...string) auth.Principal {
	return auth.Principal{Client: "alice-agent", User: "alice", Allow: auth.Names(names...)}
}

func query(tier auth.Tier) policy.Target {
	return policy.Target{Name: "praxec.query", Underscore: "praxec_query", Tier: tier, Exists: true}
}

func TestDecide(t *testing.T) {
	t.Parallel()
	everything := alice()
	everything.Allow = auth.Everything()
	until := func(at time.Time) auth.Principal {
		p := alice("praxec.query")
		p.Expires = at
		return p
	}
	noUser, noClient := alice("praxec.query"), alice("praxec.query")
	noUser.User, noClient.Client = "", ""
	missing := query(auth.Low)
	missing.Exists = false
	nameless := policy.Target{Tier: auth.Low, Exists: true}

	tests := []struct {
		name   string
		caller auth.Principal
		target policy.Target
		want   policy.Reason
	}{
		{"granted by its name", alice("praxec.query"), query(auth.Low), policy.Allowed},
		{"granted by its other spelling", alice("praxec_query"), query(auth.Low), policy.Allowed},
		{"medium is granted like low", alice("praxec.query"), query(auth.Medium), policy.Allowed},
		{"everything grants what is exposable", everything, query(auth.Medium), policy.Allowed},
		{"another capital is another name", alice("Praxec.query"), query(auth.Low), policy.NotAllowed},
		{"an empty allowlist", alice(), query(auth.Low), policy.NotAllowed},
		{"a star is only a name", alice("*"), query(auth.Low), policy.NotAllowed},
		{"an empty name in the allowlist grants no missing spelling", alice(""), policy.Target{Name: "clock", Tier: auth.Low, Exists: true}, policy.NotAllowed},
		{"high in the allowlist", alice("praxec.query"), query(auth.High), policy.HighRisk},
		{"high under everything", everything, query(auth.High), policy.HighRisk},
		{"undeclared tier", alice("praxec.query"), query(auth.TierUnknown), policy.NoTier},
		{"a tier that does not exist", everything, query(auth.Tier(77)), policy.NoTier},
		{"a tool that is gone", alice("praxec.query"), missing, policy.Unknown},
		{"a tool without name", everything, nameless, policy.Unknown},
		{"the zero target", everything, policy.Target{}, policy.Unknown},
		{"nobody", auth.Principal{}, query(auth.Low), policy.Nobody},
		{"no user", noUser, query(auth.Low), policy.Nobody},
		{"no client", noClient, query(auth.Low), policy.Nobody},
		{"one nanosecond before the expiry", until(noon.Add(1)), query(auth.Low), policy.Allowed},
		{"exactly at the expiry", until(noon), query(auth.Low), policy.Expired},
		{"after the expiry", until(noon.Add(-time.Hour)), query(auth.Low), policy.Expired},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := policy.Decide(tt.caller, tt.target, noon)
			if want := (policy.Decision{OK: tt.want == policy.Allowed, Reason: tt.want}); got != want {
				t.Errorf("Decide = %+v, want %+v", got, want)
			}
		})
	}
}

var toolNames = []string{"clock", "praxec.query", "praxec_query", "praxec.command", "memory_forget", ""}

func drawPrincipal(t *rapid.T) auth.Principal {
	p := auth.Principal{
		Client: rapid.SampledFrom([]string{"", "agent"}).Draw(t, "client"),
		User:   rapid.SampledFrom([]string{"", "alice"}).Draw(t, "user"),
		Allow:  auth.Names(rapid.SliceOf(rapid.SampledFrom(toolNames)).Draw(t, "allow")...),
	}
	if rapid.Bool().Draw(t, "everything") {
		p.Allow = auth.Everything()
	}
	if rapid.Bool().Draw(t, "expires") {
		p.Expires = noon.Add(time.Duration(rapid.Int64Range(-3, 3).Draw(t, "expiry")))
	}
	return p
}

func drawTarget(t *rapid.T) policy.Target {
	return policy.Target{
		Name:       rapid.SampledFrom(toolNames).Draw(t, "name"),
		Underscore: rapid.SampledFrom(toolNames).Draw(t, "underscore"),
		Tier:       auth.Tier(rapid.Uint8Range(0, 5).Draw(t, "tier")),
		Exists:     rapid.Bool().Draw(t, "exists"),
	}
}

// TestLaw2HighIsUnreachable: no principal, not even one that is granted everything, gets a HIGH tool,
// nor one whose tier nobody declared.
func TestLaw2HighIsUnreachable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p, target := drawPrincipal(t), drawTarget(t)
		if d := policy.Decide(p, target, noon); d.OK && !target.Tier.Exposable() {
			t.Fatalf("Decide(%+v, %+v) = %+v", p, target, d)
		}
	})
}

// TestLaw4DoubtCloses: whoever is nobody, expired, or asks for what is missing gets a no.
func TestLaw4DoubtCloses(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p, target := drawPrincipal(t), drawTarget(t)
		doubt := p.Client == "" || p.User == "" || p.Expired(noon) || !target.Exists
		if d := policy.Decide(p, target, noon); d.OK && doubt {
			t.Fatalf("Decide(%+v, %+v) = %+v", p, target, d)
		}
	})
}

// TestNarrowingNeverGrants: taking names away, bringing the expiry forward, or letting time pass
// never turns a no into a yes.
func TestNarrowingNeverGrants(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		wide, target := drawPrincipal(t), drawTarget(t)
		narrow, now := wide, noon.Add(time.Duration(rapid.Int64Range(0, 3).Draw(t, "later")))
		var kept []string
		for name := range wide.Allow.Each() {
			if rapid.Bool().Draw(t, "keep") {
				kept = append(kept, name)
			}
		}
		narrow.Allow = auth.Names(kept...)
		if !wide.Expires.IsZero() {
			narrow.Expires = wide.Expires.Add(-time.Duration(rapid.Int64Range(0, 3).Draw(t, "sooner")))
		}
		if policy.Decide(narrow, target, now).OK && !policy.Decide(wide, target, noon).OK {
			t.Fatalf("narrowing %+v to %+v grants %+v", wide, narrow, target)
		}
	})
}

// TestSpellingsAreOneTool: which spelling the operator wrote makes no difference.
func TestSpellingsAreOneTool(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p, target := drawPrincipal(t), query(auth.Tier(rapid.Uint8Range(0, 5).Draw(t, "tier")))
		dot, underscore := p, p
		dot.Allow, underscore.Allow = auth.Names("praxec.query"), auth.Names("praxec_query")
		if a, b := policy.Decide(dot, target, noon), policy.Decide(underscore, target, noon); a != b {
			t.Fatalf("dot: %+v, underscore: %+v", a, b)
		}
	})
}

// TestReasonMatchesAnswer: a yes is always Allowed, a no never is and always says why.
func TestReasonMatchesAnswer(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := policy.Decide(drawPrincipal(t), drawTarget(t), noon)
		if d.OK != (d.Reason == policy.Allowed) || d.Reason == "" {
			t.Fatalf("decision %+v", d)
		}
	})
}

func TestDecideAllocatesNothing(t *testing.T) {
	p, target := alice("clock", "praxec_query"), query(auth.Low)
	if n := testing.AllocsPerRun(100, func() { policy.Decide(p, target, noon) }); n != 0 {
		t.Errorf("%v allocations a decision, want 0", n)
	}
}
