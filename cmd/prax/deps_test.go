package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// layers is the order of the packages: a package imports only lower layers. The text is what a package is for, shown
// beside a forbidden edge.
var layers = map[string]struct {
	layer int
	why   string
}{
	"prax/auth":                        {0, "identities and credentials, known to all, knowing nobody"},
	"prax/auth/watch":                  {0, "files that change"},
	"prax/store/digest":                {0, "canonical JSON and hashes"},
	"prax/tools/workflow/expr":         {0, "the small language of definitions"},
	"prax/tools/workflow":              {3, "the engine of workflows, pure"},
	"prax/tools/workflow/workflowtest": {4, "random definitions for tests"},
	"prax/auth/policy":                 {1, "the one decision, pure"},
	"prax/auth/jwt":                    {1, "signed tokens that stand for a client, and narrow it"},
	"prax/store":                       {1, "durable nouns and the interfaces to them"},
	"prax/tools/schema":                {1, "JSON Schema"},
	"prax/tools/egress":                {1, "the one outbound dialer and HTTP client"},
	"prax/tools/process":               {1, "the one way to start a child"},
	"prax/server/jsonrpc":              {1, "JSON-RPC messages"},
	"prax/store/sqlite":                {2, "the embedded store"},
	"prax/tools/secret":                {2, "secrets of connections, in and out again"},
	"prax/tools/lexicon":               {2, "terms, aliases, and what has no meaning yet"},
	"prax/store/storetest":             {2, "the suite that any store passes"},
	"prax/auth/clients":                {2, "clients.json"},
	"prax/server/edge":                 {3, "one HTTP exchange"},
	"prax/tools":                       {3, "the one pipeline"},
	"prax/tools/definition":            {4, "configuration files, read strictly and compiled"},
	"prax/tools/executor":              {4, "what a capability does, one kind each"},
	"prax/tools/builtin":               {4, "the tools that come with prax"},
	"prax/tools/runner":                {5, "runs instances, and keeps their time"},
	"prax/tools/praxec":                {6, "the two tools of workflows"},
	"prax/server/mcp":                  {7, "translation from and to MCP"},
	"prax/server/control":              {7, "the operator's socket"},
	"prax/server":                      {8, "listening, limits, mounting, drain"},
	"prax/cmd/prax/bench":              {0, "load on any server, knowing of ours the wire alone: it measures others alike"},
	"prax/cmd/prax/doctor":             {8, "faults of an installation, from facts that it is handed"},
	"prax/cmd/prax":                    {9, "wiring"},

	"prax/examples/expense-claim/ledger": {0, "a service for examples to post to, a program of its own"},
}

// owners says which package links which dependency: each is wrapped by one, so that it can be
// replaced, and so that its risk stands in one place. Every other module is used by none of ours.
var owners = map[string][]string{
	"modernc.org/sqlite":                    {"prax/store/sqlite"},
	"go.yaml.in/yaml/v3":                    {"prax/tools/definition"},
	"github.com/fsnotify/fsnotify":          {"prax/auth/watch"},
	"github.com/golang-jwt/jwt":             {"prax/auth/jwt"},
	"github.com/santhosh-tekuri/jsonschema": {"prax/tools/schema"},
	"github.com/go-json-experiment/json":    {"*"},
	"github.com/VictoriaMetrics/metrics":    {"prax/server"},
	"github.com/google/go-cmp":              {"prax/store/storetest"}, // a suite: tests only import it
	"pgregory.net/rapid":                    {"prax/store/storetest", "prax/tools/workflow/workflowtest"},
}

type listed struct {
	ImportPath string
	Name       string
	Doc        string
	Imports    []string
}

// TestLayers holds the packages to their table: only lower layers, each dependency in its one place, and
// a doc comment on every package.
func TestLayers(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		home, known := layers[p.ImportPath]
		if !known {
			t.Errorf("%s is in no layer: give it one in this table, and a reason", p.ImportPath)
			continue
		}
		if p.Doc == "" {
			t.Errorf("%s has no doc comment: say what it is for and who may use it", p.ImportPath)
		}
		for _, path := range p.Imports {
			if lower, ours := layers[path]; ours && lower.layer >= home.layer {
				t.Errorf("%s (layer %d: %s) imports %s (layer %d: %s)",
					p.ImportPath, home.layer, home.why, path, lower.layer, lower.why)
			}
			if !mayLink(p.ImportPath, path) {
				t.Errorf("%s imports %s, which belongs to %v", p.ImportPath, path, owner(path))
			}
		}
	}
}

// TestArchitectureDoc: the packages of docs/architecture.md are those that there are, but what tests alone import.
func TestArchitectureDoc(t *testing.T) {
	t.Parallel()
	_, text, _ := strings.Cut(readDoc(t, "docs/architecture.md"), "\n## Packages\n")
	text, _, _ = strings.Cut(text, "\n## ")
	var got, want []string
	for _, row := range regexp.MustCompile(`(?m)^\| \[.*?\|`).FindAllString(text, -1) {
		for _, link := range regexp.MustCompile(`\[([a-z/]+)\]\(\.\./([a-z/]+)\)`).FindAllStringSubmatch(row, -1) {
			if link[1] != link[2] {
				t.Errorf("%s leads to %s", link[1], link[2])
			}
			got = append(got, "prax/"+link[1])
		}
	}
	for path := range layers {
		if !strings.HasPrefix(path, "prax/examples/") && path != "prax/tools/workflow/workflowtest" {
			want = append(want, path)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-packages +document):\n%s", diff)
	}
}

func mayLink(pkg, path string) bool {
	first, _, _ := strings.Cut(path, "/")
	if first == "prax" || !strings.Contains(first, ".") {
		return true
	}
	by := owner(path)
	return slices.Contains(by, "*") || slices.Contains(by, pkg)
}

func owner(path string) []string {
	for module, by := range owners {
		if path == module || strings.HasPrefix(path, module+"/") {
			return by
		}
	}
	return nil
}

func packages(t *testing.T) []listed {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Name,Doc,Imports", "prax/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if len(all) < 5 {
		t.Fatalf("go list found %d packages only", len(all))
	}
	return all
}
