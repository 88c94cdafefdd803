package main

import (
	"context"
	"io"
	"os"
	"syscall"
	"time"
)

// program is one run of prax: everything it takes from the process, so that nothing below reads a
// global. The working directory is the process's.
type program struct {
	environ []string
	stdin   io.Reader
	stdout  io.Writer
	stderr  io.Writer
	now     func() time.Time
	signals func(context.Context, func() time.Time) *signals

	declared func(*flags) // is shown the flags of a command, which ends then; nil: it runs
}

func newProgram() *program {
	return &program{
		environ: os.Environ(),
		stdin:   os.Stdin,
		stdout:  os.Stdout,
		stderr:  os.Stderr,
		now:     time.Now,
		signals: processSignals,
	}
}

// run runs the command that args name and returns the exit code.
func (p *program) run(args []string) int {
	// Whatever the umask of the caller: what prax creates is the operator's alone.
	syscall.Umask(0o077)
	out := &stdout{to: p.stdout}
	p.stdout = out
	if isTerminal(p.stderr) {
		p.stderr = &screen{to: p.stderr}
	}
	return p.report(out.verdict(dispatch(p, "prax", commands(), args)))
}
