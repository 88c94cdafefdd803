package secret_test

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

func TestCutValue(t *testing.T) {
	t.Parallel()
	values := these("canary", "123456", `qu"te`)
	for given, want := range map[string]string{
		`null`:                      `null`,
		`true`:                      `true`,
		`"a canary"`:                `"a [secret]"`,
		`"qu\"te"`:                  `"[secret]"`,
		`"in {\"j\":\"qu\\\"te\"}"`: `"in {\"j\":\"[secret]\"}"`,
		`[1,"canary",["canary"]]`:   `[1,"[secret]",["[secret]"]]`,
		`{"a":{"b":"canary"}}`:      `{"a":{"b":"[secret]"}}`,
		`{"my canary":1}`:           `{"my [secret]":1}`,
		`{"canary":"1","%63anary":"2","canar\\u0079":"3","[secret] 2":"4"}`: `{"[secret]":"2","[secret] 2":"4","[secret] 3":"3","[secret] 4":"1"}`,
		`123456`:            `"[secret]"`,
		`[0.123456, 12345]`: `["[secret]",12345]`,
	} {
		decoded, kept, wanted := decode(t, given), decode(t, given), decode(t, want)
		if d := cmp.Diff(wanted, values.CutValue(decoded)); d != "" {
			t.Errorf("%s, -want +got:\n%s", given, d)
		}
		if d := cmp.Diff(kept, decoded); d != "" {
			t.Errorf("%s was changed in place:\n%s", given, d)
		}
	}
}

// What is no decoded JSON is judged by what it is in JSON, and by nothing if it has no form there.
func TestCutValueOfOtherTypes(t *testing.T) {
	t.Parallel()
	values := these("canary", "9007199254740993")
	type line struct {
		Name string `json:"name"`
		Raw  []byte `json:"raw"`
	}
	for name, tt := range map[string]struct{ given, want any }{
		"strings":        {[]string{"a", "canary"}, []any{"a", "[secret]"}},
		"a map":          {map[string]string{"canary": "b"}, map[string]any{"[secret]": "b"}},
		"a struct":       {line{"canary", []byte("canary")}, map[string]any{"name": "[secret]", "raw": "[secret]"}},
		"without secret": {line{"a", nil}, line{"a", nil}},
		"an integer":     {int64(9007199254740993), "[secret]"},
		"another":        {int64(9007199254740995), int64(9007199254740995)},
		"bytes":          {[]byte("canary"), "[secret]"},
		"no form":        {func() {}, "[secret]"},
	} {
		if d := cmp.Diff(tt.want, values.CutValue(tt.given)); d != "" {
			t.Errorf("%s, -want +got:\n%s", name, d)
		}
	}
}

func decode(t testing.TB, text string) (value any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return value
}
