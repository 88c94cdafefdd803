package store

import (
	"testing"
	"unicode"
)

// TestTablesAreTheDefinition: what is looked up for a character is what its definition says, for
// every character there is. Planes 4 to 13 are empty, and those behind 14 are for private use.
func TestTablesAreTheDefinition(t *testing.T) {
	t.Parallel()
	letters, bases := letters(), baseLetters()
	for c := rune(0); c < 0xf0000; c++ {
		if c == 0x40000 {
			c = 0xe0000
		}
		k := letters.classes[c]
		got := [...]bool{k&plain != 0, k&mark != 0, k&dense != 0, k&ignored != 0}
		want := [...]bool{
			unicode.In(c, unicode.L, unicode.M, unicode.N), unicode.Is(unicode.M, c),
			unicode.In(c, denseScripts...), unicode.Is(ignoredMarks, c),
		}
		if got != want {
			t.Fatalf("%U is %v, want %v", c, got, want)
		}
		text := string(c)
		if k&folds != 0 {
			text = letters.folded[c]
		}
		if want := fold(c, bases); text != want {
			t.Fatalf("%U folds to %q, want %q", c, text, want)
		}
	}
}
