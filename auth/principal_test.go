package auth_test

import (
	"testing"
	"time"

	"prax/auth"
)

func TestExpired(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		name    string
		expires time.Time
		want    bool
	}{
		{"never", time.Time{}, false},
		{"a nanosecond ahead", now.Add(1), false},
		{"exactly now", now, true},
		{"exactly now elsewhere", now.In(time.FixedZone("", 9*3600)), true},
		{"past", now.Add(-1), true},
	}
	for _, tt := range tests {
		if got := (auth.Principal{Expires: tt.expires}).Expired(now); got != tt.want {
			t.Errorf("%s: %t, want %t", tt.name, got, tt.want)
		}
	}
}

// TestScope: a scope is exactly its principal's, and the zero one is nobody's.
func TestScope(t *testing.T) {
	t.Parallel()
	p := auth.Principal{User: "alice", Oversees: auth.Names("bob"), Workflows: auth.Names("deploy")}
	s := p.Scope()
	if s.User() != "alice" || !s.Oversees().Has("bob") || s.Oversees().Len() != 1 || !s.Definitions().Has("deploy") {
		t.Errorf("scope %+v", s)
	}
	var zero auth.Scope
	if zero.User() != "" || zero.Oversees().Len() != 0 || zero.Oversees().All() || zero.Definitions().All() {
		t.Errorf("the zero scope reads something: %+v", zero)
	}
	if (auth.Principal{}).Scope() != zero {
		t.Error("the zero principal has a scope")
	}
}

func TestTier(t *testing.T) {
	t.Parallel()
	exposable := map[auth.Tier]bool{auth.Low: true, auth.Medium: true}
	for tier := range auth.Tier(255) {
		if tier.Exposable() != exposable[tier] {
			t.Errorf("%d is exposable: %t", tier, tier.Exposable())
		}
		back, err := auth.ParseTier(tier.String())
		if known := tier >= auth.Low && tier <= auth.High; known != (err == nil) || known && back != tier {
			t.Errorf("%d prints as %q and reads as %v, %v", tier, tier, back, err)
		}
	}
	for _, s := range []string{"", "LOW", "High", " low", "unknown", "4"} {
		if tier, err := auth.ParseTier(s); err == nil || tier != auth.TierUnknown {
			t.Errorf("%q reads as %v", s, tier)
		}
	}
}
