package main

import (
	"os"
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
	text := readDoc(t, "README.md") + readDoc(t, "CHANGELOG.md") + readDoc(t, operateDoc) + readDoc(t, workflowsDoc) + readDoc(t, "docs/performance.md")
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

// TestReadmeLinks: every file and directory that the README links is there.
func TestReadmeLinks(t *testing.T) {
	t.Parallel()
	links := regexp.MustCompile(`\]\(([^):]+)\)`).FindAllStringSubmatch(readDoc(t, "README.md"), -1)
	if len(links) < 20 {
		t.Fatalf("only %d links were found", len(links))
	}
	for _, link := range links {
		if !exists("../../" + link[1]) {
			t.Errorf("%s is not there", link[1])
		}
	}
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
