package digest

// Spell is what Canonical does with a text that is not known to be canonical.
var Spell = spell
