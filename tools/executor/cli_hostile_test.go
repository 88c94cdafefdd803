package executor_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"prax/tools/executor"
	"prax/tools/workflow"
)

// echo prints each of its arguments between < and >. The name of the shell's own ends before them.
var echo = `'-c',` + quoted(`for a; do printf '<%s>' "$a"; done`) + `,'sh'`

// TestHostileArguments: whatever a caller says is one element of argv as it is, or nothing is run.
func TestHostileArguments(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		value any
		want  string
		says  string // why it is refused; "": it is not
	}{
		{"option", "--x=", "", "begins with -"},
		{"short option", "-rf", "", "begins with -"},
		{"dash", "-", "", "begins with -"},
		{"negative number", -5.0, "", "begins with -"},
		{"parent", "../../etc/passwd", "../../etc/passwd", ""},
		{"encoded parent", "%2e%2e", "%2e%2e", ""},
		{"query", "?", "?", ""},
		{"line ends", "a\r\nb: c", "a\r\nb: c", ""},
		{"NUL", "a\x00b", "", "NUL"},
		{"a file", "${file:/etc/passwd}", "${file:/etc/passwd}", ""},
		{"a variable", "${env:HOME} $HOME `id` $(id)", "${env:HOME} $HOME `id` $(id)", ""},
		{"a template", "{{ $.workflow.id }}", "{{ $.workflow.id }}", ""},
		{"a path", "$.workflow.id", "$.workflow.id", ""},
		{"quotes", `"; id; '`, `"; id; '`, ""},
		{"globs", "* ? [a] ~", "* ? [a] ~", ""},
		{"empty", "", "", ""},
		{"2^53+1 as text", "9007199254740993", "9007199254740993", ""},
		{"2^53", 9007199254740992.0, "9007199254740992", ""},
		{"beyond 2^53", 9007199254740994.0, "", "beyond 2^53"},
		{"beyond 2^53 within", []any{map[string]any{"a": -9007199254740994.0}}, "", "beyond 2^53"},
		{"a float beyond 2^53", 1e300, "1e+300", ""},
		{"number", 1.5, "1.5", ""},
		{"boolean", true, "true", ""},
		{"object", map[string]any{"b": "x", "a": []any{nil, 1.0}}, `{"a":[null,1],"b":"x"}`, ""},
		{"list", []any{"-x", "${env:A}"}, `["-x","${env:A}"]`, ""},
		{"null", nil, "", "leads to nothing"},
		{"1 MB", strings.Repeat("x", 1<<20), "", "longer than"},
		{"the longest", strings.Repeat("x", 128<<10-1), strings.Repeat("x", 128<<10-1), ""},
		{"one more", strings.Repeat("x", 128<<10), "", "longer than"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := &bench{env: arguments(map[string]any{"x": tt.value})}
			b.script("test.echo", "#!/bin/sh\nfor a; do printf '<%s>' \"$a\"; done\n")
			for kind, config := range map[string]string{
				"cli": `{'command':'sh','args':[` + echo + `,'$.arguments.x']}`, "script": `{'subject':'test.echo','args':['$.arguments.x']}`,
			} {
				r := b.run(t, kind, config)
				if tt.says != "" {
					refused(t, r.Failure, tt.says, "$.arguments.x")
					continue
				}
				if r.Failure != nil {
					t.Fatalf("%s failed: %+v", kind, r.Failure)
				}
				if got := r.Output.(map[string]any)["stdout"]; got != "<"+tt.want+">" {
					t.Errorf("%s got %.200q, want %.200q", kind, got, tt.want)
				}
			}
		})
	}
}

// refused tells whether a failure is one before anything has begun, that says what is wrong with the value of a path.
func refused(t *testing.T, f *workflow.Failure, says, path string) {
	t.Helper()
	if f == nil || f.Class != workflow.ClassPermanent || f.Begun != workflow.NotBegun || !strings.Contains(f.Message, says) || !strings.Contains(f.Message, path) || len(f.Message) > 200 {
		t.Errorf("got %+v, want %q", f, says)
	}
}

// TestHostileVariables: the same for values in the environment.
func TestHostileVariables(t *testing.T) {
	t.Parallel()
	for value, says := range map[string]string{
		"-x": "", "a\nB=c": "", "${file:/etc/passwd}": "", "{{ $.workflow.id }}": "", "a\x00b": "NUL", strings.Repeat("x", 1<<20): "longer than",
	} {
		b := &bench{env: arguments(map[string]any{"x": value})}
		r := b.run(t, "cli", `{'command':'sh','args':['-c',`+quoted(`printf %s "$A"`)+`],'env':{'A':'$.arguments.x'}}`)
		switch {
		case says != "":
			refused(t, r.Failure, says, "$.arguments.x")
		case r.Failure != nil:
			t.Errorf("%q: %+v", value, r.Failure)
		case r.Output.(map[string]any)["stdout"] != value:
			t.Errorf("%q arrives as %q", value, r.Output)
		}
	}
	for _, config := range []string{`{'command':'env','env':{'A':'$.arguments.none'}}`, `{'command':'env','args':['$.arguments.none']}`, `{'command':'env','args':['$.run.x']}`} {
		_, failure := new(bench).prepare(t, "cli", config)
		refused(t, failure, "leads to nothing", "$.")
	}
}

// TestArgumentsArriveAsTheyAre: any text without NUL is one element of argv, behind a -- of the definition.
func TestArgumentsArriveAsTheyAre(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		x, y := rapid.String().Draw(rt, "x"), rapid.String().Draw(rt, "y")
		b := &bench{env: arguments(map[string]any{"x": x, "y": y})}
		r := b.run(t, "cli", `{'command':'sh','args':[`+echo+`,'--','$.arguments.x','and','$.arguments.y']}`)
		if strings.ContainsRune(x+y, 0) {
			if r.Failure == nil {
				rt.Fatal("NUL was taken")
			}
			return
		}
		if r.Failure != nil {
			rt.Fatalf("failed: %+v", r.Failure)
		}
		if got, want := r.Output.(map[string]any)["stdout"], "<--><"+x+"><and><"+y+">"; got != want {
			rt.Fatalf("got %q, want %q", got, want)
		}
	})
}

// TestDoubleDash: what begins with - passes behind a -- that the definition has written, if that is read by the program
// which gets the value, and not by one that starts it.
func TestDoubleDash(t *testing.T) {
	t.Parallel()
	for args, taken := range map[string]bool{
		`'--','$.arguments.x'`:                            true,
		`'a','--','b','$.arguments.x'`:                    true,
		`'$.arguments.x','--'`:                            false,
		`'$.arguments.dashes','$.arguments.x'`:            false,
		`'--','env','--','rm','$.arguments.x'`:            true, // the first is echo's own
		`'----','$.arguments.x'`:                          false,
		`'nohup','--','rm','$.arguments.x'`:               false,
		`'nohup','--','rm','--','$.arguments.x'`:          true,
		`'bash','--','script.sh','$.arguments.x'`:         false,
		`'bash','-c','rm $1','bash','--','$.arguments.x'`: true,
	} {
		b := &bench{env: arguments(map[string]any{"x": "-rf", "dashes": "--"})}
		run, failure := b.prepare(t, "cli", `{'command':'echo','args':[`+args+`]}`)
		if taken != (run != nil) || taken == (failure != nil) {
			t.Errorf("[%s]: %+v", args, failure)
		}
	}
}

// TestTooMuchForTheSystem: arguments that fit one by one and not together are no effect.
func TestTooMuchForTheSystem(t *testing.T) {
	t.Parallel()
	b := &bench{env: arguments(map[string]any{"x": strings.Repeat("x", 128<<10-1)})}
	many := strings.TrimSuffix(strings.Repeat("'$.arguments.x',", 100), ",")
	f := b.run(t, "cli", `{'command':'true','args':[`+many+`]}`).Failure
	if f == nil || f.Class != workflow.ClassConnection || f.Begun != workflow.NotBegun {
		t.Errorf("got %+v", f)
	}
}

// TestPinnedSpec: a configuration that is read without its surroundings runs the same.
func TestPinnedSpec(t *testing.T) {
	t.Parallel()
	b := &bench{env: arguments(map[string]any{"x": "hi"})}
	b.connect(t, "box", `{'command':'echo'}`)
	spec := &executor.CLI{}
	read(t, `{'connection':'box','args':['$.arguments.x'],'workingDirectory':'sub/..'}`, spec)
	if tier, found := spec.Check(workflow.Surroundings{Roots: everywhere}); found != nil {
		t.Fatalf("%v, %v", tier, found)
	}
	run, failure := executor.NewCLI(&b.secrets).Prepare(t.Context(), executor.Request{
		Executor: &workflow.Executor{Kind: "cli", Spec: spec}, Connection: b.connection, Env: b.env,
	})
	if failure != nil {
		t.Fatalf("failed: %+v", failure)
	}
	if r := run.Do(t.Context()); r.Failure != nil || r.Output.(map[string]any)["stdout"] != "hi\n" {
		t.Errorf("got %+v", r)
	}
}
