package digest

// CheckSlowly is what Check does with a text that is not known to be canonical.
func CheckSlowly(raw []byte) error { return check(raw, checkNumber) }

// Spell is what Canonical does with a text that is not plain, Order what it does with one that is.
var (
	Spell = spell
	Order = order
)
