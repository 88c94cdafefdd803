package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"
)

// peersVariable is set where server/mcp/interop/run has installed the official clients.
const peersVariable = "PRAX_TEST_PEERS"

// condition is true for [peers] where the official clients take part in the stories, and for [race] in a build that detects races.
func condition(name string) (bool, error) {
	switch name {
	case "peers":
		return os.Getenv(peersVariable) != "", nil
	case "race":
		return raced, nil
	}
	return false, errors.New("unknown condition: there are [peers] and [race]")
}

// cloneCommand copies what the repository has to a directory, as it stands in the work tree: what a commit of it would
// give to who clones it.
func cloneCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: clone DIRECTORY")
	}
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = "../.."
	out, err := list.Output()
	ts.Check(err)
	for name := range bytes.SplitSeq(bytes.TrimSuffix(out, []byte{0}), []byte{0}) {
		ts.Check(copyFile(filepath.Join("../..", string(name)), filepath.Join(ts.MkAbs(args[0]), string(name))))
	}
}

// copyFile leaves out what is not there any more, and is not committed yet.
func copyFile(from, to string) error {
	info, err := os.Stat(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, text, info.Mode().Perm())
}
