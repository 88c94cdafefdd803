package executor_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/tools/executor"
	"prax/tools/workflow"
)

// TestScript: a script is run by its first line, else by a shell, from a file of its own, and what it gives says which
// script it was.
func TestScript(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, body, want string }{
		{"no first line", "echo \"$1\" ${BASH_VERSION:+bash}", "a b bash"},
		{"a shell", "#!/bin/sh\necho \"$1\"\n", "a b"},
		{"by env", "#!/usr/bin/env bash\necho \"$1\" ${BASH_VERSION:+bash}\n", "a b bash"},
		{"one option", "#!/bin/sh -e\nfalse || echo \"$-\" | tr -cd e; echo \"$1\"\n", "ea b"},
		{"options of env", "#!/usr/bin/env -S sh -e\nfalse || echo \"$-\" | tr -cd e; echo \"$1\"\n", "ea b"},
		{"blanks", "#! \t/bin/sh \t\necho \"$1\"\n", "a b"},
		{"line ends of another system", "#!/bin/sh\r\necho \"$1\" #\r\n", "a b"},
		{"its mode", "stat -c %a \"$0\" \"$(dirname \"$0\")\" | tr '\\n' ' '", "700 700"},
		{"its directory", "test \"$(pwd -P)\" = \"$(cd \"$(dirname \"$0\")\" && pwd -P)\" && echo own", "own"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := &bench{env: arguments(map[string]any{"x": "a b"})}
			b.script("test.it", tt.body)
			r := b.run(t, "script", `{'subject':'test.it','args':['$.arguments.x']}`)
			if r.Failure != nil {
				t.Fatalf("failed: %+v", r.Failure)
			}
			output := r.Output.(map[string]any)
			if got := strings.TrimSpace(output["stdout"].(string)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			hash := b.scripts["test.it"].Hash
			if output["scriptSubject"] != "test.it" || output["scriptHash"] != hash || output["exitCode"] != 0.0 || output["success"] != true {
				t.Errorf("got %v", output)
			}
			if diff := cmp.Diff([]workflow.Evidence{{Kind: "script_output", Summary: "exit 0", Digest: hash}}, r.Evidence); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestScriptWithoutBash: where there is no bash, sh runs a script that says nothing of it.
func TestScriptWithoutBash(t *testing.T) {
	t.Parallel()
	sh, err := filepath.EvalSymlinks("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(sh, filepath.Join(bin, "sh")); err != nil {
		t.Fatal(err)
	}
	b := &bench{}
	b.connect(t, "box", `{'command':'sh','env':{'PATH':'`+bin+`'}}`)
	b.script("test.it", "echo here")
	b.script("test.none", "#!/usr/bin/env no-such-shell\necho here")
	r := b.run(t, "script", `{'subject':'test.it','connection':'box'}`)
	if r.Failure != nil || r.Output.(map[string]any)["stdout"] != "here\n" {
		t.Errorf("got %+v, %+v", r, r.Failure)
	}
	b.script("test.none", "#!no-such-shell\necho here")
	if f := b.run(t, "script", `{'subject':'test.none','connection':'box'}`).Failure; f == nil || f.Class != workflow.ClassConnection || f.Begun != workflow.NotBegun {
		t.Errorf("without its interpreter: %+v", f)
	}
}

// TestScriptIsRemoved: what was written for a script is gone when it has ended, also when that failed.
func TestScriptIsRemoved(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"", "exit 1", "kill -9 $$"} {
		out := filepath.Join(t.TempDir(), "out")
		b := &bench{}
		b.script("test.it", "touch left; dirname \"$0\" > "+out+"\n"+end)
		b.run(t, "script", `{'subject':'test.it'}`)
		dir, err := os.ReadFile(out)
		if err != nil || len(dir) < 2 {
			t.Fatalf("it did not run: %v", err)
		}
		if _, err := os.Stat(strings.TrimSpace(string(dir))); !os.IsNotExist(err) {
			t.Errorf("%q: %s is left: %v", end, dir, err)
		}
	}
}

// TestScriptIsPinned: a script whose body is not the one of its hash is not run.
func TestScriptIsPinned(t *testing.T) {
	t.Parallel()
	mark := filepath.Join(t.TempDir(), "ran")
	b := &bench{}
	b.script("test.it", "true\n")
	b.scripts["test.it"].Body = "touch " + mark
	f := b.run(t, "script", `{'subject':'test.it'}`).Failure
	if _, err := os.Stat(mark); f == nil || f.Begun != workflow.NotBegun || f.Class != workflow.ClassPermanent || !os.IsNotExist(err) {
		t.Errorf("got %+v, %v", f, err)
	}
	b.script("test.it", "echo same")
	b.scripts["test.it"].Body += "\n\n"
	if r := b.run(t, "script", `{'subject':'test.it'}`); r.Failure != nil {
		t.Errorf("with more line ends: %+v", r.Failure)
	}
}

// TestScriptMaterial: a person is shown the script by its hash, and what it is run with.
func TestScriptMaterial(t *testing.T) {
	t.Parallel()
	b := &bench{env: arguments(map[string]any{"x": "v1"})}
	b.script("test.it", "#!/usr/bin/env bash\ntrue\n")
	run, failure := b.prepare(t, "script", `{'subject':'test.it','args':['$.arguments.x'],'env':{'A':'$.arguments.x'},'workingDirectory':'/srv'}`)
	if failure != nil {
		t.Fatalf("failed: %+v", failure)
	}
	want := map[string]any{
		"kind": "script", "argv": []any{"/usr/bin/env", "bash", "test.it", "v1"}, "env": map[string]any{"A": "v1"}, "dir": "/srv",
		"scriptSubject": "test.it", "scriptHash": b.scripts["test.it"].Hash,
	}
	if diff := cmp.Diff(want, run.Material); diff != "" || run.Repeatable {
		t.Errorf("repeatable %v, -want +got:\n%s", run.Repeatable, diff)
	}
}

// TestScriptFailures: a script fails as a program does.
func TestScriptFailures(t *testing.T) {
	t.Parallel()
	b := &bench{}
	b.script("test.fails", "echo why >&2; exit 4")
	f := b.run(t, "script", `{'subject':'test.fails'}`).Failure
	if f == nil || f.Class != workflow.ClassPermanent || f.Begun != workflow.Answered || f.Message != "exit status 4: why" {
		t.Errorf("got %+v", f)
	}
	r := b.run(t, "script", `{'subject':'test.fails','treatNonZeroAsFailure':false}`)
	if r.Failure != nil || r.Output.(map[string]any)["exitCode"] != 4.0 || r.Evidence[0].Summary != "exit 4" {
		t.Errorf("leniently: %+v", r)
	}
}

// TestScriptSpec: what a configuration is refused for, and where; and what a caller could have run is HIGH.
func TestScriptSpec(t *testing.T) {
	t.Parallel()
	b := new(bench)
	b.script("test.it", "true\n")
	b.scripts["skill.it"] = &workflow.Guidance{Subject: "skill.it", Body: "words"}
	for _, tt := range []struct{ config, at, says string }{
		{`{}`, "", "must have a subject"},
		{`{'subject':'test.none'}`, "/subject", "names no script"},
		{`{'subject':'skill.it'}`, "/subject", "names no script"},
		{`{'subject':'$.arguments.x'}`, "/subject", "names no script"},
		{`{'subject':'test.it','connection':'none'}`, "/connection", "names no connection"},
		{`{'subject':'test.it','args':['$.nothing']}`, "/args/0", "is no path"},
		{`{'subject':'test.it','env':{'1':'x'}}`, "/env/1", "letters, digits and _"},
		{`{'subject':'test.it','workingDirectory':'sub'}`, "/workingDirectory", "absolute path"},
	} {
		_, _, found := b.check(t, "script", tt.config)
		if len(found) != 1 || found[0].Path != tt.at || !strings.Contains(found[0].Message, tt.says) {
			t.Errorf("%s\ngives %v\nwant %q at %q", tt.config, found, tt.says, tt.at)
		}
	}
	for config, want := range map[string]auth.Tier{
		`{'subject':'test.it','args':['$.arguments.x']}`: auth.Low, `{'subject':'test.it','args':['-c','$.arguments.x']}`: auth.High,
	} {
		if _, tier, found := b.check(t, "script", config); tier != want || found != nil {
			t.Errorf("%s: %v, %v", config, tier, found)
		}
	}
	if _, failure := executor.NewScript(&b.secrets).Prepare(t.Context(), executor.Request{
		Executor: &workflow.Executor{Kind: "script", Spec: &executor.Script{Subject: "test.it"}},
	}); failure == nil || failure.Begun != workflow.NotBegun {
		t.Errorf("without its script: %+v", failure)
	}
}
