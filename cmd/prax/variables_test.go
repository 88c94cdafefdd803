package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const exampleEnv = "../../config.example.env"

// TestExampleEnv: config.example.env lists exactly the settings there are, each with its default and
// its line. -update writes it.
func TestExampleEnv(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("# Every setting of prax and its default. Copy this file to config.env, which prax reads from its\n" +
		"# working directory (--env names another), and uncomment what you change. The environment overrides\n" +
		"# the file, flags override both. An empty value is as good as none.\n")
	for _, v := range variables {
		fmt.Fprintf(&b, "\n# %s\n#%s=%s\n", v.note, v.name, v.initial)
	}
	if *update {
		if err := os.WriteFile(exampleEnv, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(exampleEnv)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b.String(), string(got)); diff != "" {
		t.Errorf("config.example.env differs from the table (-want +got); go test -update writes it:\n%s", diff)
	}
}

// TestExampleEnvLoads: uncommented as it stands, the example is a valid configuration equal to the
// defaults.
func TestExampleEnvLoads(t *testing.T) {
	t.Parallel()
	example, err := os.ReadFile(exampleEnv)
	if err != nil {
		t.Fatal(err)
	}
	file := t.TempDir() + "/config.env"
	if err := os.WriteFile(file, regexp.MustCompile(`(?m)^#([A-Z])`).ReplaceAll(example, []byte("$1")), 0o600); err != nil {
		t.Fatal(err)
	}
	got, warnings := load(t, nil, "--env", file)
	want, _ := load(t, nil)
	got.values, want.values = nil, nil
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(settings{})); diff != "" || len(warnings) > 0 {
		t.Errorf("warnings %q, settings (-default +example):\n%s", warnings, diff)
	}
}

// TestVariablesAreWhole: every row says what it is, parses its own default, and no secret can be
// given on a command line.
func TestVariablesAreWhole(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, v := range variables {
		if v.note == "" || len(v.note) > 100 || strings.HasSuffix(v.note, ".") {
			t.Errorf("%s: its line %q is missing, too long, or ends in a full stop", v.name, v.note)
		}
		if v.secret == (v.flag != "") {
			t.Errorf("%s: secret %t with flag %q", v.name, v.secret, v.flag)
		}
		for _, name := range []string{v.name, "--" + v.flag} {
			if name != "--" && seen[name] {
				t.Errorf("%s stands twice", name)
			}
			seen[name] = true
		}
		if v.initial != "" {
			if err := v.parse(&settings{}, v.initial); err != nil {
				t.Errorf("%s: its default is refused: %v", v.name, err)
			}
		}
	}
}
