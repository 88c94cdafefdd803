package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

const (
	operateDoc = "docs/operate.md"
	servingDoc = "docs/serving.md"
)

// blockCommand writes the block NAME of a document to NAME.sh.
func blockCommand(doc string) storyCommand {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) != 1 {
			ts.Fatalf("usage: it takes the NAME of a block of %s", doc)
		}
		text, err := os.ReadFile("../../" + doc)
		ts.Check(err)
		block := regexp.MustCompile("(?s)<!-- run: " + regexp.QuoteMeta(args[0]) + " -->\n```sh\n(.*?)```").FindSubmatch(text)
		if block == nil {
			ts.Fatalf("%s has no block %q", doc, args[0])
		}
		ts.Check(os.WriteFile(ts.MkAbs(args[0]+".sh"), block[1], 0o600))
		if strings.Contains(string(block[1]), "> prax.pid") {
			pid := ts.MkAbs("prax.pid")
			ts.Defer(func() { killNamed(pid) })
		}
	}
}

// killNamed ends the server that a block left running, when the story ended before its end.
func killNamed(file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		return
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return
	}
	name, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	if err == nil && strings.Contains(string(name), "serve") { // not another process with its number
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

func TestOperateDocIsRun(t *testing.T) {
	t.Parallel()
	docIsRun(t, operateDoc, "testdata/operate-doc.txtar", "operate", 10)
}

func TestServingDocIsRun(t *testing.T) {
	t.Parallel()
	docIsRun(t, servingDoc, "testdata/serving-doc.txtar", "serving", 5)
}

// docIsRun: every block of commands in the document has a name, and its story runs them all by its command, in the
// order in which they stand; there are least at least.
func docIsRun(t *testing.T, doc, path, command string, least int) {
	t.Helper()
	text := readDoc(t, doc)
	story, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, m := range regexp.MustCompile("<!-- run: ([a-z-]+) -->\n```sh\n").FindAllStringSubmatch(text, -1) {
		named = append(named, m[1])
	}
	var run []string
	for _, m := range regexp.MustCompile(`(?m)^`+command+` ([a-z-]+)\nexec (?:ba)?sh -eu ([a-z-]+)\.sh$`).FindAllStringSubmatch(string(story), -1) {
		if m[1] != m[2] {
			t.Errorf("the story runs %s in the place of %s", m[2], m[1])
		}
		run = append(run, m[1])
	}
	if blocks := strings.Count(text, "\n```sh\n"); blocks != len(named) || len(named) < least {
		t.Errorf("%d blocks, %d of them have a name", blocks, len(named))
	}
	if got, want := strings.Join(run, " "), strings.Join(named, " "); got != want {
		t.Errorf("the story runs %s, the document has %s", got, want)
	}
}
