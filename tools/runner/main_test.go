package runner_test

import (
	"errors"
	"flag"
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		os.Exit(child(dir))
	}
	// Some properties open a store a check: a few dozen do, unless the command line says otherwise.
	if err := errors.Join(flag.Set("rapid.checks", "15"), flag.Set("rapid.steps", "25")); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}
