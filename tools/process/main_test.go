package process_test

import (
	"context"
	"os"
	"testing"

	"go.uber.org/goleak"

	"prax/tools/process"
)

// parentOf, when it is set, makes this binary a parent that waits for a child which writes its number into the file.
const parentOf = "PROCESS_TEST_PARENT_OF"

func TestMain(m *testing.M) {
	if file := os.Getenv(parentOf); file != "" {
		_, _ = process.Run(context.Background(), shell(`echo $$ >"$0.new"; mv "$0.new" "$0"; exec sleep 600`, file))
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// shell is a command line for sh, with its $0, $1 and so on.
func shell(line string, args ...string) process.Command {
	return process.Command{Path: "sh", Args: append([]string{"-c", line}, args...)}
}

func run(t testing.TB, c process.Command) process.Outcome {
	t.Helper()
	o, err := process.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return o
}
