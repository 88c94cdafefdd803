package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"prax/auth"
	"prax/tools/definition"
)

// define puts a file in force.
func (l *lawApp) define(path string) {
	l.t.Helper()
	set, problems := definition.Load(path, kinds(), ownTools()...)
	if set == nil {
		l.t.Fatalf("%s: %v", path, problems)
	}
	if err := l.app.applyDefinitions(set); err != nil {
		l.t.Fatal(err)
	}
}

const lawDefinitions = `version: "1"
capabilities:
  static.low: { title: Low, description: D., risk: low, expose: tool, executor: { kind: static, rounds: [{ content: [{ type: text, text: canned }] }] } }
  static.high: { title: High, description: D., risk: high, expose: tool, executor: { kind: static, rounds: [{ content: [{ type: text, text: canned }] }] } }
  static.protocol: { title: Protocol, description: D., risk: high, expose: tool, executor: { kind: static, rounds: [{ protocolError: { code: -32603, message: canned } }] } }
`

// Laws 1 and 2 for tools of the operator's own: what is LOW and granted is listed and called; what is HIGH is kept,
// never listed, and answers byte for byte like what does not exist.
func TestLaw2StaticHighIsUnreachable(t *testing.T) {
	eachRoute(t, func(t *testing.T, r lawRoute, with, without *lawApp) {
		with.define(write(t, "praxec.yaml", lawDefinitions))
		static := lawClient{name: "static", user: "u_static", token: "law-token-static-0123456789", allow: []string{"static.low", "static_high", "static.protocol"}}
		with.write(static, narrow)
		without.write(static, narrow)
		if tier, kept := with.app.tools.Tier("static.high"); !kept || tier != auth.High {
			t.Errorf("the HIGH tool is not kept: %v, %v", tier, kept)
		}
		if r.list != nil {
			if diff := cmp.Diff([]string{"static.low"}, r.list(with, static)); diff != "" {
				t.Errorf("listed (-want +got):\n%s", diff)
			}
			if slices.Contains(r.list(with, narrow), "static.low") {
				t.Error("listed for who was not granted it")
			}
		}
		for _, name := range spellings("static.low") {
			if got := r.call(with, static, name, `{}`); !strings.Contains(got, "canned") {
				t.Errorf("%s: %s", name, got)
			}
			for _, c := range []lawClient{narrow, nobody} {
				if diff := cmp.Diff(r.call(without, c, name, `{}`), r.call(with, c, name, `{}`)); diff != "" {
					t.Errorf("%s calls %s (-missing +forbidden):\n%s", c.name, name, diff)
				}
			}
		}
		for _, name := range append(spellings("static.high"), spellings("static.protocol")...) {
			for _, arguments := range []string{`{}`, `{"n":1}`, `[]`} {
				if diff := cmp.Diff(r.call(without, static, name, arguments), r.call(with, static, name, arguments)); diff != "" {
					t.Errorf("%s with %s (-missing +HIGH):\n%s", name, arguments, diff)
				}
			}
		}
	})
}

const (
	conformanceFile    = "../../examples/conformance/praxec.yaml"
	conformanceAnswers = "testdata/conformance/answers.txtar"
)

// conformanceCalls are the tools of the example, each with arguments that fit.
var conformanceCalls = []struct{ tool, arguments string }{
	{"test_simple_text", `{}`},
	{"test_image_content", `{}`},
	{"test_audio_content", `{}`},
	{"test_embedded_resource", `{}`},
	{"test_multiple_content_types", `{}`},
	{"test_error_handling", `{}`},
	{"test_tool_with_progress", `{}`},
	{"json_schema_2020_12_tool", `{"contactMethod":"phone","phone":"1"}`},
	{"json_schema_2020_12_tool", `{"contactMethod":"email","phone":"1"}`},
	{"test_custom_header", `{"region":"eu","query":"{{ $.arguments.region }}"}`},
}

// TestConformanceExample pins what the tools of examples/conformance answer in each revision, and how they are listed.
// -update writes it.
func TestConformanceExample(t *testing.T) {
	t.Parallel()
	l := newLawApp(t, false)
	l.define(conformanceFile)
	suite := lawClient{name: "suite", user: "u_suite", token: "law-token-suite-0123456789"}
	for _, c := range conformanceCalls {
		suite.allow = append(suite.allow, c.tool)
	}
	l.write(suite)
	got := &txtar.Archive{Comment: []byte("What the tools of examples/conformance answer, by revision. go test -update writes it.\n")}
	add := func(name, text string) {
		text = regexp.MustCompile(`"version":"[^"]*"`).ReplaceAllString(text, `"version":"-"`)
		text = regexp.MustCompile("Content-Length: .*\n").ReplaceAllString(strings.ReplaceAll(text, "\r", ""), "")
		got.Files = append(got.Files, txtar.File{Name: name, Data: []byte(strings.TrimRight(text, "\n") + "\n")})
	}
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", modernVersion} {
		for _, c := range conformanceCalls {
			token := ""
			if c.tool == "test_tool_with_progress" {
				token = "p"
			}
			add(version+" "+c.tool+" "+c.arguments, l.post(suite, "/mcp", version, "tools/call", c.tool, lawCall(version, token, c.tool, c.arguments),
				"Accept", "application/json, text/event-stream", "Mcp-Param-Region", "eu"))
		}
	}
	for _, version := range []string{"2025-06-18", modernVersion} {
		add(version+" tools/list", l.post(suite, "/mcp", version, "tools/list", "", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+lawMeta(version, "")+`}}`))
	}
	text := txtar.Format(got)
	if *update {
		if err := os.WriteFile(conformanceAnswers, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(conformanceAnswers)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(text)); diff != "" {
		t.Errorf("answers (-pinned +got):\n%s", diff)
	}
}

// TestExampleIsGood: the example loads, and warns of nothing but the one schema that is there to be rich.
func TestExampleIsGood(t *testing.T) {
	t.Parallel()
	set, problems := definition.Load(conformanceFile, kinds(), ownTools()...)
	if set == nil || len(set.Tools) != 9 {
		t.Fatalf("problems %v", problems)
	}
	for _, p := range problems {
		if p.Code != definition.Portability || !strings.HasPrefix(p.Path, "/capabilities/json_schema_2020_12_tool/") {
			t.Errorf("%s", p)
		}
	}
	readme := readDoc(t, "examples/conformance/README.md")
	for _, one := range set.Tools {
		if !strings.Contains(readme, one.Name) {
			t.Errorf("its README does not name %s", one.Name)
		}
	}
}
