package main

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "write what the tests compare with")

// TestMain makes the test binary the program too: a story that says `exec prax` runs it as a process
// of its own, under the name prax.
func TestMain(m *testing.M) {
	testscript.Main(leakTested{m}, map[string]func(){"prax": main})
}

type leakTested struct{ m *testing.M }

func (l leakTested) Run() int {
	code := l.m.Run()
	if code != 0 {
		return code
	}
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
