package secret_test

import (
	"bytes"
	"encoding/base64"
	stdjson "encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"prax/tools/secret"
)

func TestCut(t *testing.T) {
	t.Parallel()
	const key = "p/s+s w\"r\\d=ü&\n<1>"
	basic := base64.StdEncoding.EncodeToString
	for name, tt := range map[string]struct {
		secrets []string
		text    string
		want    string
	}{
		"nothing in it":                 {[]string{key}, "a text", "a text"},
		"empty":                         {[]string{key}, "", ""},
		"no secrets":                    {nil, "a text", "a text"},
		"short ones are no match":       {[]string{"", "a", "abc"}, "abc", "abc"},
		"verbatim":                      {[]string{key}, "<" + key + ">", "<[secret]>"},
		"all of it":                     {[]string{key}, key, "[secret]"},
		"twice":                         {[]string{"abcd"}, "abcdabcd", "[secret][secret]"},
		"overlapping itself":            {[]string{"abab"}, "xababababx", "x[secret]x"},
		"one in the other":              {[]string{"bcde", "abcdef"}, "abcdef bcde", "[secret] [secret]"},
		"overlapping":                   {[]string{"abcd", "cdef"}, "xabcdefx", "x[secret]x"},
		"touching":                      {[]string{"abcd", "efgh"}, "xabcdefghx", "x[secret][secret]x"},
		"without its blanks":            {[]string{" \tabcdef\n"}, "X-Echo: abcdef;", "X-Echo: [secret];"},
		"percent, lower and upper case": {[]string{key}, "?a=p%2fs%2Bs%20w%22r%5cd%3D%C3%bc%26%0a%3c1%3e&b", "?a=[secret]&b"},
		"more escaped than need be":     {[]string{"abcd"}, "%61b%63%64!", "[secret]!"},
		"a form":                        {[]string{"a b+c"}, "x=a+b%2Bc&y=a%20b+c", "x=[secret]&y=[secret]"},
		"JSON in ASCII":                 {[]string{"züri\U0001F511ch"}, `{"a":"z\u00fcri\ud83d\udd11ch"}`, `{"a":"[secret]"}`},
		"JSON, upper case digits":       {[]string{"züri\U0001F511ch"}, `z\u00FCri\uD83D\uDD11ch`, `[secret]`},
		"JSON, more than need be":       {[]string{"abcd"}, `\u0061b\u0063d`, `[secret]`},
		"JSON with slashes":             {[]string{"a/b/c/d"}, `"a\/b/c\/d"`, `"[secret]"`},
		"a broken escape before":        {[]string{"abcd"}, `\u00abcd %ab%abcd \`, `\u00[secret] %ab%[secret] \`},
		"basic authentication":          {[]string{"password"}, "Basic " + basic([]byte("user:password")), "Basic dXNlcjp[secret]A=="},
		"base64 in a longer one":        {[]string{"password"}, basic([]byte(`{"k":"password","l":1}`)), "eyJrIjoi[secret]iLCJsIjoxfQ=="},
		"base64 in a URL":               {[]string{"??>>??"}, "a=Pz8%2BPj8%2F&b", "a=[secret]&b"},
		"base64 for URLs":               {[]string{"??>>??"}, "a=Pz8-Pj8_&b", "a=[secret]&b"},
		"invalid UTF-8 around":          {[]string{"abcd"}, "\xff\xfeabcd\xff", "\xff\xfe[secret]\xff"},
		"invalid UTF-8 itself":          {[]string{"a\xff\xfeb"}, "a\xff\xfeb a\ufffd\ufffdb a%ff%FEb", "[secret] [secret] [secret]"},
		"NUL":                           {[]string{"a\x00bc"}, `a` + "\x00" + `bc a\u0000bc`, "[secret] [secret]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given := []byte(tt.text)
			if got := string(these(tt.secrets...).Cut(given)); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
			if string(given) != tt.text {
				t.Errorf("the text given became %q", given)
			}
		})
	}
}

// encodings are what Cut promises to find, made by others than itself.
var encodings = map[string]func(string) string{
	"verbatim":       func(s string) string { return s },
	"query":          url.QueryEscape,
	"path":           url.PathEscape,
	"JSON":           func(s string) string { b, _ := jsontext.AppendQuote(nil, s); return string(b[1 : len(b)-1]) },
	"JSON for HTML":  func(s string) string { b, _ := stdjson.Marshal(s); return string(b[1 : len(b)-1]) },
	"base64":         func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64 raw":     func(s string) string { return base64.RawStdEncoding.EncodeToString([]byte(s)) },
	"base64 URL":     func(s string) string { return base64.URLEncoding.EncodeToString([]byte(s)) },
	"base64 raw URL": func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
}

// No encoding of a secret survives, wherever it stands and whatever stands around it; and what is not part of one does.
func TestCutNothingSurvives(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		// Without what the mark is made of: a secret could begin in one and go on behind it.
		unlike := func(s string) bool { return len(strings.TrimSpace(s)) >= 4 && !strings.ContainsAny(s, "[]") }
		some := rapid.OneOf(rapid.StringN(4, 12, -1), rapid.StringMatching(`[ab\\/%+ü" n2]{4,9}`)).Filter(unlike)
		secrets := rapid.SliceOfN(some, 1, 3).Draw(t, "secrets")
		noise := rapid.OneOf(rapid.StringMatching(`[ab\\/%+ü" nu025]{0,6}`), rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 6),
			func(b []byte) string { return string(b) }))
		var text strings.Builder
		for range rapid.IntRange(0, 6).Draw(t, "pieces") {
			text.WriteString(noise.Draw(t, "noise"))
			name := rapid.SampledFrom(slices.Sorted(maps.Keys(encodings))).Draw(t, "encoding")
			text.WriteString(encodings[name](rapid.SampledFrom(secrets).Draw(t, "secret")))
		}
		text.WriteString(noise.Draw(t, "noise"))
		values := these(secrets...)
		cut := values.CutString(text.String())
		for _, s := range secrets {
			for name, encode := range encodings {
				if strings.Contains(cut, encode(s)) {
					t.Fatalf("%q in %s is in %q, cut from %q", s, name, cut, text.String())
				}
			}
		}
		if rest := strings.Split(cut, "[secret]"); !isMadeOf(text.String(), rest) {
			t.Fatalf("%q is not what is left of %q", rest, text.String())
		}
		if again := values.CutString(cut); again != cut {
			t.Fatalf("cut again: %q, was %q", again, cut)
		}
	})
}

// isMadeOf tells that the pieces stand in the text in this order.
func isMadeOf(text string, pieces []string) bool {
	if !strings.HasPrefix(text, pieces[0]) || !strings.HasSuffix(text, pieces[len(pieces)-1]) {
		return false
	}
	for _, p := range pieces {
		at := strings.Index(text, p)
		if at < 0 {
			return false
		}
		text = text[at+len(p):]
	}
	return true
}

// What was kept of an output may end inside a secret: no beginning of one is left.
func TestCutTruncated(t *testing.T) {
	t.Parallel()
	for name, encode := range encodings {
		const key = "k3y/of+the \"house\""
		whole := "output: " + encode(key)
		for n := range len(whole) {
			got := string(these(key).CutTruncated([]byte(whole[:n])))
			if n <= len("output: ") {
				continue
			}
			if got != "output: [secret]" {
				t.Errorf("%s: %q of %q", name, got, whole[:n])
			}
		}
	}
	if got := string(these("abcd").CutTruncated([]byte("abcd abc"))); got != "[secret] [secret]" {
		t.Errorf("%q", got)
	}
	if got := string(these("abcd").CutTruncated([]byte("abcd x"))); got != "[secret] x" {
		t.Errorf("%q", got)
	}
}

// A text made to be slow is not: a megabyte of anything is cut while a caller waits.
func TestCutIsLinear(t *testing.T) {
	t.Parallel()
	periodic := strings.Repeat("a", 2000)
	for name, unit := range map[string]string{
		"all of it one secret": "a", "almost": strings.Repeat("a", 1999) + "b", "escapes": `\u0061%61+`, "half escapes": `\u006%6\`,
	} {
		values := these(periodic, periodic[:1000]+"b", "some other one")
		text := []byte(strings.Repeat(unit, 1<<20/len(unit)))
		began := time.Now()
		values.Cut(text)
		values.CutTruncated(text)
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%s: %v", name, took)
		}
	}
}

// nil has no secrets, and so has the zero value.
func TestNoValues(t *testing.T) {
	t.Parallel()
	for _, v := range []*secret.Values{nil, {}} {
		text := []byte(`\u0061 %41 +`)
		if got := v.Cut(text); !bytes.Equal(got, text) {
			t.Errorf("%q", got)
		}
		if got := v.CutTruncated(text); !bytes.Equal(got, text) {
			t.Errorf("%q", got)
		}
		if got := v.CutValue("a"); got != "a" {
			t.Errorf("%q", got)
		}
	}
}

func BenchmarkCut(b *testing.B) {
	values := these("ghp_1234567890abcdefghij", "p/s+s w\"rd", strings.Repeat("key material ", 200))
	for name, unit := range map[string]string{"text": "lorem ipsum dolor sit amet ", "escapes": `{"a":"b\n%20c"} `} {
		text := []byte(strings.Repeat(unit, 1<<20/len(unit)))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				values.Cut(text)
			}
		})
	}
}
