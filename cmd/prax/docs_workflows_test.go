package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"prax/auth"
	"prax/tools/definition"
	"prax/tools/workflow"
)

// TestWorkflowsDoc: every file that the reference of workflows shows loads, and nothing can be found wrong with it where
// there is an agent beside the operator.
func TestWorkflowsDoc(t *testing.T) {
	t.Parallel()
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(readDoc(t, "docs/workflows.md"), -1)
	if len(blocks) < 5 {
		t.Fatalf("%d files, want 5 or more", len(blocks))
	}
	agent := []auth.Principal{{Client: "agent", User: "u_ann", Workflows: auth.Everything()}}
	for i, block := range blocks {
		path := filepath.Join(t.TempDir(), "praxec.yaml")
		if err := os.WriteFile(path, []byte(block[1]), 0o600); err != nil {
			t.Fatal(err)
		}
		set, problems := definition.Load(path, kinds(), ownTools()...)
		if len(problems) > 0 {
			t.Errorf("file %d: %v", i+1, problems)
		}
		if set == nil {
			continue
		}
		for _, d := range set.Definitions {
			if again, err := definition.Decode(d.Text, kinds()); err != nil || again.Hash != d.Hash {
				t.Errorf("file %d: %s cannot be read as a run pins it: %v", i+1, d.ID, err)
			}
			for _, f := range d.Check(worldOf(d.ID, agent)) {
				if d.ID != definition.ProxyID || f.Code != workflow.NoTerminal {
					t.Errorf("file %d: %s: %s (%s)", i+1, d.ID, f.Text, f.Code)
				}
			}
		}
	}
}
