package secret

// Values are the secrets that one run has resolved. The zero Values has none, and so has nil.
type Values struct{}

// Add adds a secret.
func (v *Values) Add(secret string) {}

// Cut is the text with each secret replaced by [secret].
func (v *Values) Cut(text []byte) []byte { return nil }

// CutString is [Values.Cut] of a string.
func (v *Values) CutString(text string) string { return "" }

// CutTruncated is [Values.Cut] of a text whose end is missing: what a secret may begin with, at its end, goes too.
func (v *Values) CutTruncated(text []byte) []byte { return nil }

// CutValue is a decoded JSON value with each secret replaced, in its strings, its numbers and the names of its members.
func (v *Values) CutValue(value any) any { return nil }
