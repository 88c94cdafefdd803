package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/tools"
)

// TestCommandsTakeWhatTheyUse: a command takes the flags of the settings that it reads, and no other: one
// that was taken and dropped would be a restriction that nobody enforces. Whatever reads a setting also
// takes --env and --dev.
func TestCommandsTakeWhatTheyUse(t *testing.T) {
	t.Parallel()
	var all []string
	for _, v := range variables {
		if v.flag != "" {
			all = append(all, v.flag)
		}
	}
	slices.Sort(all)
	edit := []string{"addr", "clients", "data", "public-url"}
	grant := []string{"addr", "clients", "config", "data", "public-url"}
	want := map[string][]string{
		"serve": all, "check": all, "doctor": all, "config show": all,
		"client add": grant, "client rotate": edit, "client revoke": edit, "client list": grant,
		"token hash": nil, "token inspect": {"clients"}, "token jwt": {"clients", "config", "data", "public-url"}, "token revoke": {"clients", "config", "data"}, "version": nil, "completion": nil, "health": {"addr", "tls-cert"}, "bench": {"addr"},
		"access": {"clients", "config", "data"}, "call": {"clients", "config", "data"},
		"lexicon define": {"config", "data"}, "lexicon list": {"config", "data"}, "lexicon accept": {"config", "data"},
		"lexicon remove": {"config", "data"}, "lexicon history": {"config", "data"},
		"audit tail": {"data"}, "audit export": {"data"}, "audit verify": {"data"}, "audit archive": {"data", "keep"},
		"backup": {"clients", "config", "data"}, "restore": {"clients", "config", "data"},
	}
	for group, names := range map[string]string{
		"workflow": "list show start submit run cancel history graph", "approvals": "list show approve reject", "operations": "list show reconcile",
	} {
		for name := range strings.FieldsSeq(names) {
			want[group+" "+name] = []string{"clients", "config", "data"}
		}
	}
	got := map[string][]string{}
	for _, c := range commands() {
		for _, path := range paths(c) {
			help := helpOf(t, path)
			_, settings, found := strings.Cut(help, "settings, which are also variables")
			got[path] = flagsIn(settings)
			if takes := flagsIn(help); found != slices.Contains(takes, "dev") || found != slices.Contains(takes, "env") {
				t.Errorf("prax %s takes --dev and --env exactly if it reads settings: %q", path, takes)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func paths(c command) []string {
	if c.run != nil {
		return []string{c.name}
	}
	var all []string
	for _, sub := range c.sub {
		all = append(all, c.name+" "+sub.name)
	}
	return all
}

func helpOf(t *testing.T, path string) string {
	t.Helper()
	p, stdout, stderr := trial()
	if code := p.run(append(strings.Fields(path), "-h")); code != exitOK {
		t.Fatalf("prax %s -h ends with %d: %s", path, code, stderr)
	}
	return stdout.String()
}

// flagsIn are the flags of the lines that explain one.
func flagsIn(help string) (names []string) {
	for _, match := range regexp.MustCompile(`(?m)^  --([a-z-]+)`).FindAllStringSubmatch(help, -1) {
		names = append(names, match[1])
	}
	return names
}

// TestNearest: a slip of the finger is seen through, and another word is not.
func TestNearest(t *testing.T) {
	t.Parallel()
	known := []string{"memory_recall", "memory_remember", "get_current_datetime", "low", "allow"}
	for text, want := range map[string]string{
		"memory_recal": "memory_recall", "memoryRecall": "memory_recall", "memory.recall": "memory_recall", "memory_rcelal": "memory_recall",
		"get-current-date-time": "get_current_datetime", "alloww": "allow", "Low": "low",
		"weather": "", "memory": "", "": "", "x": "", "lo": "", "recall": "", "memory_forget": "",
	} {
		if got := tools.Nearest(text, known); got != want {
			t.Errorf("%q is near %q, want %q", text, got, want)
		}
	}
}

// TestEndpoint: the address that callers are told ends in /mcp, once.
func TestEndpoint(t *testing.T) {
	t.Parallel()
	for public, want := range map[string]string{
		"": "http://127.0.0.1:8808/mcp", "https://a.example": "https://a.example/mcp", "https://a.example/": "https://a.example/mcp",
		"https://a.example/mcp": "https://a.example/mcp", "https://a.example/mcp/": "https://a.example/mcp", "https://a.example/x": "https://a.example/x/mcp",
		"https://a.example/x/y/": "https://a.example/x/y/mcp", "https://a.example:8443/x/mcp": "https://a.example:8443/x/mcp",
	} {
		s, _ := load(t, []string{"PRAX_PUBLIC_URL=" + public})
		if got := s.endpoint(s.Addr); got != want {
			t.Errorf("%q gives %s, want %s", public, got, want)
		}
	}
}

// TestStartLine: the command that is shown starts a server for what the flags named, word by word.
func TestStartLine(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"MCP_SERVER_ENABLED=true prax serve": nil,
		"prax serve --dev":                   {"--dev"},
		"MCP_SERVER_ENABLED=true prax serve --clients 'a b.json' --addr 127.0.0.1:9":      {"--addr", "127.0.0.1:9", "--clients", "a b.json"},
		`MCP_SERVER_ENABLED=true prax serve --env x.env --data '$(rm -rf x)'\''` + "`y`'": {"--env", "x.env", "--data", "$(rm -rf x)'`y`"},
	} {
		p, _, _ := trial()
		f := p.flags("client add", "", "").withSettings(clientSettings...)
		if _, err := f.parse(args, 0, 0); err != nil {
			t.Fatal(err)
		}
		if got := (found{}).start(f); got != want {
			t.Errorf("%q: %s, want %s", args, got, want)
		}
		if got := (found{up: true}).start(f); got != "" {
			t.Errorf("%q, with a server: %s", args, got)
		}
	}
}
