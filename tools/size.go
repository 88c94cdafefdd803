package tools

import (
	"encoding/base64"
	"fmt"
	"unicode/utf8"
)

// MaxResult is how many bytes a call's result may have as JSON. The result is built in memory, and
// beside it the answer.
const MaxResult = 4 << 20

// aroundBlock is about what a block has in JSON beside its own strings.
const aroundBlock = 64

// tooLarge is the failure of a result beyond MaxResult; nil for any other. What fits whatever is in its
// strings is not looked at more closely.
func tooLarge(res *Result) error {
	const worst = len(`\u0000`)
	if size(res, func(s string) int { return worst * len(s) }) <= MaxResult || size(res, quotedSize) <= MaxResult {
		return nil
	}
	return &Error{
		Code: CodeTooLarge, Message: fmt.Sprintf("the result has more than %d MiB", MaxResult>>20),
		Hint: "ask for less at once: a lower limit, a narrower search, one thing after the other",
	}
}

// TooLarge tells whether a result is beyond MaxResult, which no caller gets: for a handler whose work is done, and must not
// look as if it were not.
func TooLarge(res *Result) bool { return tooLarge(res) != nil }

// size is about what a result has as JSON, where a string has what quoted says.
func size(res *Result, quoted func(string) int) int {
	n := len(res.Structured) + aroundBlock*len(res.Content)
	if len(res.Content) == 0 && len(res.Structured) > 0 {
		n += 2 * len(res.Structured) // adapters show it as text too, its quotes escaped
	}
	for i := range res.Content {
		b := &res.Content[i]
		n += quoted(b.Text) + base64.StdEncoding.EncodedLen(len(b.Data)) + len(b.Resource) +
			quoted(b.URI) + quoted(b.Name) + quoted(b.MIMEType)
	}
	for key, v := range res.Meta {
		n += quoted(key) + len(v)
	}
	return n
}

// quotedSize is the length of a string in JSON, without its quotes.
func quotedSize(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(s[i:])
			if n += size; r == utf8.RuneError && size == 1 {
				n += utf8.RuneLen(utf8.RuneError) - 1 // which it comes out as
			}
			i += size - 1
		case c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t' || c == '\b' || c == '\f':
			n += 2
		case c < ' ':
			n += len(`\u0000`)
		default:
			n++
		}
	}
	return n
}
