package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestLaw2OnlyTheRunnerAdmits: an admission is the one way past an allowlist and to a HIGH tool, so that nobody makes
// one but who judges moves and uses up approvals.
func TestLaw2OnlyTheRunnerAdmits(t *testing.T) {
	t.Parallel()
	const root = "../.."
	makers := map[string]int{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		folder = filepath.ToSlash(folder)
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		makers[folder] += admissions(file, folder)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for folder, n := range makers {
		switch want := map[string]bool{"tools": true, "tools/runner": true}[folder]; {
		case n > 0 && !want:
			t.Errorf("%s makes an admission: only tools/runner may", folder)
		case want && n != 1:
			t.Errorf("%s makes an admission in %d places, want 1", folder, n)
		}
	}
}

// admissions counts where a file makes one: by the function that does, or, in its own package, by hand.
func admissions(file *ast.File, folder string) int {
	name := "" // of the package of tools in this file
	for _, spec := range file.Imports {
		if spec.Path.Value == `"prax/tools"` {
			name = "tools"
			if spec.Name != nil {
				name = spec.Name.Name
			}
		}
	}
	found := 0
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && name != "" && x.Name == name && n.Sel.Name == "Admit" {
				found++
			}
		case *ast.CompositeLit:
			if made, ok := n.Type.(*ast.Ident); ok && folder == "tools" && made.Name == "Admission" && len(n.Elts) > 0 {
				found++
			}
		case *ast.CallExpr:
			if by, ok := n.Fun.(*ast.Ident); ok && (folder == "tools" || name == ".") && by.Name == "Admit" {
				found++
			}
		}
		return true
	})
	return found
}
