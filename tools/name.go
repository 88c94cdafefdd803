package tools

import (
	"errors"
	"strings"

	"prax/auth"
)

// nameLetters are what the name of a tool has.
const nameLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"

// Spelling is how name looks to a caller of that spelling.
func Spelling(name string, s auth.Spelling) string {
	return s.Of(name)
}

// NoToken is a name as records may have it: a caller can put its token where a tool's name belongs.
func NoToken(asked string) string {
	if strings.Contains(asked, auth.TokenPrefix) || strings.Contains(asked, auth.SignedPrefix) {
		return "(a token)"
	}
	return asked
}

var folder = strings.NewReplacer(".", "", "_", "", "-", "")

// fold is what two names must not share: they would look like one tool to a reader, and in some
// client be one.
func fold(name string) string { return folder.Replace(strings.ToLower(name)) }

// Alike tells whether two names cannot be told apart, and so cannot both be tools: case, dots, _ and - aside
// they are one.
func Alike(a, b string) bool { return fold(a) == fold(b) }

// IsName tells whether a name can be one of a tool: 1 to 64 letters, digits, dots, _ or -.
func IsName(name string) bool {
	return name != "" && len(name) <= 64 && strings.Trim(name, nameLetters) == ""
}

func checkName(name string) error {
	if !IsName(name) {
		return errors.New("the name must be 1 to 64 letters, digits, dots, _ or -")
	}
	return nil
}
