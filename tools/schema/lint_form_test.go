package schema

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestIsPropertyName: the form of a name, told otherwise.
func TestIsPropertyName(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.StringMatching(`[A-Za-z0-9_.-]{0,66}`), rapid.StringMatching(`[a-z]{0,3}(.|\n)[a-z]{0,3}`), rapid.String()).Draw(t, "name")
		if got := isPropertyName(name); got != form.MatchString(name) {
			t.Errorf("%q: %v", name, got)
		}
	})
}

// TestCompileLinted: it is what Lint and Compile say of the same text.
func TestCompileLinted(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"type":"object","properties":{"a b":{"$ref":"#/$defs/a"}},"$defs":{"a":true}}`, `{"type":"object"}`, `true`, `{"type":7}`, `{`, ``, `{"$id":"x","anyOf":[{}]}`,
	} {
		s, found, err := CompileLinted([]byte(text))
		want, wantErr := Compile([]byte(text))
		if diff := cmp.Diff(Lint([]byte(text)), found); diff != "" {
			t.Errorf("%s:\n%s", text, diff)
		}
		if (s == nil) != (want == nil) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("%s: %v, %v, want %v, %v", text, s, err, want, wantErr)
		}
	}
}
