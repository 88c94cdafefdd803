package executor_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/store/digest"
	"prax/tools/executor"
	"prax/tools/process"
	"prax/tools/workflow"
)

// TestCLIOutput: what a program gives, and the evidence of it.
func TestCLIOutput(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, script   string
		lenient        bool
		exit           float64
		stdout, stderr string
		json           any
	}{
		{"text", "echo hi; echo oops >&2", false, 0, "hi\n", "oops\n", nil},
		{"object", `echo '{"a": [1, null, true]}'`, false, 0, `{"a": [1, null, true]}` + "\n", "", map[string]any{"a": []any{1.0, nil, true}}},
		{"nothing", "true", false, 0, "", "", nil},
		{"a scalar", "echo 42", false, 0, "42\n", "", 42.0},
		{"a status that is no failure", "echo out; exit 3", true, 3, "out\n", "", nil},
		{"a name twice", `echo '{"a":1,"a":2}'`, false, 0, `{"a":1,"a":2}` + "\n", "", nil},
		{"an integer that is not kept", "echo 9007199254740993", false, 0, "9007199254740993\n", "", nil},
		{"what is no text", `printf 'a\377b\000c'`, false, 0, "a\ufffdb\x00c", "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			treat := ""
			if tt.lenient {
				treat = `,'treatNonZeroAsFailure':false`
			}
			r := new(bench).run(t, "cli", `{'command':'sh','args':['-c',`+quoted(tt.script)+`]`+treat+`}`)
			if r.Failure != nil {
				t.Fatalf("failed: %+v", r.Failure)
			}
			want := map[string]any{"exitCode": tt.exit, "success": tt.exit == 0, "stdout": tt.stdout, "stderr": tt.stderr, "json": tt.json}
			if diff := cmp.Diff(want, r.Output); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			exit := map[bool]string{true: "exit 0", false: "exit 3"}[tt.exit == 0]
			evidence := []workflow.Evidence{{Kind: "cli_output", Summary: exit, Digest: "sha256:" + digest.Hex([]byte(tt.stdout))}}
			if diff := cmp.Diff(evidence, r.Evidence); diff != "" || r.Took <= 0 {
				t.Errorf("took %v, -want +got:\n%s", r.Took, diff)
			}
		})
	}
}

// TestCLITruncated: of what is too long the beginning is kept, it says so, and a number that was cut is no number.
func TestCLITruncated(t *testing.T) {
	t.Parallel()
	r := new(bench).run(t, "cli", shell(`head -c 3000000 /dev/zero | tr '\0' 7`))
	if r.Failure != nil {
		t.Fatalf("failed: %+v", r.Failure)
	}
	output := r.Output.(map[string]any)
	if n := len(output["stdout"].(string)); n != 1<<20 || output["truncated"] != true || output["json"] != nil {
		t.Errorf("%d bytes, truncated %v, json %v", n, output["truncated"], output["json"])
	}
}

// TestCLIFailures: the class of each failure, what is known of the effect, and what the message says.
func TestCLIFailures(t *testing.T) {
	t.Parallel()
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, config, class, says string
		begun                     workflow.Begun
	}{
		{"status", shell("echo first >&2; echo last >&2; echo >&2; exit 3"), workflow.ClassPermanent, "exit status 3: last", workflow.Answered},
		{"status and nothing said", `{'command':'false'}`, workflow.ClassPermanent, "exit status 1", workflow.Answered},
		{"escapes", shell(`printf 'a\033[31mb\302\205c' >&2; exit 1`), workflow.ClassPermanent, `exit status 1: a\x1b[31mb\u0085c`, workflow.Answered},
		{"no program", `{'command':'no-such-program-here'}`, workflow.ClassConnection, "is not there", workflow.NotBegun},
		{"no file", `{'command':'/no/such/program'}`, workflow.ClassConnection, "is not there", workflow.NotBegun},
		{"not executable", `{'command':'` + plain + `'}`, workflow.ClassConnection, "may not be used", workflow.NotBegun},
		{"no directory", `{'command':'true','workingDirectory':'/no/such/directory'}`, workflow.ClassConnection, "is not there", workflow.NotBegun},
		{"signal", shell("kill -9 $$"), workflow.ClassTransient, "ended by a signal", workflow.Doubtful},
		{"signal, leniently", `{'command':'sh','args':['-c','kill -9 $$'],'treatNonZeroAsFailure':false}`, workflow.ClassTransient, "ended by a signal", workflow.Doubtful},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := new(bench).run(t, "cli", tt.config)
			if r.Failure == nil || r.Output != nil || r.Evidence != nil {
				t.Fatalf("got %+v", r)
			}
			if f := r.Failure; f.Class != tt.class || f.Begun != tt.begun || !strings.Contains(f.Message, tt.says) {
				t.Errorf("got %+v\nwant %s, %d, %q", *f, tt.class, tt.begun, tt.says)
			}
		})
	}
}

// TestCLIMessageIsBounded: one long line of standard error does not make a long message.
func TestCLIMessageIsBounded(t *testing.T) {
	t.Parallel()
	r := new(bench).run(t, "cli", shell(`head -c 50000 /dev/zero | tr '\0' x >&2; exit 1`))
	if r.Failure == nil || len(r.Failure.Message) > 500 || !strings.Contains(r.Failure.Message, "xxx") {
		t.Errorf("got %+v", r.Failure)
	}
}

// TestCLIStopped: a program that is killed at its deadline, or with its attempt, may have done anything.
func TestCLIStopped(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(context.Context) (context.Context, context.CancelFunc){
		"deadline": func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 200*time.Millisecond)
		},
		"cancel": func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(200*time.Millisecond, cancel)
			return ctx, cancel
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run, failure := new(bench).prepare(t, "cli", `{'command':'sleep','args':['600']}`)
			if failure != nil {
				t.Fatalf("failed: %+v", failure)
			}
			ctx, cancel := end(t.Context())
			defer cancel()
			f := run.Do(ctx).Failure
			if f == nil || f.Class != workflow.ClassTimeout || f.Begun != workflow.Doubtful {
				t.Errorf("got %+v", f)
			}
			if f = run.Do(ctx).Failure; f == nil || f.Class != workflow.ClassTimeout || f.Begun != workflow.NotBegun {
				t.Errorf("when the time is over before: %+v", f)
			}
		})
	}
}

// TestCLIEnvironment: a program gets what its connection and its executor say, the key, a fixed PATH, and nothing else.
func TestCLIEnvironment(t *testing.T) {
	t.Setenv("PRAX_CANARY", "canary-of-the-server")
	t.Setenv("LANG", "de_DE.UTF-8")
	b := &bench{key: "at_1", env: arguments(map[string]any{"who": "bob $HOME"})}
	b.connect(t, "box", `{'command':'env','env':{'A':'of the connection','B':'b','LITERAL':'$${x}'}}`)
	got := b.stdout(t, `{'connection':'box','env':{'A':'of the executor','WHO':'$.arguments.who'}}`)
	lines := strings.Split(strings.TrimSpace(got), "\n")
	slices.Sort(lines)
	want := "A=of the executor\nB=b\nIDEMPOTENCY_KEY=at_1\nLITERAL=${x}\nPATH=" + process.DefaultPath + "\nWHO=bob $HOME"
	if diff := cmp.Diff(want, strings.Join(lines, "\n")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestCLIDirectory: where a program runs.
func TestCLIDirectory(t *testing.T) {
	t.Parallel()
	file, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(file, "app/sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(file, "where"), []byte("#!/bin/sh\npwd -P\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	b := &bench{connections: map[string]*workflow.Connection{}}
	for name, spec := range map[string]*executor.CLIConnection{
		"here": {Command: "./where"}, "app": {Command: "./where", WorkingDirectory: "app"}, "root": {Command: filepath.Join(file, "where"), WorkingDirectory: "/"},
	} {
		if found := spec.CheckConnection(file); found != nil {
			t.Fatal(found)
		}
		b.connections[name] = &workflow.Connection{Name: name, Kind: "cli", Spec: spec}
	}
	for config, want := range map[string]string{
		`{'connection':'here'}`:                                       file,
		`{'connection':'app'}`:                                        file + "/app",
		`{'connection':'app','workingDirectory':'sub'}`:               file + "/app/sub",
		`{'connection':'root'}`:                                       "/",
		`{'connection':'root','workingDirectory':'` + file + `/app'}`: file + "/app",
		`{'command':'pwd'}`:                                           "/",
		`{'command':'pwd','workingDirectory':'` + file + `'}`:         file,
	} {
		if got := strings.TrimSpace(b.stdout(t, config)); got != want {
			t.Errorf("%s runs in %s, want %s", config, got, want)
		}
	}
}

// TestCLIConnectionInForce: a connection counts as it is when the program is run: its program, its tier, and that it is
// there at all.
func TestCLIConnectionInForce(t *testing.T) {
	t.Parallel()
	b := &bench{env: arguments(map[string]any{"x": "id"})}
	b.connect(t, "box", `{'command':'echo'}`)
	const config = `{'connection':'box','args':['$.arguments.x']}`
	spec, tier, found := b.check(t, "cli", config)
	if found != nil || tier != auth.Low {
		t.Fatalf("%v, %v", tier, found)
	}
	prepare := func() (*executor.Run, *workflow.Failure) {
		return executor.NewCLI(&b.secrets).Prepare(t.Context(), executor.Request{
			Executor: &workflow.Executor{Kind: "cli", Tier: auth.Medium, Spec: spec}, Connection: b.connection, Env: b.env,
		})
	}
	before, failure := prepare()
	if failure != nil || before.Tier != auth.Medium || before.Repeatable {
		t.Fatalf("%+v, %+v", before, failure)
	}
	b.connect(t, "box", `{'command':'bash'}`)
	after, failure := prepare()
	if failure != nil || after.Tier != auth.High {
		t.Fatalf("as an interpreter: %+v, %+v", after, failure)
	}
	if cmp.Equal(before.Material, after.Material) {
		t.Errorf("another connection has the same material: %v", after.Material)
	}
	b.connect(t, "box", `{'command':'echo'}`)
	b.connections["box"].Tier = auth.High
	if raised, failure := prepare(); failure != nil || raised.Tier != auth.High {
		t.Errorf("raised: %+v, %+v", raised, failure)
	}
	delete(b.connections, "box")
	if _, failure := prepare(); failure == nil || failure.Begun != workflow.NotBegun || strings.Contains(failure.Message, "box") {
		t.Errorf("gone: %+v", failure)
	}
	b.connections["box"] = &workflow.Connection{Name: "box", Kind: "rest", Spec: struct{}{}}
	if _, failure := prepare(); failure == nil || failure.Begun != workflow.NotBegun {
		t.Errorf("of another kind: %+v", failure)
	}
}

// TestCLIMaterial: a person is shown what would be run, with secrets by name, and the same each time.
func TestCLIMaterial(t *testing.T) {
	t.Parallel()
	b := &bench{key: "at_1", env: arguments(map[string]any{"x": "v1.2", "o": map[string]any{"b": 1.0, "a": nil}})}
	b.connect(t, "box", `{'command':'deploy','workingDirectory':'/srv','env':{'TOKEN':'${env:DEPLOY_TOKEN}'}}`)
	const config = `{'connection':'box','args':['--version','$.arguments.x','$.arguments.o','$.workflow.version'],'env':{'WHO':'$.workflow.id'}}`
	run, failure := b.prepare(t, "cli", config)
	if failure != nil {
		t.Fatalf("failed: %+v", failure)
	}
	want := map[string]any{
		"kind": "cli", "argv": []any{"deploy", "--version", "v1.2", `{"a":null,"b":1}`, "7"}, "dir": "/srv", "env": map[string]any{"WHO": "wf_1"},
		"connection": map[string]any{"name": "box", "digest": b.connections["box"].Digest, "env": map[string]any{"TOKEN": "${env:DEPLOY_TOKEN}"}},
	}
	if diff := cmp.Diff(want, run.Material); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if again, _ := b.prepare(t, "cli", config); !cmp.Equal(run.Material, again.Material) {
		t.Error("prepared twice, it is another")
	}
}

// TestCLISpec: what a configuration is refused for, and where.
func TestCLISpec(t *testing.T) {
	t.Parallel()
	b := &bench{connections: map[string]*workflow.Connection{"web": {Name: "web", Kind: "rest"}}}
	b.connect(t, "box", `{'command':'git'}`)
	for _, tt := range []struct{ config, at, says string }{
		{`{}`, "", "must have a connection or a command"},
		{`{'connection':'box','command':'git'}`, "/command", "stands beside a connection"},
		{`{'connection':'none'}`, "/connection", "names no connection"},
		{`{'connection':'web'}`, "/connection", "of the kind rest"},
		{`{'command':'$.arguments.program'}`, "/command", "never a caller's choice"},
		{`{'command':'./build'}`, "/command", "absolute path"},
		{`{'command':'bin/build'}`, "/command", "absolute path"},
		{`{'command':'a\u0000b'}`, "/command", "without NUL"},
		{`{'command':'${env:PROGRAM}'}`, "/command", "in the environment of a connection only"},
		{`{'command':'git','args':['a','$.nothing.x']}`, "/args/1", "is no path"},
		{`{'command':'git','args':['$.arguments.']}`, "/args/0", "is no path"},
		{`{'command':'git','args':['$.output.x']}`, "/args/0", "is no path"},
		{`{'command':'git','args':['${env:TOKEN}']}`, "/args/0", "in the environment of a connection only"},
		{`{'command':'git','args':['--x={{ $.arguments.x }}']}`, "/args/0", "is no template"},
		{`{'command':'git','args':['a\u0000b']}`, "/args/0", "without NUL"},
		{`{'command':'git','env':{'A/B':'x'}}`, "/env/A~1B", "letters, digits and _"},
		{`{'command':'git','env':{'A=B':'x'}}`, "/env/A=B", "letters, digits and _"},
		{`{'command':'git','env':{'$.arguments.x':'x'}}`, "/env/$.arguments.x", "letters, digits and _"},
		{`{'command':'git','env':{'A':'${file:/etc/passwd}'}}`, "/env/A", "in the environment of a connection only"},
		{`{'command':'git','env':{'A':'$.nothing'}}`, "/env/A", "is no path"},
		{`{'command':'git','workingDirectory':'sub'}`, "/workingDirectory", "absolute path"},
		{`{'command':'git','workingDirectory':'$.arguments.dir'}`, "/workingDirectory", "literal"},
		{`{'connection':'box','workingDirectory':'../other'}`, "/workingDirectory", "within the directory of the connection"},
		{`{'connection':'box','workingDirectory':'${env:HOME}'}`, "/workingDirectory", "in the environment of a connection only"},
	} {
		_, _, found := b.check(t, "cli", tt.config)
		if len(found) != 1 || found[0].Path != tt.at || !strings.Contains(found[0].Message, tt.says) {
			t.Errorf("%s\ngives %v\nwant %q at %q", tt.config, found, tt.says, tt.at)
		}
	}
	if _, _, found := b.check(t, "cli", `{'command':'go','args':['list','-f','{{.Dir}}','$HOME','$${HOME}','$'],'env':{'A':'$x'},'workingDirectory':'/srv'}`); found != nil {
		t.Errorf("literals: %v", found)
	}
}

// TestCLIConnectionSpec: what a connection is refused for, and where.
func TestCLIConnectionSpec(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ config, at, says string }{
		{`{}`, "", "must have a command"},
		{`{'command':'$.arguments.x'}`, "/command", "never a caller's choice"},
		{`{'command':'${env:X}'}`, "/command", "in the environment"},
		{`{'command':'git','workingDirectory':'${env:X}'}`, "/workingDirectory", "in the environment"},
		{`{'command':'git','env':{'A B':'x'}}`, "/env/A B", "letters, digits and _"},
		{`{'command':'git','env':{'A':'a\u0000b'}}`, "/env/A", "without NUL"},
		{`{'command':'git','env':{'A':'${secret:x}'}}`, "/env/A", "not there yet"},
		{`{'command':'git','env':{'A':'${env:PRAX_DATA}'}}`, "/env/A", "PRAX_"},
		{`{'command':'git','env':{'A':'${file:relative}'}}`, "/env/A", "absolute"},
	} {
		spec := executor.Specs().Connections["cli"]()
		read(t, tt.config, spec)
		found := spec.CheckConnection("/srv")
		if len(found) != 1 || found[0].Path != tt.at || !strings.Contains(found[0].Message, tt.says) {
			t.Errorf("%s\ngives %v\nwant %q at %q", tt.config, found, tt.says, tt.at)
		}
	}
}

// TestCLIOfAnotherKind: an executor whose configuration was made for another kind is not run.
func TestCLIOfAnotherKind(t *testing.T) {
	t.Parallel()
	b := new(bench)
	for name, kind := range map[string]executor.Kind{"cli": executor.NewCLI(&b.secrets), "script": executor.NewScript(&b.secrets)} {
		_, failure := kind.Prepare(t.Context(), executor.Request{Executor: &workflow.Executor{Kind: name, Spec: &executor.Tool{}}})
		if failure == nil || failure.Begun != workflow.NotBegun || failure.Class != workflow.ClassPermanent {
			t.Errorf("%s: %+v", name, failure)
		}
	}
}
