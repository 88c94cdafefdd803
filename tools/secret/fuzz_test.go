package secret_test

import (
	"bytes"
	"strings"
	"testing"

	"prax/tools/secret"
)

// What is accepted is kept as it was written, refers to nothing of the server's, and a literal one resolves alone.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "a", "${env:A}", "$${env:A}", "${file:/a}", "${secret:A}", "$$${${", "${env:PRAX_A}", "${"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := secret.Parse(text)
		if err != nil {
			return
		}
		if parsed.String() != text {
			t.Errorf("%q became %q", text, parsed)
		}
		for _, name := range parsed.Names() {
			kind, rest, _ := strings.Cut(name, ":")
			upper := strings.ToUpper(rest)
			if kind == "env" && (strings.HasPrefix(upper, "MCP_") || strings.HasPrefix(upper, "PRAX_")) ||
				kind == "file" && !strings.HasPrefix(rest, "/") || kind != "env" && kind != "file" {
				t.Errorf("%q refers to %q", text, name)
			}
		}
		if !parsed.IsLiteral() {
			return
		}
		resolved, err := (&secret.Source{}).Resolve(parsed, nil)
		if err != nil || resolved != strings.ReplaceAll(text, "$${", "${") {
			t.Errorf("%q resolves to %q, %v", text, resolved, err)
		}
	})
}

// Whatever the bytes are, a secret among them goes, and cutting ends.
func FuzzCut(f *testing.F) {
	f.Add([]byte("canary"), []byte("a "), []byte(" b"))
	f.Add([]byte("\xff\xfe\x00\n"), []byte(`\u00`), []byte(`%4`))
	f.Add([]byte("aaaa"), []byte("aa"), []byte("aaa+%61\\"))
	f.Fuzz(func(t *testing.T, key, before, after []byte) {
		text := bytes.Join([][]byte{before, key, after}, nil)
		values := these(string(key))
		cut := values.Cut(text)
		values.CutTruncated(text)
		values.CutValue(string(text))
		if len(key) >= 4 && !bytes.ContainsAny(key, "[]") && !strings.Contains("secret", string(key)) && bytes.Contains(cut, key) {
			t.Errorf("%q is in %q", key, cut)
		}
	})
}
