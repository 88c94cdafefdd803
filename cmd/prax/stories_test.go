package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// The tokens of the people in the stories. Their clients stand in each story's clients.json; nobody
// is in none.
const (
	aliceToken  = "prx_alice2alice2alice2alice2alice2"
	readerToken = "prx_reader2reader2reader2reader2re"
	nobodyToken = "prx_nobody2nobody2nobody2nobody2no"
)

// raceOptions are those of the programs that a race-detecting build starts: by default each waits for a second
// before it ends, in case somebody races with its end, and the stories start hundreds.
const raceOptions = "atexit_sleep_ms=20"

// TestStories runs what operators and callers do, told as scripts, against the real program.
// Beside testscript's own commands there are those of storyCommands.
func TestStories(t *testing.T) {
	t.Parallel()
	runStories(t, testscript.Params{Dir: "testdata"})
}

func runStories(t *testing.T, params testscript.Params) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	params.RequireExplicitExec = true
	params.RequireUniqueNames = true
	params.UpdateScripts = *update
	params.Cmds = storyCommands()
	params.Condition = condition
	params.Setup = func(env *testscript.Env) error {
		env.Setenv("ROOT", root)
		env.Setenv("PRAX_ADDR", "127.0.0.1:0")
		env.Setenv("ALICE", aliceToken)
		env.Setenv("READER", readerToken)
		env.Setenv("NOBODY", nobodyToken)
		env.Setenv("GORACE", raceOptions)
		env.Values[running{}] = &running{env: env}
		env.Values[heardKey{}] = heard{}
		env.Values[ledgerProcess{}] = new(ledgerProcess)
		env.Values[supervisorKey{}] = new(storySupervisor)
		env.Defer(env.Values[running{}].(*running).kill)
		return os.Mkdir(filepath.Join(env.WorkDir, "home"), 0o700)
	}
	testscript.Run(t, params)
}
