package main

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/auth"
	"prax/tools/definition"
	"prax/tools/workflow"
)

// TestExamplesRaiseNoAlarm proves the definitions that come with the program, as the clients beside them and the operator
// meet them, and the sample of the trial server as its two clients do.
func TestExamplesRaiseNoAlarm(t *testing.T) {
	t.Parallel()
	files := []string{"../../tools/definition/testdata/hello.yaml"}
	err := filepath.WalkDir("../../examples", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(path, ".yaml") {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) < 2 {
		t.Fatalf("examples: %v, %v", files, err)
	}
	files = append(files, "dev.yaml")
	trial := []auth.Principal{
		{Client: devAgent, User: devUser, Workflows: auth.Everything()},
		{Client: devHuman, User: devUser, Workflows: auth.Everything(), Roles: auth.Names(auth.Human)},
	}
	definitions := 0
	for _, file := range files {
		set, problems := definition.Load(file, kinds())
		if set == nil {
			t.Errorf("%s: %v", file, problems)
			continue
		}
		for _, d := range set.Definitions {
			definitions++
			live := beside(t, file)
			if file == "dev.yaml" {
				live = trial
			}
			for _, f := range d.Check(worldOf(d.ID, live)) {
				if d.ID != definition.ProxyID || f.Code != workflow.NoTerminal {
					t.Errorf("%s", proof(set, d.ID, f).line)
				}
			}
		}
	}
	if definitions == 0 {
		t.Error("no definition was proven")
	}
}

// beside are the clients of the clients.json in the folder of a file, if there is one.
func beside(t *testing.T, file string) []auth.Principal {
	t.Helper()
	path := filepath.Join(filepath.Dir(file), "clients.json")
	if !exists(path) {
		return nil
	}
	p := &program{now: time.Now}
	live := p.principals(&settings{ClientsPath: path})
	if len(live) == 0 {
		t.Errorf("%s has no clients", path)
	}
	return live
}

func TestWorldHasOneOfEachKind(t *testing.T) {
	t.Parallel()
	client := func(name string, change func(*auth.Principal)) auth.Principal {
		p := auth.Principal{Client: name, User: "ann", Workflows: auth.Everything(), Expires: time.Time{}}
		if change != nil {
			change(&p)
		}
		return p
	}
	person := func(p *auth.Principal) { p.Roles = auth.Names("human") }
	world := worldOf("deploy", []auth.Principal{
		client("one", nil), client("another", nil), client("person", person),
		client("boss", func(p *auth.Principal) { person(p); p.Oversees = auth.Everything() }),
		client("elsewhere", func(p *auth.Principal) { p.Workflows = auth.Names("other"); p.Permissions = auth.Names("all") }),
		client("ops", func(p *auth.Principal) { p.Workflows = auth.Names("deploy"); p.Permissions = auth.Names("ship") }),
	})
	var got []string
	for _, c := range world.Callers {
		name := c.Client
		if c.Overseer {
			name += " oversees"
		}
		got = append(got, name)
	}
	want := []string{"operator oversees", "one", "person", "boss oversees", "ops"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
