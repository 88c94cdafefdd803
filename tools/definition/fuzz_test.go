package definition_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/store/digest"
	"prax/tools/definition"
	"prax/tools/schema"
)

// FuzzLoad: whatever the file is, loading it ends, gives either a set or an error with a place within the file; every
// tool of a good file is whole: its schemas can be served and have one canonical form; and the text of every definition
// compiles to the same again.
func FuzzLoad(f *testing.F) {
	for _, name := range []string{"gate", "guards", "hello", "steps", "words", "wrapped", "chain", "evidence", "effects"} {
		text, err := os.ReadFile(filepath.Join("testdata", name+".yaml"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, false)
	}
	f.Add([]byte(wholeJSON), true)
	for _, seed := range []string{whole, one(""), "a: &a [x]\nb: [*a, *a]\n", "version: &v [*v]", "a: !!binary x", "<<: {}", "- ? a\n", "%YAML 1.1\n---\na: 1", "a: |\n  x\n ...", "\"\\x00\": 1"} {
		f.Add([]byte(seed), false)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte, isJSON bool) {
		path := filepath.Join(dir, "praxec.yaml")
		if isJSON {
			path = filepath.Join(dir, "praxec.json")
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		set, problems := definition.Load(path, kinds, own...)
		if (set == nil) != problems.Fail() {
			t.Fatalf("set %v with problems %v", set, problems)
		}
		lines := 2
		for _, c := range text {
			if c == '\n' || c == '\r' || c >= 0x80 { // YAML ends lines with U+0085, U+2028 and U+2029 too
				lines++
			}
		}
		for _, p := range problems {
			if p.Line < 0 || p.Line > lines || p.Column < 0 || len(p.Text) > 8000 || p.Code == "" {
				t.Fatalf("problem %+v of %d lines", p, lines)
			}
		}
		if set == nil {
			return
		}
		for _, one := range set.Tools {
			if _, err := schema.Compile(one.Input); err != nil || one.Handler == nil || one.Description == "" {
				t.Fatalf("tool %+v: %v", one, err)
			}
			if _, err := digest.Canonical(one.Input); err != nil {
				t.Fatalf("schema %s: %v", one.Input, err)
			}
		}
		for _, d := range set.Definitions {
			again, err := definition.Decode(d.Text, kinds)
			if err != nil {
				t.Fatalf("%s: %v", d.Text, err)
			}
			if diff := cmp.Diff(describe(d), describe(again)); diff != "" || d.Hash != again.Hash || d.State(d.Initial) == nil {
				t.Fatalf("%s (-file +text):\n%s", d.Text, diff)
			}
		}
	})
}
