package workflow_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"prax/tools/workflow"
	"prax/tools/workflow/workflowtest"
)

// story is a definition that has a bit of everything a picture shows.
func story() *workflow.Definition {
	live, broken := terminal("live"), terminal("broken")
	live.Outcome, broken.Outcome = "success", "failure"
	d := definition(
		state("draft", to("build", "submit"), to("draft", "edit")),
		state("build", to("review", "compile", automatically)),
		state("review", to("ready", "approve", by(workflow.Human)), to("build", "reject", by(workflow.Human)), to("dropped", "drop")),
		state("ready", to("live", "ship", guarded(workflowtest.Permission("ship")),
			branching(workflow.Branch{When: workflowtest.Expr("$.context.failed == true"), Target: "broken"}))),
		live, broken, terminal("dropped"))
	d.Title, d.Timeout, d.OnTimeout = "Ship a change", time.Hour, "dropped"
	return d
}

func TestMermaid(t *testing.T) {
	t.Parallel()
	text, _, _ := strings.Cut(story().Mermaid(), "  classDef")
	equal(t, "text", text, `flowchart TD
  start((" ")) --> s0
  s0["draft"]:::plain
  s1[["build"]]:::chain
  s2{{"review"}}:::gate
  s3["ready"]:::plain
  s4(["live"]):::success
  s5(["broken"]):::failure
  s6(["dropped"]):::final
  s0 -->|"submit"| s1
  s0 -->|"edit"| s0
  s1 -.->|"compile"| s2
  s2 ==>|"approve"| s3
  s2 ==>|"reject"| s1
  s2 -->|"drop"| s6
  s3 -->|"ship [guarded] / branch 1"| s5
  s3 -->|"ship [guarded] / else"| s4
  s0 --o|"after 1h0m0s"| s6
  s1 --o|"after 1h0m0s"| s6
  s2 --o|"after 1h0m0s"| s6
  s3 --o|"after 1h0m0s"| s6
`)
}

// picture is what an SVG consists of: its elements by name and class, and its texts.
func picture(t testing.TB, svg []byte) (elements map[string]int, texts []string) {
	t.Helper()
	elements = map[string]int{}
	d := xml.NewDecoder(strings.NewReader(string(svg)))
	d.Strict = true
	for in := ""; ; {
		token, err := d.Token()
		if err == io.EOF {
			return elements, texts
		}
		if err != nil {
			t.Fatalf("no XML: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			in = token.Name.Local
			elements[in]++
			for _, a := range token.Attr {
				if a.Name.Local == "class" {
					elements[in+"."+a.Value]++
				}
			}
		case xml.CharData:
			if in == "text" && strings.TrimSpace(string(token)) != "" {
				texts = append(texts, string(token))
			}
		}
	}
}

func TestSVGShowsWhatIsWhat(t *testing.T) {
	t.Parallel()
	elements, texts := picture(t, story().SVG())
	all := strings.Join(texts, "\n") + "\n"
	for _, want := range []string{"Ship a change (test)", "draft", "review", "submit", "reject", "ship [guarded] / branch 1", "after 1h0m0s"} {
		if !strings.Contains(all, want+"\n") {
			t.Errorf("does not say %q", want)
		}
	}
	// the legend has one of each shape and line
	for class, want := range map[string]int{
		"rect.chain": 2, "path.gate": 2, "rect.success": 4, "rect.failure": 4, "rect.final": 4, "rect.box": 3,
		"path.line person": 3, "path.line server": 2, "path.line time": 5, "path.line": 7,
	} {
		if elements[class] != want {
			t.Errorf("%d of %s, want %d", elements[class], class, want)
		}
	}
}

// hostile are names that try to be more than names.
var hostile = []string{
	"<script>alert(1)</script>", `"]:::x; click s0 "javascript:alert(1)"`, "a\nb --> c", "&lt;&#x3c;", "]]>", "{{x}}", "`x`", "\u202egpj",
	"%%{init: {}}%%", "x|y", "\x00\x1b[31m", "日本語の状態", strings.Repeat("long ", 200), "end", "#quot;",
}

func TestNamesAreNothingButNames(t *testing.T) {
	t.Parallel()
	line := regexp.MustCompile(`^(flowchart TD|  start\(\(" "\)\) --> s\d+|  s\d+[\[({]+"[^"<>{};` + "`" + `|&\n]*(#\d+;[^"<>{};` + "`" + `|&\n]*)*"[\])}]+:::[a-z]+` +
		`|  s\d+ [-=.>o]+\|"([^"<>|&\n]|<br/>)*"\| s\d+|  classDef [a-z]+ [a-z0-9:#, .-]+)$`)
	for _, name := range hostile {
		d := definition(state(name, to("b", name), to("b", name+"2"), to(name, name+"3")), terminal("b"))
		d.ID, d.Title = name, name
		for n, one := range strings.Split(strings.TrimSuffix(d.Mermaid(), "\n"), "\n") {
			if !line.MatchString(one) {
				t.Errorf("%q: line %d is %s", name, n+1, one)
			}
		}
		elements, _ := picture(t, d.SVG())
		if elements["script"] > 0 || elements["a"] > 0 || elements["foreignObject"] > 0 || elements["path.line"] != 4 {
			t.Errorf("%q: elements %v", name, elements)
		}
		if strings.Contains(string(d.SVG()), "\u202e") || strings.Contains(d.Mermaid(), "\u202e") {
			t.Errorf("%q turns the text around", name)
		}
	}
}

func TestPicturesAreTheSameEachTime(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := workflowtest.Definitions().Draw(t, "definition")
		svg, text := d.SVG(), d.Mermaid()
		if !bytes.Equal(svg, d.SVG()) || text != d.Mermaid() {
			t.Fatal("two pictures of one definition")
		}
	})
}

func TestPicturesAreBounded(t *testing.T) {
	t.Parallel()
	large := &workflow.Definition{ID: "large", Initial: "s0"}
	for n := range 5000 {
		large.States = append(large.States, state(fmt.Sprintf("s%d", n), to(fmt.Sprintf("s%d", (n*7+1)%5000), "go"), to(fmt.Sprintf("s%d", (n+1)%5000), "next")))
	}
	elements, texts := picture(t, large.SVG())
	if len(texts) != 2 || !strings.Contains(texts[1], "5000 states") || !strings.Contains(texts[1], "Mermaid") || elements["path"] > 4 {
		t.Errorf("a picture of 5000 states: %v %q", elements, texts)
	}
	if n := strings.Count(large.Mermaid(), "\"go"); n != 5000 {
		t.Errorf("Mermaid has %d of 5000 transitions", n)
	}
	for n, s := range large.States[:workflow.MaxDrawn] {
		s.Transitions[0].Target = fmt.Sprintf("s%d", n+3)
	}
	large.States = large.States[:workflow.MaxDrawn]
	if n := len(large.SVG()); n < 50_000 || n > 10<<20 {
		t.Errorf("the largest picture has %d bytes", n)
	}
}

// TestManyLoopsAreCounted draws many loops at one state: their names are counted where they are too many.
func TestManyLoopsAreCounted(t *testing.T) {
	t.Parallel()
	s := state("ready")
	for n := range 60 {
		s.Transitions = append(s.Transitions, to("ready", fmt.Sprintf("tool%d", n)))
	}
	_, texts := picture(t, definition(s).SVG())
	if all := strings.Join(texts, "\n"); !strings.Contains(all, "tool0\n") || !strings.Contains(all, "51 more") || strings.Contains(all, "tool20") {
		t.Errorf("texts:\n%s", all)
	}
}
