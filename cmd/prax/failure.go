package main

import (
	"errors"
	"fmt"
	"strings"
)

// The exit codes. 78 is EX_CONFIG of sysexits, so that a service manager can be told not to restart
// on it.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
	exitConfig = 78
)

// errShown ends a command that failed and has already said so.
var errShown = errors.New("already reported")

// errHelp ends a command that was asked for its help and has printed it.
var errHelp = errors.New("help was shown")

// failure is an error with an exit code of its own and what the operator may do about it.
type failure struct {
	code  int
	err   error
	hints []string
}

func (f *failure) Error() string { return f.err.Error() }

// Unwrap gives the cause.
func (f *failure) Unwrap() error { return f.err }

func usage(hint, format string, args ...any) error {
	return &failure{exitUsage, fmt.Errorf(format, args...), hints(hint)}
}

func badConfig(hint, format string, args ...any) error {
	return &failure{exitConfig, fmt.Errorf(format, args...), hints(hint)}
}

func failed(hint, format string, args ...any) error {
	return &failure{exitFailed, fmt.Errorf(format, args...), hints(hint)}
}

func hints(hint string) []string {
	if hint == "" {
		return nil
	}
	return strings.Split(hint, "\n")
}

// report prints err as `prax: error:` and `prax: hint:` lines and returns its exit code.
func (p *program) report(err error) int {
	if err == nil || errors.Is(err, errHelp) {
		return exitOK
	}
	var f *failure
	if !errors.As(err, &f) {
		f = &failure{code: exitFailed}
	}
	if errors.Is(err, errShown) {
		return f.code
	}
	for _, reason := range reasons(err) {
		fmt.Fprintf(p.stderr, "prax: %s %s\n", p.coloured(p.stderr, red, "error:"), printable(reason))
	}
	for _, hint := range f.hints {
		fmt.Fprintf(p.stderr, "prax: hint: %s\n", printable(hint))
	}
	return f.code
}

// reasons are the errors that err joins, each with the context that was put before them all; err itself
// when it joins none.
func reasons(err error) (texts []string) {
	switch e := err.(type) {
	case interface{ Unwrap() []error }:
		if parts := e.Unwrap(); len(parts) > 0 && errors.Join(parts...).Error() == err.Error() {
			for _, part := range parts {
				texts = append(texts, reasons(part)...)
			}
			return texts
		}
	case interface{ Unwrap() error }:
		inner := e.Unwrap()
		if inner == nil {
			break
		}
		if context, before := strings.CutSuffix(err.Error(), inner.Error()); before {
			for _, text := range reasons(inner) {
				texts = append(texts, context+text)
			}
			return texts
		}
	}
	return []string{err.Error()}
}
