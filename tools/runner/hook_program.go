package runner

import (
	"context"
	"errors"
	"fmt"

	"prax/tools/process"
)

// ProgramHook is a [Hook] that runs a program. It has the line as its standard input, nothing of the server's
// environment, and got the message when it ends with 0. What it prints is read and dropped.
type ProgramHook struct {
	Argv []string // the program and its arguments, which are the operator's alone
	Dir  string   // where it runs; "": the current directory
}

// Check says why the program could not be started, as far as that can be told without it.
func (h ProgramHook) Check() error { return h.command(nil).Check() }

func (h ProgramHook) command(line []byte) process.Command {
	const dropped = 1 // byte: less cannot be asked for
	return process.Command{Path: h.Argv[0], Args: h.Argv[1:], Dir: h.Dir, Stdin: line, MaxOut: dropped, MaxErr: dropped}
}

// Tell implements [Hook].
func (h ProgramHook) Tell(ctx context.Context, _ string, line []byte) error {
	o, err := process.Run(ctx, h.command(line))
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("the program did not end within %s", hookTime)
	case err != nil:
		return err
	case o.Signal != "":
		return fmt.Errorf("the program was ended by a signal: %s", o.Signal)
	case o.Exit != 0:
		return fmt.Errorf("the program ended with %d", o.Exit)
	}
	return nil
}
