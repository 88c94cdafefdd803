package digest

// Spell is what Canonical does with a text that is not plain, Order what it does with one that is.
var (
	Spell = spell
	Order = order
)
