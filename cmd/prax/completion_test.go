package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// drivers have a real shell complete a line, whose words the place before is: it prints what fits, a word a line. The
// marks of what is asked are %s: the script, then for each question its words.
var drivers = map[string]struct {
	load string
	ask  func(words []string) string
}{
	"bash": {"source %s\n", func(words []string) string {
		return fmt.Sprintf("COMP_WORDS=(%s); COMP_CWORD=%d; _prax; printf '%%s\\n' \"${COMPREPLY[@]}\"\n", shellLine(words), len(words)-1)
	}},
	// What zsh's own completion would show is what the script hands to it.
	"zsh": {"compdef() { :; }; _files() { :; }; _describe() { for one in $fits; do print -r -- ${one%%%%:*}; done; }\nsource %s\n", func(words []string) string {
		return fmt.Sprintf("words=(%s); CURRENT=%d; _prax\n", shellLine(words), len(words))
	}},
	"fish": {"source %s\n", func(words []string) string {
		return fmt.Sprintf("complete -C '%s'\n", strings.Join(words, " "))
	}},
}

// shellLine are words as a shell reads them back, an empty one among them.
func shellLine(words []string) string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = quoted(w)
	}
	return strings.Join(all, " ")
}

// completions has a shell complete each of the lines, and gives what it finds for each.
func completions(t *testing.T, shell string, lines [][]string) [][]string {
	t.Helper()
	p, stdout, stderr := trial()
	if code := p.run([]string{"completion", shell}); code != exitOK {
		t.Fatalf("%d %s", code, stderr)
	}
	script := write(t, "prax."+shell, stdout.String())
	d := drivers[shell]
	var b strings.Builder
	fmt.Fprintf(&b, d.load, script)
	for _, words := range lines {
		b.WriteString("echo '@'\n" + d.ask(words))
	}
	c := exec.Command(shell, write(t, "driver", b.String()))
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", shell, err, out)
	}
	var found [][]string
	for _, part := range strings.Split(string(out), "@\n")[1:] {
		var words []string
		for line := range strings.Lines(part) {
			if word, _, _ := strings.Cut(strings.TrimSpace(line), "\t"); word != "" {
				words = append(words, word)
			}
		}
		slices.Sort(words)
		found = append(found, words)
	}
	if len(found) != len(lines) {
		t.Fatalf("%d answers to %d questions: %s", len(found), len(lines), out)
	}
	return found
}

// TestCompletion: in each shell, at each place, exactly the commands and flags fit that there are.
func TestCompletion(t *testing.T) {
	t.Parallel()
	for shell := range shells {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(shell); err != nil {
				t.Skipf("there is no %s here: install it", shell)
			}
			var lines, wants [][]string
			for _, c := range completers("", commands()) {
				at, list := append([]string{"prax"}, strings.Fields(c.at)...), c.names
				word := ""
				if c.flags != nil {
					word, list = "--", c.flags
				}
				want := strings.Fields(plainWords(list))
				slices.Sort(want)
				lines, wants = append(lines, append(slices.Clone(at), word)), append(wants, want)
				if c.flags != nil { // behind a flag and its value, and an argument
					lines = append(lines, append(slices.Clone(at), "x", "--help", "--"))
					wants = append(wants, want)
				}
			}
			for i, got := range completions(t, shell, lines) {
				got = slices.DeleteFunc(got, func(w string) bool { return shell == "fish" && w == "--help" && !slices.Contains(wants[i], w) })
				if !slices.Equal(got, wants[i]) {
					t.Errorf("%q: %v, want %v", lines[i], got, wants[i])
				}
			}
			begun := completions(t, shell, [][]string{{"prax", "client", "add", "--us"}, {"prax", "cl"}})
			if shell != "zsh" && (!slices.Equal(begun[0], []string{"--user"}) || !slices.Equal(begun[1], []string{"client"})) { // zsh chooses among what it is given
				t.Errorf("begun words are completed as %q", begun)
			}
		})
	}
}

// TestCompletionKnowsEveryFlag: the command itself says which flags it takes, and nothing runs for that.
func TestCompletionKnowsEveryFlag(t *testing.T) {
	t.Parallel()
	for _, c := range completers("", commands()) {
		if c.names != nil {
			continue
		}
		p, stdout, _ := trial()
		if code := p.run(append(strings.Fields(c.at), "--help")); code != exitOK {
			t.Errorf("%s: %d", c.at, code)
		}
		for _, f := range c.flags {
			if f.word != "--help" && !strings.Contains(stdout.String(), "  "+f.word) {
				t.Errorf("prax%s --help does not have %s", c.at, f.word)
			}
		}
		if shown := strings.Count(stdout.String(), "\n  --"); shown != len(c.flags)-1 {
			t.Errorf("prax%s takes %d flags, and completion knows %d", c.at, shown, len(c.flags)-1)
		}
	}
}

// What stands in a script is the program's own: words of which no shell makes anything else.
func TestCompletionWordsArePlain(t *testing.T) {
	t.Parallel()
	for _, c := range completers("", commands()) {
		for _, s := range append(slices.Clone(c.names), c.flags...) {
			if strings.Trim(s.word, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
				t.Errorf("%q is not plain", s.word)
			}
		}
	}
	if got, want := fishQuoted(`it's \ $x`), `'it\'s \\ $x'`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	p, _, _ := trial()
	if code := p.run([]string{"completion", "csh"}); code != exitUsage {
		t.Errorf("another shell: %d", code)
	}
}
