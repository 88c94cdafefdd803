package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/auth/clients"
)

func readDoc(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestReadmeFirstScreen: the two commands and the curl line that the first screen shows are those that
// there are.
func TestReadmeFirstScreen(t *testing.T) {
	t.Parallel()
	text := readDoc(t, "README.md")
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(text, 2)
	if len(blocks) < 2 {
		t.Fatal("the first screen has no two blocks")
	}
	if want := "go run ./cmd/prax serve --dev\ngo test ./...\n"; blocks[0][1] != want {
		t.Errorf("the first block is %q, want %q", blocks[0][1], want)
	}
	if want := curlLine("http://"+readmeAddr+"/mcp", "prx_…", devCall) + "\n"; blocks[1][1] != want {
		t.Errorf("the curl line is\n%s, and serve --dev prints\n%s", blocks[1][1], want)
	}
}

// TestDocsNameWhatExists: every setting and every command that the documents name is there.
func TestDocsNameWhatExists(t *testing.T) {
	t.Parallel()
	text := readDoc(t, "README.md") + readDoc(t, "CHANGELOG.md") + readDoc(t, operateDoc) + readDoc(t, servingDoc) + readDoc(t, workflowsDoc) + readDoc(t, "docs/performance.md") +
		readDoc(t, monitoringDoc)
	for _, name := range regexp.MustCompile(`\b(?:MCP|PRAX)_[A-Z_]+[A-Z]\b`).FindAllString(text, -1) {
		if !known(name) && name != "PRAX_TOKEN" { // a shell variable of client add
			t.Errorf("%s is no setting", name)
		}
	}
	code := strings.Join(regexp.MustCompile("(?s)```sh\n.*?```|`[^`\n]+`").FindAllString(text, -1), "\n")
	for _, match := range regexp.MustCompile("(?m)(?:^|`|\\()prax ([a-z]+)(?: ([a-z]+))?").FindAllStringSubmatch(code, -1) {
		if !isCommand(match[1], match[2]) {
			t.Errorf("%q is no command", strings.TrimSpace(match[0]))
		}
	}
}

func isCommand(name, sub string) bool {
	i := slices.IndexFunc(commands(), func(c command) bool { return c.name == name })
	if i < 0 {
		return name == "help"
	}
	group := commands()[i].sub
	return group == nil || sub == "" || slices.ContainsFunc(group, func(c command) bool { return c.name == sub })
}

// TestReadmeTools: the README's table is the catalogue, each tool with its tier.
func TestReadmeTools(t *testing.T) {
	t.Parallel()
	rows := regexp.MustCompile("(?m)^\\| ((?:`[\\w.]+`(?:, )?)+) \\| (LOW|MEDIUM|HIGH) \\|").FindAllStringSubmatch(readDoc(t, "README.md"), -1)
	got := map[string]string{}
	for _, row := range rows {
		for name := range strings.SplitSeq(row[1], ", ") {
			got[strings.Trim(name, "`")] = row[2]
		}
	}
	want := map[string]string{}
	for _, tool := range newCatalogue(nil).list {
		want[tool.Name] = strings.ToUpper(tool.Tier.String())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-catalogue +README):\n%s", diff)
	}
}

// TestDocsLinks: whatever a document links is there, file and heading.
func TestDocsLinks(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(names) < 8 {
		t.Fatalf("%d documents, %v", len(names), err)
	}
	for _, name := range append(names, "../../README.md") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		links := regexp.MustCompile(`\]\(([^)#:\s]*)(?:#([^)\s]+))?\)`).FindAllStringSubmatch(string(text), -1)
		for _, link := range links {
			to := name
			if link[1] != "" {
				to = filepath.Join(filepath.Dir(name), link[1])
			}
			if !exists(to) {
				t.Errorf("%s: %s is not there", name, link[1])
			} else if link[2] != "" && !hasHeading(t, to, link[2]) {
				t.Errorf("%s: %s has no heading %s", name, to, link[2])
			}
		}
	}
}

// hasHeading tells whether a document has a heading that a link with this fragment leads to.
func hasHeading(t *testing.T, name, fragment string) bool {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, heading := range regexp.MustCompile("(?m)^#+ (.*)$").FindAllStringSubmatch(string(text), -1) {
		plain := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(heading[1]), "")
		if strings.ReplaceAll(plain, " ", "-") == fragment {
			return true
		}
	}
	return false
}

// TestReadmeClients: the clients.json that the README shows says what it seems to say.
func TestReadmeClients(t *testing.T) {
	t.Parallel()
	block := regexp.MustCompile("(?s)```json\n(.*?)```").FindStringSubmatch(readDoc(t, "README.md"))
	if block == nil {
		t.Fatal("the README shows no clients.json")
	}
	path := write(t, "clients.json", strings.Replace(block[1], "…", strings.Repeat("5a", 32), 1))
	report := clients.Check(clients.Config{Path: path}, newCatalogue(nil), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	if report.Clients != 1 || len(report.Problems) > 0 {
		t.Errorf("%d clients, problems %v", report.Clients, report.Problems)
	}
}
