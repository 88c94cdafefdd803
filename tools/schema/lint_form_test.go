package schema

import (
	"regexp"
	"testing"

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
