package main

import (
	"slices"
	"strings"
	"testing"
)

// eachCommand calls f for every command that does something, with its words.
func eachCommand(t *testing.T, table []command, before []string, f func(t *testing.T, words []string)) {
	t.Helper()
	for _, c := range table {
		words := append(slices.Clone(before), c.name)
		if c.run == nil {
			eachCommand(t, c.sub, words, f)
			continue
		}
		t.Run(strings.Join(words, " "), func(t *testing.T) { f(t, words) })
	}
}

// TestCommandsAreUniform: each command explains itself in each way that there is to ask, refuses what it does not know
// with exit code 2 and a hint that can be followed, and what prints a table prints JSON too.
func TestCommandsAreUniform(t *testing.T) {
	t.Parallel()
	tables := []string{"list", "show", "history", "graph", "tail", "verify", "access", "check", "doctor", "bench"}
	eachCommand(t, commands(), nil, func(t *testing.T, words []string) {
		path := strings.Join(words, " ")
		var help string
		for _, asked := range [][]string{append(words, "-h"), append(words, "--help"), append([]string{"help"}, words...)} {
			p, stdout, stderr := trial()
			if code := p.run(asked); code != exitOK || stderr.Len() > 0 {
				t.Errorf("%q: exit code %d, %s", asked, code, stderr)
			}
			if !strings.HasPrefix(stdout.String(), "usage: prax "+path+" ") || help != "" && help != stdout.String() {
				t.Errorf("%q: %s", asked, stdout)
			}
			help = stdout.String()
		}
		synopsis, _, _ := strings.Cut(help, "\n")
		hasJSON := strings.Contains(help, "\n  --json ")
		if last := words[len(words)-1]; slices.Contains(tables, last) && !hasJSON {
			t.Error("it prints a table, and no JSON")
		}
		if hasJSON && !strings.Contains(synopsis, "[--json]") && !strings.Contains(synopsis, "[flags]") {
			t.Errorf("--json is not in %q", synopsis)
		}
		p, stdout, stderr := trial()
		if code := p.run(append(words, "--no-such-flag")); code != exitUsage || stdout.Len() > 0 {
			t.Errorf("an unknown flag: exit code %d, %s", code, stdout)
		}
		want := "prax: error: unknown flag --no-such-flag\nprax: hint: prax " + path + " -h explains it\n"
		if stderr.String() != want {
			t.Errorf("an unknown flag: %s, want %s", stderr, want)
		}
	})
}
