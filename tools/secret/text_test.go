package secret_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"prax/tools/secret"
)

func TestParse(t *testing.T) {
	t.Parallel()
	env := func(name string) (string, bool) { return "<" + name + ">", true }
	for text, want := range map[string]struct {
		names    []string
		resolved string
	}{
		"":                                {nil, ""},
		"plain $HOME {x} $ } $$":          {nil, "plain $HOME {x} $ } $$"},
		"${env:TOKEN}":                    {[]string{"env:TOKEN"}, "<TOKEN>"},
		"Bearer ${env:TOKEN}!":            {[]string{"env:TOKEN"}, "Bearer <TOKEN>!"},
		"${env:A_1}${env:_b}${env:A_1}":   {[]string{"env:A_1", "env:_b"}, "<A_1><_b><A_1>"},
		"$${env:TOKEN}":                   {nil, "${env:TOKEN}"},
		"a$${b$${${env:TOKEN}":            {[]string{"env:TOKEN"}, "a${b${<TOKEN>"},
		"$$${env:TOKEN}":                  {nil, "$${env:TOKEN}"},
		"${env:MCPX}${env:PRAX}${env:XX}": {[]string{"env:MCPX", "env:PRAX", "env:XX"}, "<MCPX><PRAX><XX>"},
	} {
		got, err := secret.Parse(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if d := cmp.Diff(want.names, got.Names(), cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%q, names -want +got:\n%s", text, d)
		}
		if got.String() != text || got.IsLiteral() != (len(want.names) == 0) {
			t.Errorf("%q: %q, literal %t", text, got, got.IsLiteral())
		}
		var values secret.Values
		resolved, err := (&secret.Source{Env: env}).Resolve(got, &values)
		if err != nil || resolved != want.resolved {
			t.Errorf("%q resolves to %q, %v; want %q", text, resolved, err, want.resolved)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		"${":                   `without "}"`,
		"a ${env:TOKEN":        `without "}"`,
		"${}":                  "neither",
		"${TOKEN}":             "neither",
		"${ENV:TOKEN}":         "neither",
		"${ env:TOKEN}":        "neither",
		"${vault:x}":           "neither",
		"${env:A} ${arg:b}":    "neither",
		"${secret:TOKEN}":      "is not there yet",
		"${secret}":            "is not there yet",
		"${env}":               "names no variable",
		"${env:}":              "names no variable",
		"${env:1A}":            "letters",
		"${env:A B}":           "letters",
		"${env:A\x00}":         "letters",
		"${env:Ä}":             "letters",
		"${env:A:-default}":    "letters",
		"${env:MCP_TOKEN}":     "the server itself",
		"${env:PRAX_DATA}":     "the server itself",
		"${env:prax_data}":     "the server itself",
		"${file:}":             "absolute",
		"${file:token}":        "absolute",
		"${file:./token}":      "absolute",
		"${file:~/token}":      "absolute",
		"${file:/tok\x00en}":   "NUL",
		"${env:A${env:B}}":     "letters",
		"$$${${x}":             "neither",
		"$${ok} ${env:PRAX_A}": "the server itself",
	} {
		got, err := secret.Parse(text)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %q, %v; want an error that says %q", text, got, err, says)
		}
	}
}
