package expr

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// token is the smallest part of a guard that means something. Operators are tokens: they are never found within
// a text or a path.
type token struct {
	kind  tokenKind
	at    int
	text  string // of a word or mark
	value any    // of a literal
	path  Path
}

type tokenKind byte

const (
	ending tokenKind = iota
	word
	mark
	literal
	pathTo
)

// words are all that a guard may contain outside of quotes and paths, but for true, false and null.
var words = []string{"or", "and", "not", "in", "contains", "starts_with", "exists", "len"}

var constants = map[string]any{"true": true, "false": false, "null": nil}

// marks are the operators and brackets that are no words, the longer before its prefix.
var marks = []string{"==", "!=", "<=", ">=", "<", ">", "(", ")", "[", "]", ","}

// foreign is how other languages write what is written differently here.
var foreign = []struct{ text, ours string }{
	{"&&", "and"}, {"||", "or"}, {"=~", "starts_with or contains"}, {"=", "=="}, {"!", "not"}, {"&", "and"}, {"|", "or"},
}

// next moves on to the next token.
func (p *guardParser) next() error {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
	p.token = token{kind: ending, at: p.at}
	if p.at == len(p.text) {
		return nil
	}
	switch c := p.text[p.at]; {
	case c == '$':
		return p.nextPath()
	case c == '\'' || c == '"':
		return p.nextText(c)
	case '0' <= c && c <= '9' || c == '-' || c == '+' || c == '.':
		return p.nextNumber()
	case isLetter(c):
		return p.nextWord()
	}
	return p.nextMark()
}

func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c >= utf8.RuneSelf
}

func (p *guardParser) nextPath() error {
	found, end, err := scanPath(p.text, p.at, p.roots, false)
	if err != nil {
		return err
	}
	p.token.kind, p.token.path, p.at = pathTo, found, end
	return nil
}

func (p *guardParser) nextText(quote byte) error {
	size := strings.IndexByte(p.text[p.at+1:], quote)
	if size < 0 {
		return p.refuse("a text begins here that does not end: its second " + string(quote) + " is missing")
	}
	value := p.text[p.at+1 : p.at+1+size]
	p.token.kind, p.token.value = literal, value
	p.at += size + len(`""`)
	return nil
}

func (p *guardParser) nextNumber() error {
	text := p.run(func(c byte) bool { return isLetter(c) || '0' <= c && c <= '9' || c == '.' || c == '+' || c == '-' })
	n, err := parseNumber(text)
	if err != "" {
		return p.refuse(fmt.Sprintf("%.40q %s", text, err))
	}
	p.token.kind, p.token.value = literal, n
	p.at += len(text)
	return nil
}

// parseNumber reads a decimal number. Like digest.Check it refuses integers that a float64 may not hold, unless
// they are written with an exponent.
func parseNumber(text string) (n float64, problem string) {
	if strings.Trim(text, "0123456789.eE+-") != "" {
		return 0, "is no number"
	}
	n, err := strconv.ParseFloat(text, 64)
	if math.IsInf(n, 0) {
		return 0, "is out of the range of numbers"
	}
	if err != nil {
		return 0, "is no number"
	}
	const largest = "9007199254740992" // 2^53
	if math.Abs(n) >= 1<<53 && !strings.ContainsAny(text, "eE") && strings.Trim(text, "+-") != largest {
		return 0, "is beyond ±2^53, where integers are not exact"
	}
	return n + 0, "" // + 0 makes one zero of both
}

func (p *guardParser) nextWord() error {
	text := p.run(func(c byte) bool { return isLetter(c) || '0' <= c && c <= '9' })
	if value, ok := constants[text]; ok {
		p.token.kind, p.token.value = literal, value
	} else if slices.Contains(words, text) {
		p.token.kind, p.token.text = word, text
	} else {
		return p.refuse(p.unknown(text))
	}
	p.at += len(text)
	return nil
}

// unknown says what is wrong with a word.
func (p *guardParser) unknown(text string) string {
	lower := strings.ToLower(text)
	if _, ok := constants[lower]; ok || slices.Contains(words, lower) {
		return fmt.Sprintf("%s is written %s", text, lower)
	}
	if rest := strings.TrimLeft(p.text[p.at+len(text):], " "); strings.HasPrefix(rest, "(") {
		return fmt.Sprintf("there is no function %.40q: exists and len are all", text)
	}
	return fmt.Sprintf("the bare word %.40q stands for nothing: a text stands in quotes (praxec reads a bare word as null)", text)
}

func (p *guardParser) nextMark() error {
	rest := p.text[p.at:]
	for _, m := range marks {
		if strings.HasPrefix(rest, m) {
			p.token.kind, p.token.text = mark, m
			p.at += len(m)
			return nil
		}
	}
	for _, f := range foreign {
		if strings.HasPrefix(rest, f.text) {
			return p.refuse(fmt.Sprintf("%s means nothing here: write %s", f.text, f.ours))
		}
	}
	return p.refuse(fmt.Sprintf("%q means nothing here", rest[:1]))
}

// run is the bytes from here on that belong together.
func (p *guardParser) run(belongs func(byte) bool) string {
	end := p.at
	for end < len(p.text) && belongs(p.text[end]) {
		end++
	}
	return p.text[p.at:end]
}

// refuse is an error at the token that was begun last.
func (p *guardParser) refuse(text string) error { return &Error{Offset: p.token.at, Text: text} }
