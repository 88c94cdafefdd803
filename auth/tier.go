package auth

import "fmt"

// Tier is the risk of a tool, ordered: a wrapper never has a lower tier than what it wraps.
type Tier uint8

// The tiers. The zero value is a tool whose tier nobody declared: it does not load, and
// wherever it turns up all the same it is treated as unreachable.
const (
	TierUnknown Tier = iota
	Low              // reads, or is reversible
	Medium           // writes the caller's own things, reads outside, or is work the operator wrote out
	High             // destructive, irreversible, spends, or runs code that a caller chooses: never exposed
)

var tierNames = [...]string{TierUnknown: "unknown", Low: "low", Medium: "medium", High: "high"}

// String is the tier in lower case, as configuration files spell it.
func (t Tier) String() string {
	if int(t) < len(tierNames) {
		return tierNames[t]
	}
	return tierNames[TierUnknown]
}

// ParseTier reads low, medium or high. Anything else, other capitals included, is an error:
// a tier that cannot be read must not turn into one.
func ParseTier(s string) (Tier, error) {
	for t := Low; t <= High; t++ {
		if s == tierNames[t] {
			return t, nil
		}
	}
	return TierUnknown, fmt.Errorf("tier %q is none of low, medium, high", s)
}

// Exposable tells whether a caller may ever reach a tool of this tier. HIGH is never exposed.
func (t Tier) Exposable() bool { return t == Low || t == Medium }
