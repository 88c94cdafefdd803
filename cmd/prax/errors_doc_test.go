package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const errorsDoc = "docs/errors.md"

// codeList is a table of the page: the constants of the blocks of a file, each with the comment on its line.
type codeList struct {
	title, before string
	files         []string
	blocks        string // only blocks whose comment has this in it
	hints         string // the name of a map in the first file that has a next step for a code
}

const errorsHead = `# Error codes

<!-- Written by: go test ./cmd/prax -run TestErrorsDoc -update -->

Everything that prax says no with, by where it says so. Codes never change their meaning; new ones may come. An answer has a code, a sentence and, where
there is one, a next step; what caused it is in the server's log, under the request id in the ` + "`X-Request-Id`" + ` header of the answer.

## HTTP

| status | when |
| --- | --- |
| 200 | the request was read and understood; the JSON in it says what came of it, errors of the method and of tools too |
| 202 | a notification, or nothing but such: there is nothing to answer |
| 400 | the body is not JSON, no message, or of a revision that it contradicts; JSON-RPC error in the body |
| 401 | no token, or one that is unknown, expired, revoked or disabled: always the same bytes |
| 403 | ` + "`Host` or `Origin`" + ` is not admitted; the body names the setting that would |
| 404 | there is nothing there; ` + "`/mcp`" + ` too, as long as it is off or no client has been live |
| 405 | another method than POST |
| 413, 431 | the body is larger than ` + "`PRAX_MAX_BODY`" + `; the headers are larger than 64 KiB |
| 415 | the body is not ` + "`application/json`" + `, or compressed |
| 429 | the client is beyond its budget; ` + "`Retry-After`" + ` says for how long |
| 500 | the server's own failure |
| 503 | the server is stopping, or ` + "`/readyz`" + ` says why it is not ready |
`

func codeLists() []codeList {
	return []codeList{
		{title: "JSON-RPC", before: "`error.code` of an answer to a message. Tools and workflows have codes of their own, below: those are results, not errors of the protocol.",
			files: []string{"server/jsonrpc/error.go", "server/mcp/failure.go"}},
		{title: "Tools", before: "A result with `isError: true`: the sentence is its text, and `_meta[\"prax/error\"]` has `code`, `message`, `hint` and `violations`.",
			files: []string{"tools/error.go", "tools/runner/direct.go"}},
		{title: "Workflows", before: "`error.code` of a result of `praxec.query` or `praxec.command`, and `blocked.code` of a link that cannot be followed now. Such an answer has the links that are legal.",
			files: []string{"tools/workflow/code.go"}, hints: "hints"},
		{title: "Queries, commands and the lexicon", before: "In the same places as those of workflows; the answer has the next step.",
			files: []string{"tools/praxec/failure.go", "tools/lexicon/refusal.go"}},
		{title: "The clients file, as a whole", before: "From `prax check` and in the log. Nobody of the file is admitted, after one second.",
			files: []string{"auth/clients/problem.go"}, blocks: "cannot be used"},
		{title: "The clients file, one entry", before: "The entry is out, and no other.",
			files: []string{"auth/clients/problem.go"}, blocks: "entry that is out"},
		{title: "The clients file, warnings", before: "The entry stays as it is.",
			files: []string{"auth/clients/problem.go"}, blocks: "warning"},
		{title: "Definitions", before: "From `prax check` and in the log. Tools and workflows stay as they were.",
			files: []string{"tools/definition/problem.go"}, blocks: "The codes"},
		{title: "What `prax check` finds in a workflow", before: "It does not keep the workflow out.",
			files: []string{"tools/workflow/check.go"}, blocks: "findings"},
		{title: "What `prax doctor` finds", before: "Beside what `prax check` says of the settings and the definitions.",
			files: []string{"cmd/prax/doctor/code.go"}, blocks: "findings"},
	}
}

// TestErrorsDoc: docs/errors.md has every code that the code has, with what its own comment says of it.
func TestErrorsDoc(t *testing.T) {
	t.Parallel()
	var page strings.Builder
	page.WriteString(errorsHead)
	for _, list := range codeLists() {
		list.write(t, &page)
	}
	if *update {
		if err := os.WriteFile("../../"+errorsDoc, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(page.String(), readDoc(t, errorsDoc)); diff != "" {
		t.Errorf("%s is not what the code says: write it with go test ./cmd/prax -run TestErrorsDoc -update (-want +got):\n%s", errorsDoc, diff)
	}
}

func (l codeList) write(t *testing.T, page *strings.Builder) {
	t.Helper()
	fmt.Fprintf(page, "\n## %s\n\n%s\n\n", l.title, l.before)
	heads, next := "| code | means |\n| --- | --- |\n", map[string]string(nil)
	if l.hints != "" {
		heads, next = "| code | means | next |\n| --- | --- | --- |\n", hintsOf(t, l.files[0], l.hints)
	}
	page.WriteString(heads)
	rows := 0
	for _, file := range l.files {
		for _, c := range codesOf(t, file, l.blocks) {
			rows++
			fmt.Fprintf(page, "| `%s` | %s |", c.code, c.means)
			if next != nil {
				fmt.Fprintf(page, " %s |", next[c.name])
			}
			page.WriteString("\n")
		}
	}
	if rows < 2 {
		t.Errorf("%s: %d codes were found", l.title, rows)
	}
}

// constant is one code: its name in the code, how it is written on the wire, and the comment on its line.
type constant struct{ name, code, means string }

// codesOf are the codes of a file: constants of a type whose name ends in Code, or whose own name begins with code.
func codesOf(t *testing.T, file, blocks string) (list []constant) {
	t.Helper()
	for _, d := range parse(t, file).Decls {
		block, ok := d.(*ast.GenDecl)
		if !ok || block.Tok != token.CONST || !strings.Contains(block.Doc.Text(), blocks) {
			continue
		}
		for _, s := range block.Specs {
			spec := s.(*ast.ValueSpec)
			code, ok := codeOf(spec)
			if !ok {
				continue
			}
			means := strings.TrimSpace(spec.Comment.Text())
			if means == "" {
				t.Errorf("%s: %s has no comment that says what it means", file, spec.Names[0].Name)
			}
			list = append(list, constant{spec.Names[0].Name, code, means})
		}
	}
	return list
}

func codeOf(spec *ast.ValueSpec) (string, bool) {
	name := strings.ToLower(spec.Names[0].Name)
	kind, _ := spec.Type.(*ast.Ident)
	if len(spec.Values) != 1 || !strings.HasPrefix(name, "code") && (kind == nil || !strings.HasSuffix(kind.Name, "Code")) {
		return "", false
	}
	switch v := spec.Values[0].(type) {
	case *ast.BasicLit:
		return strings.Trim(v.Value, `"`), true
	case *ast.UnaryExpr: // a negative number
		return v.Op.String() + v.X.(*ast.BasicLit).Value, true
	}
	return "", false // another name for a code that stands elsewhere
}

// hintsOf is a map from codes to texts that a file writes out.
func hintsOf(t *testing.T, file, name string) map[string]string {
	t.Helper()
	found := map[string]string{}
	ast.Inspect(parse(t, file), func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || spec.Names[0].Name != name {
			return true
		}
		for _, e := range spec.Values[0].(*ast.CompositeLit).Elts {
			pair := e.(*ast.KeyValueExpr)
			text, err := strconv.Unquote(pair.Value.(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			found[pair.Key.(*ast.Ident).Name] = text
		}
		return false
	})
	if len(found) == 0 {
		t.Fatalf("%s has no %s", file, name)
	}
	return found
}

func parse(t *testing.T, file string) *ast.File {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join("../..", file), nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// TestEveryCodeIsDocumented: no file beside those of the page declares a code.
func TestEveryCodeIsDocumented(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, list := range codeLists() {
		for _, file := range list.files {
			known[file] = true
		}
	}
	files, err := filepath.Glob("../../*/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	more, _ := filepath.Glob("../../*/*.go")
	for _, path := range append(files, more...) {
		file, _ := filepath.Rel("../..", path)
		file = filepath.ToSlash(file)
		if strings.HasSuffix(file, "_test.go") || known[file] {
			continue
		}
		for _, d := range parse(t, file).Decls {
			block, ok := d.(*ast.GenDecl)
			if !ok || block.Tok != token.CONST {
				continue
			}
			for _, s := range block.Specs {
				if code, ok := codeOf(s.(*ast.ValueSpec)); ok {
					t.Errorf("%s declares the code %s, and %s does not read that file", file, code, errorsDoc)
				}
			}
		}
	}
}
