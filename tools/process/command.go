package process

import (
	"fmt"
	"time"
)

// Command is a program to run.
type Command struct {
	// Path is a name that is looked up in the PATH of Env, an absolute path, or one that begins with "./" and is
	// relative to Dir. Anything else is refused, and nothing is ever found in the current directory by its name alone.
	Path string

	Args  []string // without the program
	Dir   string   // "": the current directory
	Env   []string // NAME=value, exactly this; PATH is added when it is missing: [DefaultPath]
	Stdin []byte   // none: the child reads the end of its input at once

	MaxOut int // bytes of standard output that are kept; 0: 1 MiB
	MaxErr int // bytes of standard error that are kept; 0: 64 KiB
}

// Outcome is how a child ended.
type Outcome struct {
	Exit   int    // its status; -1 when a signal ended it
	Signal string // what ended it, in the words of the system: "killed"; "": it ended by itself

	Stdout, Stderr       []byte // the first bytes of each
	StdoutCut, StderrCut bool   // there was more, or there may have been

	Took time.Duration
}

// StartError says that the child was not started: nothing has begun.
type StartError struct {
	Path string // as it was asked for
	Err  error
}

// Error names the program, and neither its arguments nor its environment.
func (e *StartError) Error() string { return fmt.Sprintf("start %s: %v", e.Path, e.Err) }

// Unwrap is the cause.
func (e *StartError) Unwrap() error { return e.Err }
