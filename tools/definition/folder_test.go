package definition_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/tools/definition"
)

// tree writes files, by their paths within a folder of its own.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// flow is a workflow of this title that goes nowhere.
func flow(title string) string {
	return "{ title: " + title + ", initialState: s, states: { s: { terminal: true } } }"
}

// loaded is the set of files that are all right.
func loaded(t testing.TB, path string) *definition.Set {
	t.Helper()
	set, problems := definition.Load(path, kinds, own...)
	if set == nil || len(problems) > 0 {
		t.Fatalf("%s: problems %v", path, problems)
	}
	return set
}

// within are the files of a set, as they are named below a folder.
func within(dir string, set *definition.Set) (names []string) {
	for _, name := range set.Files {
		names = append(names, strings.TrimPrefix(name, dir+"/"))
	}
	return names
}

// TestInclude: files are merged in order and the main one last: objects member by member, lists one after the other,
// anything else as the later one says. A file that is included on two ways counts once.
func TestInclude(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{
		"main.yaml": "version: \"1.0.0\"\ninclude: [ sub/a.yaml, b.json ]\nworkflows: { w: { title: main, tags: [main] } }\n",
		"sub/a.yaml": "include: [ ../base.yml ]\nworkflows:\n  w: { title: a, description: from a, tags: [a] }\n" +
			"  a: " + flow("A") + "\n",
		"b.json":      `{"version": "1", "include": ["base.yml"], "workflows": {"w": {"title": "b", "tags": ["b"]}}}`,
		"base.yml":    "workflows:\n  w: { title: base, tags: [base], initialState: s, states: { s: { terminal: true } } }\n",
		"unread.yaml": "rubbish: [",
	})
	set := loaded(t, filepath.Join(dir, "main.yaml"))
	w := set.Definition("w")
	got := fmt.Sprint(w.Title, w.Description, w.Tags, len(set.Definitions))
	if want := "main" + "from a" + "[base a b main] 2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if diff := cmp.Diff([]string{"main.yaml", "sub/a.yaml", "base.yml", "b.json"}, within(dir, set)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if len(set.Digest) != 64 {
		t.Errorf("digest %q", set.Digest)
	}
}

// TestFolder: the files of a folder are merged in the order of their names; what is hidden, left over by an editor, or
// something else is not read.
func TestFolder(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{
		"10-first.yaml": "version: \"1\"\nworkflows: { w: " + flow("first") + " }\n",
		"20-second.yml": "include: [ parts/part.yaml ]\nworkflows: { w: { title: second } }\n",
		"30-third.json": `{"workflows": {"third": {"initialState": "s", "states": {"s": {"terminal": true}}}}}`,

		"parts/part.yaml": "workflows: { part: " + flow("part") + " }\n",
		"parts/off.yaml":  "rubbish: [",
		".hidden.yaml":    "rubbish: [", "#20-second.yml#": "rubbish: [", "20-second.yml~": "rubbish: [", ".#20-second.yml": "rubbish: [",
		"20-second.yml.swp": "rubbish: [", "#x.yaml": "rubbish: [", "README.md": "# rubbish: [",
	})
	set := loaded(t, dir)
	var ids []string
	for _, d := range set.Definitions {
		ids = append(ids, d.ID+" "+d.Title)
	}
	if diff := cmp.Diff([]string{"w second", "part part", "third "}, ids); diff != "" {
		t.Errorf("definitions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"10-first.yaml", "20-second.yml", "parts/part.yaml", "30-third.json"}, within(dir, set)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// TestMountedFolder: files that are links within the folder, as a mounted volume has them.
func TestMountedFolder(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{
		"..2026/praxec.yaml": "version: \"1\"\ninclude: [ more.yaml ]\n",
		"..2026/more.yaml":   "workflows: { more: " + flow("M") + " }\n",
	})
	for link, to := range map[string]string{"..data": "..2026", "praxec.yaml": "..data/praxec.yaml", "more.yaml": "..data/more.yaml"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{dir, filepath.Join(dir, "praxec.yaml")} {
		if set := loaded(t, path); len(set.Definitions) != 1 || set.Definitions[0].ID != "more" || len(set.Files) != 2 {
			t.Errorf("%s: %+v", path, set)
		}
	}
}

// TestRefusedIncludes: nothing is read that lies outside, is no file, includes itself, or is not what was said.
func TestRefusedIncludes(t *testing.T) {
	t.Parallel()
	outside := tree(t, map[string]string{"secret.yaml": "version: \"1\"\n"})
	main := func(include string) map[string]string {
		return map[string]string{"main.yaml": "version: \"1\"\ninclude:\n  - " + include + "\n", "ok.yaml": "version: \"1\"\n", "sub/ok.yaml": "{}"}
	}
	sum := sha256.Sum256([]byte("version: \"1\"\n"))
	right := "sha256:" + hex.EncodeToString(sum[:])
	for name, tt := range map[string]struct {
		include string
		want    string // "" for none
	}{
		"a file beside it":         {"ok.yaml", ""},
		"a file below":             {"./sub/ok.yaml", ""},
		"a file by its whole path": {"DIR/ok.yaml", ""},
		"above":                    {"../OUT/secret.yaml", "3:5 file-outside: lies outside the folder"},
		"a whole path elsewhere":   {outside + "/secret.yaml", "3:5 file-outside: lies outside the folder"},
		"a link that leads out":    {"link.yaml", "3:5 file-outside: lies outside the folder"},
		"through a linked folder":  {"away/secret.yaml", "3:5 file-outside: lies outside the folder"},
		"a link to itself":         {"loop.yaml", "3:5 file-unreadable: cannot resolve"},
		"missing":                  {"none.yaml", `3:5 file-missing: include "none.yaml": the file does not exist`},
		"a folder":                 {"sub", "3:5 file-not-regular: a directory"},
		"a pipe":                   {"pipe", "3:5 file-not-regular: not a regular file"},
		"itself":                   {"main.yaml", "3:5 include-cycle: includes itself"},
		"itself, through a link":   {"self.yaml", "3:5 include-cycle: includes itself"},
		"nothing":                  {`""`, "3:5 bad-value: is empty"},
		"a number":                 {"5", "3:5 wrong-type: must be an object, is a number"},
		"an address":               {"https://example.org/a.yaml", "3:5 UNSUPPORTED_INCLUDE_URI_SCHEME: only local files are included"},
		"a remote one":             {"{ uri: \"https://example.org/a.yaml\", hash: " + right + " }", "3:7 UNSUPPORTED_INCLUDE_URI_SCHEME: only local files are included"},
		"from a repository":        {"{ uri: \"git+https://example.org/r@main#a.yaml\" }", "3:7 UNSUPPORTED_INCLUDE_URI_SCHEME: only local files are included"},
		"a file of another host":   {"{ uri: \"file://example.org/a.yaml\" }", "3:7 UNSUPPORTED_INCLUDE_URI_SCHEME: only local files are included"},
		"with its hash":            {"{ uri: ok.yaml, hash: " + right + " }", ""},
		"as a file URI":            {"{ uri: \"file://DIR/ok.yaml\", hash: " + right + " }", ""},
		"with another hash":        {"{ uri: ok.yaml, hash: \"sha256:" + strings.Repeat("0", 64) + "\" }", "3:5 INCLUDE_HASH_MISMATCH: its hash is " + right},
		"with a hash of MD5":       {"{ uri: ok.yaml, hash: \"md5:00\" }", "3:21 bad-value: must be sha256: and 64 hexadecimal digits"},
		"without a uri":            {"{ hash: " + right + " }", "3:5 missing-key: has no uri"},
		"a near key":               {"{ url: ok.yaml }", `3:7 unknown-key: did you mean "uri"?`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := main(tt.include)
			dir := tree(t, files)
			for link, to := range map[string]string{"link.yaml": outside + "/secret.yaml", "away": outside, "loop.yaml": "loop.yaml", "self.yaml": "main.yaml"} {
				if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
					t.Fatal(err)
				}
			}
			if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "main.yaml")
			text := strings.NewReplacer("DIR", dir, "../OUT", "../"+filepath.Join("..", filepath.Base(filepath.Dir(outside)), filepath.Base(outside))).Replace(files["main.yaml"])
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if tt.want == "" {
				loaded(t, path)
				return
			}
			refused(t, path, []string{tt.want})
		})
	}
}

// TestIncludeCycle: of several files is one, and a problem within an included file is told there.
func TestIncludeCycle(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{
		"main.yaml": "version: \"1\"\ninclude: [ a.yaml ]\n", "a.yaml": "include: [ b.yaml ]\n", "b.yaml": "\ninclude: [ a.yaml ]\n",
		"wrong.yaml": "version: \"1\"\ninclude: [ in.yaml ]\n", "in.yaml": "lexicon: {}\nworkflow: {}\n",
		"list.yaml": "version: \"1\"\ninclude: [ one.yaml ]\n", "one.yaml": "- 1\n",
		"broken.yaml": "version: \"1\"\ninclude: [ half.yaml ]\n", "half.yaml": "x: [\n",
	})
	for main, want := range map[string]string{
		"main.yaml":   "b.yaml:2:12: error: include \"a.yaml\": includes itself",
		"wrong.yaml":  "in.yaml:2:1: error: \"workflow\" is not known in the file: did you mean \"workflows\"?",
		"list.yaml":   "one.yaml:1:1: error: the file must be an object, is a list",
		"broken.yaml": "half.yaml:2:1: error: is not YAML",
	} {
		_, problems := definition.Load(filepath.Join(dir, main), kinds, own...)
		if len(problems) != 1 || !strings.HasPrefix(problems[0].String(), filepath.Join(dir, want)) {
			t.Errorf("%s: %v\nwant %s", main, problems, want)
		}
	}
}

// TestManyFiles: the files of a configuration are bounded together.
func TestManyFiles(t *testing.T) {
	t.Parallel()
	files, large := map[string]string{}, map[string]string{}
	for i := range 1001 {
		files[fmt.Sprintf("%04d.yaml", i)] = "version: \"1\"\n"
	}
	for i := range 5 {
		large[fmt.Sprintf("%d.json", i)] = "{\"version\": \"" + strings.Repeat("1", 4<<20-100) + "\"}\n"
	}
	for _, files := range []map[string]string{files, large} {
		_, problems := definition.Load(tree(t, files), kinds, own...)
		if len(problems) != 1 || problems[0].Code != definition.TooManyFiles {
			t.Errorf("problems %v", problems)
		}
	}
}
