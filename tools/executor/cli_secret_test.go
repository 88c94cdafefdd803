package executor_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/tools/workflow"
)

// The canaries: one in the environment, one in a file, with characters that encodings write otherwise.
const (
	canaryEnv  = `canary/env+"7`
	canaryFile = "canary in a file: ä&="
)

// withCanaries is a bench with a connection whose environment has both.
func withCanaries(t *testing.T, command string) *bench {
	t.Helper()
	file := filepath.Join(t.TempDir(), "canary")
	if err := os.WriteFile(file, []byte(canaryFile+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := &bench{}
	b.secrets.Env = func(name string) (string, bool) { return canaryEnv, name == "CANARY" }
	b.connect(t, "box", `{'command':'`+command+`','env':{'ONE':'${env:CANARY}','TWO':'Bearer ${file:`+file+`}','THREE':'${file:`+file+`}'}}`)
	return b
}

// spelled are the canaries as a program may print them.
func spelled() []string {
	var all []string
	for _, c := range []string{canaryEnv, canaryFile} {
		all = append(all, c, strings.ReplaceAll(c, `"`, `\"`), url.QueryEscape(c), url.PathEscape(c),
			base64.StdEncoding.EncodeToString([]byte(c)), base64.RawURLEncoding.EncodeToString([]byte(c)))
	}
	return all
}

// leaks tells what of the canaries something has.
func leaks(v any) (found []string) {
	text := fmt.Sprintf("%+v", v)
	if r, ok := v.(workflow.Result); ok && r.Failure != nil {
		text += fmt.Sprintf("%+v", *r.Failure)
	}
	for _, c := range spelled() {
		if strings.Contains(text, c) {
			found = append(found, c)
		}
	}
	return found
}

// TestLaw10Canaries: a program has its secrets, and whatever it prints of them is cut out of the output, its JSON, the
// evidence and the failure; the material has them by name.
func TestLaw10Canaries(t *testing.T) {
	t.Parallel()
	const all = `printf '%s\n' "$ONE" "$TWO"; printf '%s' "$ONE" | base64; printf '%s' "$THREE" | base64 -w0`
	for name, tt := range map[string]struct{ script, want string }{
		"stdout":              {all, "[secret]"},
		"stderr":              {"{ " + all + "; } >&2", "[secret]"},
		"failure":             {`echo "denied: $ONE" >&2; exit 1`, "exit status 1: denied: [secret]"},
		"a failure in base64": {`printf %s "$ONE" | base64 >&2; exit 1`, "exit status 1: [secret]"},
		"json":                {`printf '{"%s": ["%s"], "b": "\\u0063anary in a file: \\u00e4&="}' "$THREE" "$THREE"`, "[secret]"},
		"both":                {`printf %s%s "$ONE" "$ONE"`, "[secret][secret]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := withCanaries(t, "sh")
			b.script("test.leak", tt.script)
			for kind, config := range map[string]string{
				"cli": `{'connection':'box','args':['-c',` + quoted(tt.script) + `]}`, "script": `{'subject':'test.leak','connection':'box'}`,
			} {
				run, failure := b.prepare(t, kind, config)
				if failure != nil {
					t.Fatalf("%s failed: %+v", kind, failure)
				}
				if found := leaks(run.Material["connection"]); found != nil || !strings.Contains(fmt.Sprint(run.Material), "${env:CANARY}") {
					t.Errorf("%s: the material is %v", kind, run.Material)
				}
				r := run.Do(t.Context())
				if found := leaks(r); found != nil {
					t.Errorf("%s leaks %q:\n%+v\n%+v", kind, found, r, r.Failure)
				}
				if text := fmt.Sprintf("%+v%+v", r, r.Failure); !strings.Contains(text, tt.want) {
					t.Errorf("%s has no %q:\n%s", kind, tt.want, text)
				}
			}
		})
	}
}

// TestLaw10SecretArrives: what is cut out of the output did reach the program.
func TestLaw10SecretArrives(t *testing.T) {
	t.Parallel()
	b := withCanaries(t, "sh")
	sizes := b.stdout(t, `{'connection':'box','args':['-c',`+quoted(`printf %s "$ONE" | wc -c; printf %s "$TWO" | wc -c`)+`]}`)
	want := []string{fmt.Sprint(len(canaryEnv)), fmt.Sprint(len("Bearer " + canaryFile))}
	if diff := cmp.Diff(want, strings.Fields(sizes)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestLaw10CutAtTheEnd: a secret that is cut in two by the bound of the output does not leave its first half there.
func TestLaw10CutAtTheEnd(t *testing.T) {
	t.Parallel()
	b := withCanaries(t, "sh")
	for _, left := range []int{1, 4, 12} {
		script := fmt.Sprintf(`head -c %d /dev/zero | tr '\0' x; printf '%%s more' "$ONE"`, 1<<20-left)
		r := b.run(t, "cli", `{'connection':'box','args':['-c',`+quoted(script)+`]}`)
		if r.Failure != nil {
			t.Fatalf("failed: %+v", r.Failure)
		}
		output := r.Output.(map[string]any)
		if stdout := strings.TrimLeft(output["stdout"].(string), "x"); output["truncated"] != true || strings.Contains(stdout, "c") && stdout != "[secret]" {
			t.Errorf("%d bytes before the end: it ends in %q, truncated %v", left, stdout, output["truncated"])
		}
	}
}

// TestSecretThatIsMissing: without its secrets nothing is started, and what is told of it is no secret and no name.
func TestSecretThatIsMissing(t *testing.T) {
	t.Parallel()
	mark := filepath.Join(t.TempDir(), "ran")
	b := withCanaries(t, "touch")
	b.secrets.Env = func(string) (string, bool) { return "", false }
	b.script("test.touch", "touch "+mark)
	for kind, config := range map[string]string{"cli": `{'connection':'box','args':['` + mark + `']}`, "script": `{'subject':'test.touch','connection':'box'}`} {
		run, failure := b.prepare(t, kind, config)
		if failure != nil {
			t.Fatalf("%s: %+v", kind, failure)
		}
		f := run.Do(t.Context()).Failure
		if f == nil || f.Begun != workflow.NotBegun || strings.Contains(f.Message, "CANARY") || f.Cause == nil || !strings.Contains(f.Cause.Error(), "not set") {
			t.Errorf("%s: %+v", kind, f)
		}
	}
	if _, err := os.Stat(mark); !os.IsNotExist(err) {
		t.Errorf("it ran: %v", err)
	}
}
