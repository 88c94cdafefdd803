package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"prax/auth"
	"prax/tools/definition"
	"prax/tools/workflow"
)

const (
	workflowsDoc  = "docs/workflows.md"
	tutorialTitle = "From echo to a governed deploy"
	tutorialPlace = "/home/ann/deploy" // the folder that the tutorial is in
)

// TestWorkflowsDoc: every file that the document shows loads, and nothing can be found wrong with it where there are
// an agent and its person beside the operator.
func TestWorkflowsDoc(t *testing.T) {
	t.Parallel()
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(readDoc(t, workflowsDoc), -1)
	if len(blocks) < 10 {
		t.Fatalf("%d files, want 10 or more", len(blocks))
	}
	callers := []auth.Principal{
		{Client: "agent", User: "u_ann", Workflows: auth.Everything()},
		{Client: "ann", User: "u_ann", Workflows: auth.Everything(), Roles: auth.Names(auth.Human), Permissions: auth.Names("release")},
	}
	for i, block := range blocks {
		path := filepath.Join(t.TempDir(), "praxec.yaml")
		if err := os.WriteFile(path, []byte(block[1]), 0o600); err != nil {
			t.Fatal(err)
		}
		set, problems := definition.Load(path, kinds(), ownTools()...)
		if len(problems) > 0 {
			t.Errorf("file %d: %v", i+1, problems)
		}
		if set == nil {
			continue
		}
		for _, d := range set.Definitions {
			if again, err := definition.Decode(d.Text, kinds()); err != nil || again.Hash != d.Hash {
				t.Errorf("file %d: %s cannot be read as a run pins it: %v", i+1, d.ID, err)
			}
			for _, f := range d.Check(worldOf(d.ID, callers)) {
				if d.ID != definition.ProxyID || f.Code != workflow.NoTerminal {
					t.Errorf("file %d: %s: %s (%s)", i+1, d.ID, f.Text, f.Code)
				}
			}
		}
	}
}

// lesson is a fenced block of the tutorial: a file (yaml), commands (sh), or what these print (text).
type lesson struct{ step, kind, text string }

var lessonBlock = regexp.MustCompile("(?ms)^### (.*?)$|^```([a-z]*)\n(.*?)^```$")

// lessons are the blocks of the tutorial, in their order.
func lessons(text string) (list []lesson) {
	_, text, _ = strings.Cut(text, "\n## "+tutorialTitle+"\n")
	text, _, _ = strings.Cut(text, "\n## ")
	step := ""
	for _, m := range lessonBlock.FindAllStringSubmatch(text, -1) {
		if m[1] != "" {
			step = m[1]
			continue
		}
		list = append(list, lesson{step, m[2], m[3]})
	}
	return list
}

// session is around the commands of the tutorial. A file is saved as a person does it who reads on meanwhile: the next
// command comes when the server has taken it.
const session = `exec 2>&1
server=
trap 'kill -9 $server 2> /dev/null' EXIT
save() {
  before=$(grep -c 'definitions are in force' prax.log 2> /dev/null) || before=0
  cp "$1" praxec.yaml
  [ "$server" ] || return 0
  tries=0
  until [ "$(grep -c 'definitions are in force' prax.log)" -gt "$before" ]; do
    sleep 0.1
    tries=$((tries+1))
    [ $tries -lt 200 ] || { echo "$1 does not come into force"; exit 1; }
  done
}
`

// tutorialCommand writes the tutorial to tutorial.sh: its files, its commands, and a mark before each block of them.
func tutorialCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: tutorial")
	}
	script := session
	for i, l := range storyLessons(ts) {
		switch l.kind {
		case "yaml":
			name := fmt.Sprintf("praxec-%d.yaml", i)
			ts.Check(os.WriteFile(ts.MkAbs(name), []byte(l.text), 0o600))
			script += "save " + name + "\n"
		case "sh":
			script += fmt.Sprintf("echo '== %d'\n%s", i, l.text)
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs("tutorial.sh"), []byte(script+"server=\n"), 0o600))
}

// storyLessons are the lessons with the address and the folder of this story in place of those that they show.
func storyLessons(ts *testscript.TestScript) []lesson {
	text, err := os.ReadFile("../../" + workflowsDoc)
	ts.Check(err)
	return lessons(strings.NewReplacer(readmeAddr, ts.Getenv("HOSTPORT"), tutorialPlace, ts.Getenv("WORK")).Replace(string(text)))
}

// answersCommand compares what tutorial.sh printed with what the tutorial shows.
func answersCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: answers FILE")
	}
	marked := regexp.MustCompile(`(?m)^== \d+\n`).Split(ts.ReadFile(args[0]), -1)[1:]
	list, failed := storyLessons(ts), 0
	for i, l := range list {
		if l.kind != "sh" {
			continue
		}
		if len(marked) == 0 {
			ts.Fatalf("%s: these were not come to:\n%s", l.step, l.text)
		}
		printed, want := marked[0], ""
		marked = marked[1:]
		if i+1 < len(list) && list[i+1].kind == "text" {
			want = list[i+1].text
		}
		if !answerPattern(want).MatchString(printed) {
			failed++
			ts.Logf("%s\n%s\nprints\n%s\nand the document shows\n%s", l.step, l.text, printed, want)
		}
	}
	if failed > 0 {
		ts.Fatalf("%d answers are not those of the document", failed)
	}
}

// answerPattern matches what an answer shows: a … by itself stands for anything, within a word for anything on that
// line, in an id for its letters. White space may be any.
func answerPattern(shown string) *regexp.Regexp {
	var words []string
	for _, word := range strings.Fields(shown) {
		if word == "…" {
			words = append(words, `(?s:.*)`)
			continue
		}
		word = regexp.QuoteMeta(word)
		word = strings.ReplaceAll(word, "_…", "_[0-9a-z]+")
		words = append(words, strings.ReplaceAll(word, "…", ".*"))
	}
	return regexp.MustCompile(`^\s*` + strings.Join(words, `\s*`) + `\s*$`)
}

func TestAnswerPattern(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		shown, printed string
		want           bool
	}{
		{"", "", true},
		{"", "error", false},
		{"state  said, version 2", "state       said, version 2\n", true},
		{"state said, version 2", "state said, version 3", false},
		{"state said", "status open\nstate said", false},
		{"…\nstate said\n…", "status open\nstate said\nmore", true},
		{"wf_… is over", "wf_1a2b is over", true},
		{"wf_… is over", "wf_1a2b is\nnot over", false},
		{"wf_… is", "wf_1a2b that is", false},
		{`{"a":1,…"c":3}`, `{"a":1,"b":2,"c":3}`, true},
		{`{"a":1,…"c":3}`, "{\"a\":1,\n\"c\":3}", false},
		{"{\"a\":1,\n\"b\":2}", `{"a":1,"b":2}`, true},
		{"a.b", "axb", false},
	} {
		if got := answerPattern(tt.shown).MatchString(tt.printed); got != tt.want {
			t.Errorf("%q as %q: %v", tt.printed, tt.shown, got)
		}
	}
}

// TestTutorialIsRun: all blocks of commands stand in the tutorial, which a story runs, each answer follows its commands,
// and every step has commands.
func TestTutorialIsRun(t *testing.T) {
	t.Parallel()
	text := readDoc(t, workflowsDoc)
	list := lessons(text)
	commands, steps := 0, map[string]bool{}
	for i, l := range list {
		switch l.kind {
		case "sh":
			commands, steps[l.step] = commands+1, true
		case "text":
			if i == 0 || list[i-1].kind != "sh" {
				t.Errorf("%s: an answer without commands", l.step)
			}
		case "yaml":
		default:
			t.Errorf("%s: a block of %q", l.step, l.kind)
		}
	}
	if all := strings.Count(text, "\n```sh\n"); all != commands || commands < 10 {
		t.Errorf("%d blocks of commands, %d of them in the tutorial", all, commands)
	}
	if all := strings.Count(text, "\n### ") - strings.Count(text[strings.Index(text, "\n## The first one"):], "\n### "); all != len(steps) {
		t.Errorf("%d steps, %d of them with commands", all, len(steps))
	}
}
