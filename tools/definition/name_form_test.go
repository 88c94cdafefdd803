package definition

import (
	"regexp"
	"testing"

	"pgregory.net/rapid"
)

// TestIsID: the form of a workflow's name, told otherwise.
func TestIsID(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./-]{0,127}$`)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.StringMatching(`[A-Za-z0-9_./-]{0,130}`), rapid.StringMatching(`[a-z./-]{0,3}(.|\n)[a-z]{0,3}`), rapid.String()).Draw(t, "name")
		if got := isID(name); got != form.MatchString(name) {
			t.Errorf("%q: %v", name, got)
		}
	})
}
