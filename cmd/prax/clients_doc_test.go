package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
)

const (
	clientsDoc   = "docs/clients.md"
	clientsStory = "testdata/clients-doc.txtar"
)

// snippet is a block of docs/clients.md and the name that stands above it.
type snippet struct{ name, kind, text string }

var snippetBlock = regexp.MustCompile("(?s)<!-- snippet: ([a-z-]+) -->\n```([a-z]+)\n(.*?)```\n")

func snippets(text string) []snippet {
	var list []snippet
	for _, m := range snippetBlock.FindAllStringSubmatch(text, -1) {
		list = append(list, snippet{m[1], m[2], m[3]})
	}
	return list
}

// snippetCommand writes a snippet of docs/clients.md to NAME.sh or to FILE, with the address of this story's server
// in place of the one it shows.
func snippetCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: snippet NAME [FILE]")
	}
	text, err := os.ReadFile("../../" + clientsDoc)
	ts.Check(err)
	list := snippets(string(text))
	i := slices.IndexFunc(list, func(s snippet) bool { return s.name == args[0] })
	if i < 0 {
		ts.Fatalf("%s has no snippet %q", clientsDoc, args[0])
	}
	script := strings.ReplaceAll(list[i].text, readmeAddr, ts.Getenv("HOSTPORT"))
	ts.Check(os.WriteFile(ts.MkAbs(append(args[1:], args[0]+".sh")[0]), []byte(script), 0o600))
}

// credentials is how each snippet comes by its token. Whoever adds a snippet says it here.
var credentials = map[string]string{
	"curl-list":           `"Authorization: Bearer $PRAX_TOKEN"`,
	"curl-call":           `"Authorization: Bearer $PRAX_TOKEN"`,
	"curl-modern":         `"Authorization: Bearer $PRAX_TOKEN"`,
	"curl-status":         `"Authorization: Bearer $PRAX_TOKEN"`,
	"claude-code-add":     `'Authorization: Bearer ${PRAX_TOKEN}'`,
	"claude-code-project": `"Authorization": "Bearer ${PRAX_TOKEN}"`,
	"claude-desktop":      `"env": { "PRAX_AUTHORIZATION": "Bearer prx_…" }`,
	"cursor":              `"Authorization": "Bearer ${env:PRAX_TOKEN}"`,
	"vscode":              `"Authorization": "Bearer ${input:prax-token}"`,
	"codex-add":           `--bearer-token-env-var PRAX_TOKEN`,
	"codex":               `bearer_token_env_var = "PRAX_TOKEN"`,
	"python":              `"Bearer " + os.environ["PRAX_TOKEN"]`,
	"langchain":           `"Bearer " + os.environ["PRAX_TOKEN"]`,
	"typescript":          "`Bearer ${process.env.PRAX_TOKEN}`",
}

// notForCallers are snippets of the server's side: they have neither an address nor a token.
var notForCallers = []string{"token", "underscore"}

// TestClientsDocSnippets: every block has a name and is well formed, goes to the default address of prax, and has
// its token from where the document says.
func TestClientsDocSnippets(t *testing.T) {
	t.Parallel()
	text := readDoc(t, clientsDoc)
	list := snippets(text)
	if fences := strings.Count(text, "\n```"); fences != 2*len(list) {
		t.Errorf("%d fences, but %d named snippets", fences, len(list))
	}
	var callers []string
	for _, s := range list {
		if !slices.Contains(notForCallers, s.name) {
			callers = append(callers, s.name)
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			checkCaller(t, s)
			checkSyntax(t, s)
		})
	}
	var want []string
	for name := range credentials {
		want = append(want, name)
	}
	slices.Sort(want)
	slices.Sort(callers)
	if diff := cmp.Diff(want, callers); diff != "" {
		t.Errorf("snippets (-known +in the document):\n%s", diff)
	}
}

func checkCaller(t *testing.T, s snippet) {
	t.Helper()
	if !strings.Contains(s.text, credentials[s.name]) {
		t.Errorf("its token is not %s", credentials[s.name])
	}
	if leaked := regexp.MustCompile(`prx_[a-z0-9]+`).FindString(s.text); leaked != "" {
		t.Errorf("it shows a token, %s", leaked)
	}
	if slices.Contains(notForCallers, s.name) {
		return
	}
	want := []string{"http://" + settingNamed(t, "PRAX_ADDR") + "/mcp"}
	if urls := regexp.MustCompile(`https?://[^\s"')]+`).FindAllString(s.text, -1); !slices.Equal(urls, want) {
		t.Errorf("it goes to %q, want %q", urls, want)
	}
}

// settingNamed is the default of a setting.
func settingNamed(t *testing.T, name string) string {
	t.Helper()
	i := slices.IndexFunc(variables, func(v variable) bool { return v.name == name })
	if i < 0 {
		t.Fatalf("no setting %s", name)
	}
	return variables[i].initial
}

// checkSyntax judges a snippet by its kind. Python and JavaScript need their interpreters; server/mcp/interop runs
// them.
func checkSyntax(t *testing.T, s snippet) {
	t.Helper()
	switch s.kind {
	case "json":
		if err := json.Unmarshal([]byte(s.text), new(map[string]jsontext.Value)); err != nil {
			t.Error(err)
		}
	case "toml":
		if _, err := parseTOML(s.text); err != nil {
			t.Error(err)
		}
	case "sh":
		interpret(t, s.text, "snippet.sh", "sh", "-n")
	case "python":
		interpret(t, s.text, "snippet.py", "python3", "-m", "py_compile")
	case "js":
		interpret(t, s.text, "snippet.mjs", "node", "--check")
	default:
		t.Errorf("nothing here checks a block of %q", s.kind)
	}
}

// interpret has a program check a text, in a directory of its own.
func interpret(t *testing.T, text, file, program string, args ...string) {
	t.Helper()
	path, err := exec.LookPath(program)
	if errors.Is(err, exec.ErrNotFound) {
		t.Skipf("no %s on this machine to check its syntax", program)
	}
	cmd := exec.Command(path, append(args, write(t, file, text))...)
	cmd.Dir = t.TempDir()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", program, err, out)
	}
}

var (
	tomlTable = regexp.MustCompile(`^\[([A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*)\]$`)
	tomlPair  = regexp.MustCompile(`^([A-Za-z0-9_-]+) = "([^"\\]*)"$`)
)

// parseTOML reads the part of TOML that a snippet needs: tables and strings without escapes, nothing twice. Anything
// else is an error.
func parseTOML(text string) (map[string]string, error) {
	got, table := map[string]string{}, ""
	for n, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		key, value := "", ""
		if m := tomlTable.FindStringSubmatch(line); m != nil {
			key, table = m[1], m[1]+"."
		} else if m := tomlPair.FindStringSubmatch(line); m != nil {
			key, value = table+m[1], m[2]
		} else {
			return nil, fmt.Errorf("line %d is neither a table nor a string: %s", n+1, line)
		}
		if _, twice := got[key]; twice {
			return nil, fmt.Errorf("line %d says %s again", n+1, key)
		}
		got[key] = value
	}
	return got, nil
}

func TestParseTOML(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want map[string]string
	}{
		{"[a.b]\nc = \"d\"\n", map[string]string{"a.b": "", "a.b.c": "d"}},
		{"c = \"d\"", map[string]string{"c": "d"}},
		{"[a]\n[a]\n", nil},
		{"[a]\nb = \"c\"\nb = \"d\"\n", nil},
		{"[a\nb = \"c\"\n", nil},
		{"[a..b]\n", nil},
		{"b = c\n", nil},
		{"b = \"c\n", nil},
		{"b: \"c\"\n", nil},
		{"{\"b\": 1}\n", nil},
	} {
		got, err := parseTOML(tt.text)
		if diff := cmp.Diff(tt.want, got); diff != "" || (err == nil) != (tt.want != nil) {
			t.Errorf("%q: %v, (-want +got):\n%s", tt.text, err, diff)
		}
	}
}

// TestClientsDocRuns: each request with curl is one of the story that runs them, and everything else that has a
// snippet is run by the official clients in server/mcp/interop, or is not to be had without a window.
func TestClientsDocRuns(t *testing.T) {
	t.Parallel()
	story := readDoc(t, filepath.Join("cmd/prax", clientsStory))
	drivers := readDoc(t, "server/mcp/interop/documented.mjs")
	windows := []string{"cursor", "vscode"}
	for _, s := range snippets(readDoc(t, clientsDoc)) {
		here := strings.Contains(story, "\nsnippet "+s.name+"\n") || strings.Contains(story, "\nsnippet "+s.name+" ")
		there := strings.Contains(drivers, "'"+s.name+"'")
		if slices.Contains(windows, s.name) == (here || there) {
			t.Errorf("%s: run by the story: %v, by the official clients: %v", s.name, here, there)
		}
		if strings.HasPrefix(s.text, "curl ") && !here {
			t.Errorf("%s: a request with curl that the story does not send", s.name)
		}
	}
}

// TestClientsDocNamesWhatExists: settings, commands and anchors.
func TestClientsDocNamesWhatExists(t *testing.T) {
	t.Parallel()
	text := readDoc(t, clientsDoc)
	for _, name := range regexp.MustCompile(`\b(?:MCP|PRAX)_[A-Z_]+[A-Z]\b`).FindAllString(text, -1) {
		if !known(name) && name != "PRAX_TOKEN" && name != "PRAX_AUTHORIZATION" { // the reader's own variables
			t.Errorf("%s is no setting", name)
		}
	}
	for _, match := range regexp.MustCompile("(?m)(?:^|`)prax ([a-z]+)(?: ([a-z]+))?").FindAllStringSubmatch(text, -1) {
		if !isCommand(match[1], match[2]) {
			t.Errorf("%q is no command", strings.TrimSpace(match[0]))
		}
	}
	var anchors []string
	for _, heading := range regexp.MustCompile(`(?m)^##? (.*)$`).FindAllStringSubmatch(text, -1) {
		anchors = append(anchors, "#"+strings.ReplaceAll(strings.ToLower(heading[1]), " ", "-"))
	}
	for _, link := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(text, -1) {
		if !slices.Contains(anchors, link[1]) {
			t.Errorf("no heading for %s", link[1])
		}
	}
}
