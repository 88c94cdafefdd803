package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// exampleLeft is what somebody who tries an example in the working tree leaves in its folder.
var exampleLeft = []string{"out", "prax-data", "prax-dev"}

// exampleCommand copies examples/NAME to where it is in the repository, seen from the story's directory as the root, and
// writes the commands of its README to NAME.sh. The trial server that they begin with runs until they are over.
func exampleCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: example NAME")
	}
	from, to := filepath.Join("../../examples", args[0]), ts.MkAbs(filepath.Join("examples", args[0]))
	ts.Check(os.CopyFS(to, os.DirFS(from)))
	for _, name := range exampleLeft {
		ts.Check(os.RemoveAll(filepath.Join(to, name)))
	}
	text, err := os.ReadFile(filepath.Join(from, "README.md"))
	ts.Check(err)
	script, found := exampleScript(args[0], string(text))
	if !found {
		ts.Fatalf("the README of examples/%s has no block that begins with prax serve", args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]+".sh"), []byte(script), 0o600))
	moveLedger(ts, ts.MkAbs(args[0]+".sh"), filepath.Join(to, "praxec.yaml"))
	ts.Defer(func() { killNamed(ts.MkAbs("prax.pid")) })
}

// gohomeCommand gives the story a home, with the build cache that Go has on this machine: what the story builds needs no
// other, and leaves nothing else behind.
func gohomeCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: gohome")
	}
	out, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output() // with the environment of the test, not of the story
	ts.Check(err)
	cache, modules, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	home := ts.MkAbs("home")
	ts.Check(os.MkdirAll(filepath.Join(home, ".cache"), 0o700))
	ts.Check(os.Symlink(cache, filepath.Join(home, ".cache", "go-build")))
	ts.Setenv("GOMODCACHE", modules) // what is compiled is known by its place: a link would have it compiled again
	ts.Setenv("HOME", home)
}

// exampleScript is the commands of a README, with the server in the background. The ledger that some begin with is there
// already: the story has started it.
func exampleScript(name, readme string) (script string, found bool) {
	folder := "examples/" + name
	block := regexp.MustCompile("(?s)```sh\n(?:" + regexp.QuoteMeta(ledgerLine) + "( +#[^\n]*)?\n)?" +
		"(prax serve(?: --dev)? --config " + folder + "/praxec.yaml(?: --clients " + folder + "/clients.json)?)( +#[^\n]*)?\n(.*?)```").FindStringSubmatch(readme)
	if block == nil {
		return "", false
	}
	line, dev := block[2], ""
	if strings.Contains(line, " --dev ") {
		dev = " --dev"
	}
	return line + " > prax.log 2>&1 & server=$!\necho $server > prax.pid\n" +
		"until prax health" + dev + " > prax.health 2>&1; do kill -0 $server || exit; sleep 0.1; done\n" +
		block[4] + "kill $server; wait $server; rm prax.pid\n", true
}

// TestExamplesAreTold: each example has a story that runs its files, and the commands of its README as they stand.
func TestExamplesAreTold(t *testing.T) {
	t.Parallel()
	folders, err := os.ReadDir("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for _, folder := range folders {
		name := folder.Name()
		if name == "conformance" { // canned answers, which testdata/conformance has whole
			continue
		}
		told++
		readme := readDoc(t, "examples/"+name+"/README.md")
		if _, found := exampleScript(name, readme); !found || strings.Count(readme, "```") != 2 {
			t.Errorf("examples/%s: the README does not have one block of commands, from prax serve on", name)
		}
		if lines := strings.Count(readme, "\n"); lines > 25 {
			t.Errorf("examples/%s: the README has %d lines", name, lines)
		}
		story, err := os.ReadFile("testdata/example-" + name + ".txtar")
		if err != nil {
			t.Error(err)
			continue
		}
		lines := strings.Split(string(story), "\n")
		if !slices.Contains(lines, "example "+name) || !slices.Contains(lines, "exec sh -u "+name+".sh") {
			t.Errorf("examples/%s: its story does not run it", name)
		}
	}
	if told == 0 {
		t.Error("there are no examples")
	}
}
