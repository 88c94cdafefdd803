package secret

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf16"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// plain are the forms of a secret that are looked for wherever something can be decoded: itself, first, and its base64.
func plain(secret string) []string {
	all := append([]string{secret}, inBase64(secret)...)
	if valid := string([]rune(secret)); valid != secret {
		all = append(all, valid) // what JSON makes of bytes that are no UTF-8
	}
	return all
}

// escaped are the forms of a secret that are looked for as they stand.
func escaped(secret string) []string {
	query, path := url.QueryEscape(secret), url.PathEscape(secret)
	all := []string{query, path, strings.ReplaceAll(query, "+", "%20"), lowerEscapes(query), lowerEscapes(path)}
	return append(all, inJSON(secret)...)
}

// lowerEscapes has the hex digits of what url escaped in lower case.
func lowerEscapes(s string) string {
	var b strings.Builder
	for rest := s; ; {
		before, after, found := strings.Cut(rest, "%")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		b.WriteString("%" + strings.ToLower(after[:2]))
		rest = after[2:]
	}
}

// inJSON is the inside of the JSON string: escaped as little as there may be, with the slash, for HTML, and in ASCII.
func inJSON(secret string) []string {
	least := quote(secret)
	return []string{
		least,
		strings.ReplaceAll(least, "/", `\/`),
		quote(secret, jsontext.EscapeForHTML(true), jsontext.EscapeForJS(true)),
		inASCII(least),
	}
}

func quote(s string, options ...json.Options) string {
	text, err := json.Marshal(s, append(options, jsontext.AllowInvalidUTF8(true))...)
	if err != nil {
		return s // a string can always be quoted
	}
	return string(text[1 : len(text)-1])
}

func inASCII(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < 0x80 {
			b.WriteByte(byte(r))
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// inBase64 is the secret alone, padded or not, in both alphabets, and what is the same of it wherever it stands in
// something longer, such as the credentials of basic authentication.
func inBase64(secret string) []string {
	padded := base64.StdEncoding.EncodeToString([]byte(secret))
	all := []string{padded, strings.TrimRight(padded, "=")}
	for before := range 3 {
		text := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("\x00", before) + secret))
		first := (before*8 + 5) / 6             // the first digit that has nothing of what is before
		after := (before + len(secret)) * 8 / 6 // the first one that has something of what is after
		all = append(all, text[first:after])
	}
	forURL := strings.NewReplacer("+", "-", "/", "_")
	for _, s := range all {
		all = append(all, forURL.Replace(s))
	}
	return all
}
