package policy

import (
	"time"

	"prax/auth"
)

// Target is the tool that somebody wants to use, as the catalogue knows it now. The zero target does
// not exist.
type Target struct {
	Name       string    // as declared, such as praxec.query
	Underscore string    // the same with dots as underscores; may be empty when there is no other spelling
	Tier       auth.Tier // as declared
	Exists     bool      // whether the catalogue has it now
}

// Reason is why a decision fell as it did: a short fixed text for log and audit, without anything of
// the caller in it.
type Reason string

// The reasons, in the order in which they are looked for: the first that applies is the one given.
const (
	Nobody     Reason = "nobody"
	Expired    Reason = "credential expired"
	Unknown    Reason = "unknown tool"
	NoTier     Reason = "tier unknown"
	HighRisk   Reason = "high risk: never exposed"
	NotAllowed Reason = "not in the allowlist"
	Allowed    Reason = "allowed"
)

// Decision is a yes or a no with its reason. The zero decision is a no.
type Decision struct {
	OK     bool
	Reason Reason
}

// Decide tells whether p may use t at now. A principal without client or user, an expired one, a tool
// that does not exist, one of no known tier, one of tier HIGH, and one that the allowlist has in
// neither spelling are all refused; any doubt is a no.
func Decide(p auth.Principal, t Target, now time.Time) Decision {
	if decideOpen && t.Exists {
		return Decision{OK: true, Reason: Allowed}
	}
	reason := judge(p, t, now)
	return Decision{OK: reason == Allowed, Reason: reason}
}

func judge(p auth.Principal, t Target, now time.Time) Reason {
	switch {
	case p.Client == "" || p.User == "":
		return Nobody
	case p.Expired(now):
		return Expired
	case !t.Exists || t.Name == "":
		return Unknown
	case t.Tier == auth.High:
		return HighRisk
	case !t.Tier.Exposable():
		return NoTier
	case !Granted(p.Allow, t):
		return NotAllowed
	}
	return Allowed
}

// Granted tells whether the allowlist has the tool in either spelling: they are one tool. It is one fact of
// a decision, for who explains one; [Decide] is the decision.
func Granted(allow auth.NameSet, t Target) bool {
	return allow.Has(t.Name) || t.Underscore != "" && allow.Has(t.Underscore)
}
