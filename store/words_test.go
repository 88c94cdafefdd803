package store_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"prax/store"
)

func TestTokens(t *testing.T) {
	t.Parallel()
	tests := map[string][]string{
		"":                     nil,
		" \t.,;!? -- / ":       nil,
		"Hello, World":         {"hello", "world"},
		"POL-358":              {"pol", "358"},
		"don't":                {"don", "t", "dont"},
		"l’École":              {"l", "ecole", "lecole"},
		"'quoted'":             {"quoted"},
		"a/b x:y 20.04":        {"a", "b", "x", "y", "20", "04"},
		"the the":              {"the", "the"},
		"naïve Ångström":       {"naive", "angstrom"},
		"nai\u0308ve":          {"naive"},
		"Straße ẞ œuvre Þór":   {"strasse", "ss", "oeuvre", "thor"},
		"Łódź Ørsted đ":        {"lodz", "orsted", "d"},
		"İstanbul ısı":         {"istanbul", "isi"},
		"ΟΔΥΣΣΕΎΣ οδυσσεύς":    {"οδυσσευσ", "οδυσσευσ"},
		"Ёлка ёлка":            {"елка", "елка"},
		"ﬁne ＡＢＣ１２":            {"fine", "abc12"},
		"東京都":                  {"東", "東京", "京", "京都", "都"},
		"東 go京":                {"東", "go", "京"},
		"カード":                  {"カ", "カー", "ー", "ード", "ド"},
		"한국어":                  {"한", "한국", "국", "국어", "어"},
		"हिन्दी":               {"हिन्दी"},
		"שָׁלוֹם":              {"שלום"},
		"مُحَمَّد":             {"محمد"},
		"soft\u00adhyphen":     {"softhyphen"},
		"zero\u200bwidth":      {"zerowidth"},
		"bad\xffbytes":         {"bad", "bytes"},
		"snake_case":           {"snake", "case"},
		"🦊":                    nil,
		"x²":                   {"x²"},
		"\x00\"*^:(){}+-AND\\": {"and"},
	}
	for text, want := range tests {
		if diff := cmp.Diff(want, store.Tokens(text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestQueryWords(t *testing.T) {
	t.Parallel()
	tests := map[string][]store.Word{
		"":          nil,
		"a":         {{Text: "a", Prefix: true}},
		"red app":   {{Text: "red"}, {Text: "app", Prefix: true}},
		"app red ":  {{Text: "app"}, {Text: "red", Prefix: true}},
		"POL-358":   {{Text: "pol"}, {Text: "358", Prefix: true}},
		"don't":     {{Text: "dont", Prefix: true}},
		"東":         {{Text: "東"}},
		"東京":        {{Text: "東京"}},
		"東京都":       {{Text: "東京"}, {Text: "京都"}},
		"go 東京":     {{Text: "go"}, {Text: "東京"}},
		"東京 go":     {{Text: "東京"}, {Text: "go", Prefix: true}},
		"the the":   {{Text: "the", Prefix: true}},
		"b a b":     {{Text: "b"}, {Text: "a"}},
		"\"* OR ()": {{Text: "or", Prefix: true}},
	}
	for text, want := range tests {
		if diff := cmp.Diff(want, store.QueryWords(text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
	if got := store.QueryWords(strings.Repeat("w1 w2 x3 ", 5000) + many(5000)); len(got) > store.MaxQueryWords {
		t.Errorf("%d words, want at most %d", len(got), store.MaxQueryWords)
	}
}

func many(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteRune(rune('a' + i%26))
		b.WriteRune(rune('a' + i/26%26))
		b.WriteByte(' ')
	}
	return b.String()
}

// TestLongWords: a word beyond the bound is found all the same.
func TestLongWords(t *testing.T) {
	t.Parallel()
	for _, word := range []string{strings.Repeat("a", 500), strings.Repeat("é", 500), strings.Repeat("हि", 300)} {
		for _, token := range store.Tokens(word) {
			if len(token) > store.MaxWordBytes || !utf8.ValidString(token) {
				t.Errorf("token of %d bytes %q", len(token), token)
			}
		}
		words := store.QueryWords(word)
		if len(words) != 1 || !slices.ContainsFunc(store.Tokens(word), words[0].Matches) {
			t.Errorf("%.20q is not found by itself", word)
		}
	}
}

// FuzzWords: tokens are plain, and every text is found by itself and by each of its words.
func FuzzWords(f *testing.F) {
	for _, text := range []string{"don't", "POL-358", "L'École d'été", "東京都 go", "\xff\xfe", "a\u0301b", "'''a'''b'", "ﬁ ẞ İ ŉ ǰ ΐ", "हिन्दी", "ｶﾞ", "褨्䥀"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkWords(t, text) })
}

func checkWords(t interface{ Fatalf(string, ...any) }, text string) {
	tokens := store.Tokens(text)
	for _, token := range tokens {
		if token == "" || len(token) > store.MaxWordBytes || !utf8.ValidString(token) {
			t.Fatalf("%q has the token %q", text, token)
		}
		for _, c := range token {
			if !unicode.In(c, unicode.L, unicode.M, unicode.N) || c < utf8.RuneSelf && unicode.IsUpper(c) {
				t.Fatalf("%q has the token %q", text, token)
			}
		}
		if again := store.Tokens(token); !slices.Contains(again, token) {
			t.Fatalf("the token %q of %q becomes %q", token, text, again)
		}
	}
	words := store.QueryWords(text)
	if (len(words) == 0) != (len(tokens) == 0) {
		t.Fatalf("%q has tokens %q and words %v", text, tokens, words)
	}
	for _, word := range words {
		if !slices.ContainsFunc(tokens, word.Matches) {
			t.Fatalf("%q is not found by its own word %+v: %q", text, word, tokens)
		}
	}
}

// TestFoldingIsCaseless: however a text is written, it has the same tokens.
func TestFoldingIsCaseless(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom(nil, unicode.Latin, unicode.Greek, unicode.Cyrillic)).Draw(r, "text")
		checkWords(r, text)
		if diff := cmp.Diff(store.Tokens(text), store.Tokens(strings.ToLower(strings.ToUpper(text)))); diff != "" && !strings.ContainsAny(text, "ı\u0345") {
			r.Fatalf("%q (-as is +after upper and lower):\n%s", text, diff)
		}
	})
}
