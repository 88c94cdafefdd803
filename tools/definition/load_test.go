package definition_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/tools/definition"
)

const whole = `# Remarks are fine.
version: "1.0.0"
capabilities:
  demo.first:
    title: First
    description: |
      Says something.
    risk: medium
    expose: tool
    inputSchema: &schema
      type: object
      properties: { when: { type: string, default: 2026-01-31 } }
      required: [when]
    outputSchema: *schema
    executor: { kind: echo, say: 2026-01-31, times: 3, loud: true, rate: 1.5e0, parts: [{ name: "x" }] }
  danger: { description: D., risk: high, expose: tool, executor: { kind: echo } }
`

const wholeJSON = `{"version": "1", "capabilities": {
	"demo.first": {"title": "First", "description": "Says something.", "risk": "medium", "expose": "tool",
		"inputSchema": {"type":"object","properties":{"when":{"type":"string","default":"2026-01-31"}},"required":["when"]},
		"outputSchema": {"type":"object","properties":{"when":{"type":"string","default":"2026-01-31"}},"required":["when"]},
		"executor": {"kind": "echo", "say": "2026-01-31", "times": 3, "loud": true, "rate": 1.5e0, "parts": [{"name": "\ud83d\ude00\/"}]}},
	"danger": {"description": "D.", "risk": "high", "expose": "tool", "executor": {"kind": "echo"}}
}}`

// TestLoad: both spellings of one file give the same tools, schemas in the order in which they were written.
func TestLoad(t *testing.T) {
	t.Parallel()
	schema := `{"type":"object","properties":{"when":{"type":"string","default":"2026-01-31"}},"required":["when"]}`
	for name, text := range map[string]string{"a.yaml": whole, "b.json": wholeJSON, "bom.yaml": "\ufeff" + whole, "crlf.yaml": strings.ReplaceAll(whole, "\n", "\r\n")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set, problems := definition.Load(write(t, name, text), kinds, own...)
			if set == nil || len(problems) > 0 {
				t.Fatalf("problems %v", problems)
			}
			if len(set.Digest) != 64 || len(set.Tools) != 2 {
				t.Fatalf("set %+v", set)
			}
			first, danger := set.Tools[0], set.Tools[1]
			if first.Name != "demo.first" || first.Title != "First" || first.Description != "Says something." || first.Tier != auth.Medium || !first.Idempotent {
				t.Errorf("first %+v", first)
			}
			if diff := cmp.Diff([]string{schema, schema}, []string{string(first.Input), string(first.Output)}); diff != "" {
				t.Errorf("schemas (-want +got):\n%s", diff)
			}
			if danger.Tier != auth.High || string(danger.Input) != `{"type":"object","additionalProperties":false}` || danger.Output != nil {
				t.Errorf("danger %+v", danger)
			}
			res, err := first.Handler(t.Context(), nil)
			if err != nil || res.Content[0].Text != "2026-01-31" {
				t.Errorf("the handler says %v, %v: dates stay text", res, err)
			}
		})
	}
}

// TestRefusals: whatever is wrong is told with file and line, and what would be right.
func TestRefusals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       []string // "line:column code: part of the text"
	}{
		{"empty", "", []string{"1:1 not-readable: empty"}},
		{"remarks only", "# nothing\n", []string{"1:1 not-readable: empty"}},
		{"a list", "- 1\n", []string{"1:1 wrong-type: the file must be an object, is a list"}},
		{"no version", "capabilities: {}\n", []string{`1:1 missing-key: version: "1.0.0"`}},
		{"a version that is a number", "version: 1.0\n", []string{"1:1 wrong-type: /version must be a string, is a number"}},
		{"a later version", "version: \"2\"\n", []string{"1:1 bad-value: reads 1"}},
		{"an unknown key", one("") + "capabilites: {}\n", []string{`8:1 unknown-key: "capabilites" is not known in the file: did you mean "capabilities"?`}},
		{"a key of a later version", one("") + "connections: { x: { kind: mcp } }\n", []string{`8:21 UNKNOWN_CONNECTION_KIND: is "mcp": this version has no such connection yet; known are probe`}},
		{"a key that is nowhere", one("") + "elephants: {}\n", []string{`8:1 unknown-key: known are version, connections, capabilities, proxy, workflows`}},
		{"an unknown key of a capability", one("    inputschema: {}\n"), []string{`8:5 unknown-key: did you mean "inputSchema"?`}},
		{"an unknown key of an executor", strings.Replace(one(""), "kind: echo", "kind: echo, tines: 3", 1), []string{`7:29 unknown-key: "tines" is not known in /capabilities/a.b/executor: did you mean "times"?`}},
		{"two unknown keys", strings.Replace(one("    sort: 1\n"), "kind: echo", "kind: echo, sai: x", 1), []string{`7:29 unknown-key: did you mean "say"`, `8:5 unknown-key: "sort"`}},
		{"wrong types", strings.Replace(one("    title: [x]\n"), "kind: echo", "kind: echo, say: 5, times: 1.5, loud: yes, rate: x, parts: [{name: null}, 7]", 1), []string{
			"7:29 wrong-type: /say must be a string, is a number", "7:37 wrong-type: a whole one", "7:49 wrong-type: must be true or false, is a string",
			"7:60 wrong-type: must be a number, is a string", "7:78 wrong-type: is nothing (null)", "7:91 wrong-type: /parts/1 must be an object",
			"8:5 wrong-type: /title must be a string, is a list"}},
		{"a number out of range", strings.Replace(one(""), "kind: echo", "kind: echo, rate: 1e999, times: 3000000000", 1), []string{"7:29 wrong-type: must be a number, is a string", "7:42 wrong-type: in range"}},
		{"what the kind refuses", strings.Replace(one(""), "kind: echo", "kind: echo, say: \"no\"", 1), []string{"7:29 bad-value: /executor/say must not be no"}},
		{"nothing at all", "version: \"1\"\ncapabilities:\n  a: {}\n  b: { expose: tool }\n", []string{"3:3 missing-key: no executor", "4:3 missing-key: no executor", "4:3 missing-key: no description", "4:3 missing-key: no risk"}},
		{"not an object", "version: \"1\"\ncapabilities:\n  a: x\n", []string{"3:3 wrong-type: /capabilities/a must be an object, is a string"}},
		{"capabilities as a list", "version: \"1\"\ncapabilities: []\n", []string{"2:1 wrong-type: must be an object, is a list"}},
		{"a tier of another spelling", strings.Replace(one(""), "risk: low", "risk: LOW", 1), []string{`5:5 bad-value: must be low, medium or high, is "LOW"`}},
		{"exposed as something else", strings.Replace(one(""), "expose: tool", "expose: skill", 1), []string{`6:5 bad-value: must be tool, is "skill"`}},
		{"an empty description", strings.Replace(one(""), "D.", "\"  \"", 1), []string{"4:5 bad-value: /description is empty"}},
		{"a description of 17 KiB", strings.Replace(one(""), "D.", strings.Repeat("d", 17<<10), 1), []string{"4:5 bad-value: longer than 16384"}},
		{"a title of 300 bytes", one("    title: " + strings.Repeat("t", 300) + "\n"), []string{"8:5 bad-value: longer than 256"}},
		{"no kind", strings.Replace(one(""), "kind: echo", "", 1), []string{"7:5 missing-key: no kind: known are echo"}},
		{"a kind that is no text", strings.Replace(one(""), "kind: echo", "kind: [echo]", 1), []string{"7:17 wrong-type: /executor/kind must be a string"}},
		{"a kind of a later version", strings.Replace(one(""), "kind: echo", "kind: mcp", 1), []string{`7:17 UNKNOWN_EXECUTOR_KIND: is "mcp": this version has no such executor yet; known here are echo, probe, rest, script, tool`}},
		{"a bad name", strings.Replace(one(""), "a.b", "a b", 1), []string{`3:3 bad-value: the name "a b"`}},
		{"a reserved name", strings.Replace(one(""), "a.b", "Praxec_query", 1), []string{"3:3 name-taken: reserved"}},
		{"a reserved name without its dot", strings.Replace(one(""), "a.b", "praxecquery", 1), []string{"3:3 name-taken: reserved"}},
		{"a reserved name with other dots", strings.Replace(one(""), "a.b", "p.rax-EC_command", 1), []string{"3:3 name-taken: reserved"}},
		{"a name of punctuation", strings.Replace(one(""), "a.b", "_.-", 1), []string{"3:3 bad-value: must have a letter or digit"}},
		{"the name of another tool", strings.Replace(one(""), "a.b", "Clock-", 1), []string{`3:3 name-taken: cannot be told from the tool "clock"`}},
		{"two names that are one", one("  A_B: { description: D., risk: low, expose: tool, executor: { kind: echo } }\n"), []string{`8:3 name-taken: cannot be told from the tool "a.b"`}},

		{"a schema that is none", one("    inputSchema: { type: objekt }\n"), []string{"8:5 bad-schema: dialect 2020-12"}},
		{"a schema that is text", one("    inputSchema: object\n"), []string{"8:5 bad-schema"}},
		{"a schema of another root", one("    inputSchema:\n      type: string\n"), []string{`9:7 bad-schema: must be "object"`}},
		{"an output schema of another root", one("    outputSchema: {}\n"), []string{`8:5 bad-schema: must be "object"`}},
		{"a schema that loads something", one("    inputSchema: { type: object, properties: { a: { $ref: \"https://example.com/x\" } } }\n"), []string{"8:5 bad-schema: must stay within the document"}},
		{"a cycle of references", one("    inputSchema: { type: object, properties: { a: { $ref: \"#\" } } }\n"), []string{"8:5 bad-schema: refers to itself"}},

		{"a mark at the root", one("    inputSchema: { type: object, x-mcp-header: A }\n"), []string{"8:34 bad-schema: only properties lead to"}},
		{"a mark within items", one("    inputSchema: { type: object, properties: { l: { type: array, items: { type: string, x-mcp-header: A } } } }\n"), []string{"8:89 bad-schema: only properties"}},
		{"a mark below a composition", one("    inputSchema: { type: object, properties: { l: { not: { properties: { p: { type: string, x-mcp-header: A } } } } } }\n"), []string{"8:93 bad-schema: only properties"}},
		{"a mark in a definition", one("    inputSchema: { type: object, $defs: { l: { type: string, x-mcp-header: A } } }\n"), []string{"8:62 bad-schema: only properties"}},
		{"a mark of a number", one("    inputSchema: { type: object, properties: { n: { type: number, x-mcp-header: A } } }\n"), []string{"8:67 bad-schema: string, integer or boolean"}},
		{"a mark that is no token", one("    inputSchema: { type: object, properties: { n: { type: string, x-mcp-header: \"A B\" } } }\n"), []string{"8:67 bad-schema: rest of a header's name"}},
		{"two marks of one name", one("    inputSchema: { type: object, properties: { n: { type: string, x-mcp-header: A }, o: { type: string, x-mcp-header: a } } }\n"), []string{"8:105 bad-schema: capitals aside"}},

		{"not YAML", "version: [\n", []string{"2:1 not-readable: is not YAML"}},
		{"a tab", "version:\t\"1\"\n\tx: 1\n", []string{"2:1 not-readable: is not YAML"}},
		{"an unknown alias", "version: *x\n", []string{"0:0 not-readable: is not YAML"}},
		{"two documents", "version: \"1\"\n---\nversion: \"1\"\n", []string{"2:1 not-readable: a second document"}},
		{"rubbish after the document", "version: \"1\"\n...\n]\n", []string{"3:1 not-readable: is not YAML"}},
		{"a key twice", "version: \"1\"\ncapabilities: {}\n\"version\": \"1\"\n", []string{`3:1 duplicate-key: "version" stands twice, first in line 1`}},
		{"a key that is a number", "version: \"1\"\n5: x\n", []string{`2:1 not-readable: put "5" in quotes`}},
		{"a key that is true", "version: \"1\"\ntrue: x\n", []string{`2:1 not-readable: put "true" in quotes`}},
		{"a key that is a date", "version: \"1\"\n2026-01-01: x\n", []string{`2:1 not-readable: put "2026-01-01" in quotes`}},
		{"a key that is a list", "version: \"1\"\n[a]: x\n", []string{"2:1 not-readable: a key must be text"}},
		{"a key that is an alias", "version: &v \"1\"\n*v : x\n", []string{"2:1 not-readable: a key must be text"}},
		{"a merge", "version: &v \"1\"\nx: &x {}\ncapabilities:\n  <<: *x\n", []string{"4:3 not-readable: merge keys"}},
		{"NaN", "version: .nan\n", []string{`1:10 not-readable: ".nan" is no number that JSON has`}},
		{"infinity", "version: -.inf\n", []string{"1:10 not-readable: no number"}},
		{"a number with underscores", "version: 1_000\n", []string{"1:10 not-readable: no number"}},
		{"a hexadecimal number", "version: 0x1F\n", []string{"1:10 not-readable: no number"}},
		{"an octal number", "version: 0777\n", []string{"1:10 not-readable: no number"}},
		{"a binary value", "version: !!binary aGk=\n", []string{`1:10 not-readable: the tag "!!binary"`}},
		{"a tag", "version: !secret x\n", []string{`1:10 not-readable: the tag "!secret"`}},
		{"a tagged list", "version: !!set [x]\n", []string{`1:10 not-readable: the tag "!!set"`}},
		{"an alias within itself", "version: &v [*v]\n", []string{"1:14 not-readable: nests deeper than 64, or an alias stands within"}},
		{"deep", "version: " + strings.Repeat("[", 70) + strings.Repeat("]", 70) + "\n", []string{"1:73 not-readable: nests deeper than 64"}},
		{"aliases of aliases", laughs(), []string{"not-readable: once aliases are written out"}},
		{"UTF-16", "\xff\xfev\x00:\x00", []string{"0:0 not-readable: UTF-8"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			refused(t, write(t, "praxec.yaml", tt.text), tt.want)
		})
	}
}

// laughs is a file whose aliases stand for 10^9 values.
func laughs() string {
	var b strings.Builder
	b.WriteString("version: \"1\"\na0: &a0 x\n")
	for i := 1; i < 10; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 10), ","))
	}
	return b.String()
}

func refused(t *testing.T, path string, want []string) {
	t.Helper()
	set, problems := definition.Load(path, kinds, own...)
	if set != nil || !problems.Fail() {
		t.Fatalf("loaded, with problems %v", problems)
	}
	if len(problems) != len(want) {
		t.Errorf("%d problems, want %d: %v", len(problems), len(want), problems)
	}
	for i, p := range problems[:min(len(problems), len(want))] {
		head, part, _ := strings.Cut(want[i], ": ")
		if got := fmt.Sprintf("%d:%d %s", p.Line, p.Column, p.Code); !strings.HasSuffix(got, head) || !strings.Contains(p.Text, part) {
			t.Errorf("%s: %s\nwant %s", got, p.Text, want[i])
		}
		if p.File != path || p.Line > 0 && !strings.HasPrefix(p.String(), fmt.Sprintf("%s:%d:%d: error: ", path, p.Line, p.Column)) || len(p.Text) > 600 {
			t.Errorf("told as %s", p)
		}
	}
}

// TestRefusedJSON: what YAML would read differently is read as JSON is.
func TestRefusedJSON(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"empty", " \n", []string{"1:1 not-readable: empty"}},
		{"half", "{\n\"version\": \"1", []string{"2:14 not-readable: is not JSON"}},
		{"YAML", "version: x\n", []string{"1:1 not-readable: is not JSON"}},
		{"two objects", "{\"version\":\"1\"}\n{}", []string{"2:1 not-readable: after the object"}},
		{"a name twice", "{\"version\":\"1\",\n \"version\":\"1\"}", []string{"2:2 duplicate-key: twice"}},
		{"deep", strings.Repeat("[", 70), []string{"1:65 not-readable: nests deeper than 64"}},
		{"an unknown key", "{\"version\":\"1\",\n\t\"Version\": 1}", []string{`2:2 unknown-key: did you mean "version"?`}},
		{"a number out of range", `{"version":"1","capabilities":{"a":{"executor":{"kind":"echo","rate":1e999}}}}`, []string{"1:63 wrong-type: in range"}},
		{"a wrong type", "{\"version\" : \n 1}", []string{"1:2 wrong-type: must be a string"}},
		{"many values", "[" + strings.Repeat("0,", 400_001) + "0]", []string{"1:800000 not-readable: 400000 values"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			refused(t, write(t, "praxec.json", tt.text), tt.want)
		})
	}
}

// TestRefusedFiles: what stands there is looked at without waiting for it.
func TestRefusedFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	large := filepath.Join(dir, "large.yaml")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 9<<20); err != nil {
		t.Fatal(err)
	}
	refused(t, filepath.Join(dir, "none.yaml"), []string{"0:0 file-missing: does not exist"})
	refused(t, t.TempDir(), []string{"0:0 file-missing: the folder has no *.yaml, *.yml or *.json file"})
	refused(t, pipe, []string{"0:0 file-not-regular: not a regular file"})
	refused(t, large, []string{"0:0 file-too-large: 4 MiB"})
}

// TestProblemsAreShort: what a file says is quoted, but not at any length.
func TestProblemsAreShort(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 100_000)
	for _, text := range []string{
		"version: \"" + long + "\"\n", long + ": 1\n", "version: \"1\"\n? " + long + "\n: {}\n", "version: !" + long + " x\n", "version: *" + long,
		one(long + ": {}\n"), strings.Replace(one(""), "kind: echo", "kind: "+long, 1), strings.Replace(one(""), "kind: echo", "kind: echo, say: \"no\", "+long+": 1", 1),
		strings.Replace(one(""), "kind: echo", "kind: echo, say: "+long, 1),
	} {
		_, problems := definition.Load(write(t, "praxec.yaml", text), kinds, own...)
		if len(problems) == 0 {
			t.Errorf("%.60s: no problem", text)
		}
		for _, p := range problems {
			if len(p.Text) > 1100 {
				t.Errorf("%.60s: %d bytes of text", text, len(p.Text))
			}
		}
	}
}

// TestManyProblems: a file that is wrong everywhere is told about within bounds.
func TestManyProblems(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("version: \"1\"\n")
	for i := range 5000 {
		fmt.Fprintf(&b, "key%d: x\n", i)
	}
	if _, problems := definition.Load(write(t, "praxec.yaml", b.String()), kinds, own...); len(problems) != definition.MaxProblems {
		t.Errorf("%d problems", len(problems))
	}
}

// TestPortability: a schema that some clients refuse loads, and is warned about where it says so.
func TestPortability(t *testing.T) {
	t.Parallel()
	set, problems := definition.Load(write(t, "praxec.yaml", one(`    inputSchema:
      type: object
      $defs: { a: { type: string } }
      properties:
        x: { $ref: "#/$defs/a" }
        "y z": true
      anyOf: [{ required: [x] }]
`)), kinds, own...)
	if set == nil || problems.Fail() {
		t.Fatalf("problems %v", problems)
	}
	if want := `{"type":"object","$defs":{"a":{"type":"string"}},"properties":{"x":{"$ref":"#/$defs/a"},"y z":true},"anyOf":[{"required":["x"]}]}`; string(set.Tools[0].Input) != want {
		t.Errorf("published as %s", set.Tools[0].Input)
	}
	var got []string
	for _, p := range problems {
		got = append(got, fmt.Sprintf("%d %s %s", p.Line, p.Severity(), p.Code))
	}
	if diff := cmp.Diff([]string{"12 warning schema-portability", "13 warning schema-portability", "14 warning schema-portability"}, got); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// TestMarks: properties may be marked for headers, also within objects, and what only looks like a mark is data.
func TestMarks(t *testing.T) {
	t.Parallel()
	set, problems := definition.Load(write(t, "praxec.yaml", one(`    inputSchema:
      type: object
      properties:
        region: { type: string, x-mcp-header: Region }
        inner: { type: object, properties: { n: { type: integer, x-mcp-header: N } } }
        x-mcp-header: { type: string, enum: [{ x-mcp-header: 5 }] }
`)), kinds, own...)
	if set == nil || len(problems) > 0 {
		t.Errorf("problems %v", problems)
	}
}

// TestNoTokenIsQuoted: somebody names a file of secrets by mistake, and the problems with it go to the log.
func TestNoTokenIsQuoted(t *testing.T) {
	t.Parallel()
	const token = "prx_alice2alice2alice2alice2alice2"
	for _, text := range []string{
		token, token + ": 1\n", "version: *" + token, "version: !" + token + " x\n", "version: " + token + "\n", "x: 1_" + token + "\n", "version: {" + token + ": 1}\n",
		"version: \"1\"\ncapabilities: {" + token + ": 1}\n", strings.Replace(one(""), "kind: echo", "kind: "+token, 1), strings.Replace(one(""), "low", token, 1),
		strings.Replace(one(""), "kind: echo", "kind: echo, say: "+token+strings.Repeat("x", 1000), 1),
	} {
		_, problems := definition.Load(write(t, "praxec.yaml", text), kinds, own...)
		if !problems.Fail() {
			t.Errorf("%q: no problem", text)
		}
		for _, p := range problems {
			if strings.Contains(p.String()+p.Path, "alice2") {
				t.Errorf("%q: %s", text, p)
			}
		}
	}
}
