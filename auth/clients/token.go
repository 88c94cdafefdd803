package clients

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"prax/auth"
)

// shortToken is the length in bytes under which a plaintext token is worth a warning.
const shortToken = 16

// blanks may stand around a token by accident: a pasted line end, most often.
const blanks = " \t\r\n"

// judgeToken says why a plaintext token cannot be used; "" when it can. The token is already trimmed.
func judgeToken(token string) (Code, string) {
	switch {
	case token == "":
		return BadToken, "the token is empty"
	case isPlaceholder(token):
		return Placeholder, "the token is a placeholder that nobody filled in"
	case strings.ContainsFunc(token, unspeakable):
		return BadToken, "the token has a blank or control character in it, which no header can carry"
	}
	return "", ""
}

func unspeakable(r rune) bool {
	return r <= ' ' || r == 0x7f || r == utf8.RuneError || unicode.IsSpace(r) || unicode.IsControl(r)
}

// isPlaceholder recognises what templates, examples and unexpanded variables leave behind.
func isPlaceholder(token string) bool {
	switch {
	case fold(token) == "changeme",
		strings.Contains(token, "…"),
		strings.Contains(token, "${"),
		strings.Contains(token, "{{"),
		strings.HasPrefix(token, "<") && strings.HasSuffix(token, ">"),
		strings.Trim(token, ".*") == "":
		return true
	}
	return false
}

// placeholderHashes are hashes that anybody can present a token for, or that stand for nothing.
var placeholderHashes = map[auth.Credential]bool{
	{}:                         true,
	auth.HashToken(""):         true,
	auth.HashToken("\n"):       true,
	auth.HashToken("changeme"): true,
}

// mintedToken is the length in bytes from which on what begins like a minted token is taken for one.
const mintedToken = 20

// reveals tells whether a name or user id is the secret of a credential: its token or its hash.
func reveals(s string, c auth.Credential) bool {
	if auth.HashToken(s) == c {
		return true
	}
	if len(s) != 2*len(c) {
		return false
	}
	hash, err := auth.ParseCredential(s)
	return err == nil && hash == c
}

// maxName bounds names and user ids, in characters.
const maxName = 128

// operatorPrefix starts the name of whoever acts on the operator's socket; no client may look like one.
const operatorPrefix = "operator:"

// judgeName says why a name or a user id cannot be used; "" when it can.
func judgeName(s string) string {
	switch {
	case utf8.RuneCountInString(s) > maxName:
		return "is longer than 128 characters"
	case strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }):
		return "has a character that cannot be printed"
	case strings.TrimSpace(s) != s:
		return "begins or ends with a blank"
	case strings.HasPrefix(s, operatorPrefix):
		return "begins with operator:, which is kept for the operator"
	case strings.HasPrefix(s, auth.TokenPrefix) && len(s) >= mintedToken:
		return "looks like a token, and stands in logs"
	}
	return ""
}

// shown is a string of the file made safe for a report: quoted, short, and hidden when it could be a
// secret in the wrong place.
func shown(s string) string {
	const most = 48
	if strings.Contains(s, auth.TokenPrefix) || len(s) > most || isHex(s) {
		return "(hidden)"
	}
	return strconv.Quote(s)
}

func isHex(s string) bool {
	const least = 32
	return len(s) >= least && strings.Trim(s, "0123456789abcdefABCDEF") == ""
}
