package executor

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"prax/store/digest"
	"prax/tools/secret"
	"prax/tools/workflow"
)

// scriptKind runs the executors of the kind script.
type scriptKind struct{ secrets *secret.Source }

// NewScript is the kind script. Secrets are resolved when a script is started, and cut out of all that it gives.
func NewScript(s *secret.Source) Kind { return scriptKind{s} }

// Prepare implements [Kind].
func (k scriptKind) Prepare(_ context.Context, q Request) (*Run, *workflow.Failure) {
	s := specOf[Script](q.Executor)
	if s == nil || s.script == nil || s.script.Hash == "" {
		return nil, unfit("the script is not there")
	}
	c, failure := s.part.resolve(q, kindScript, "", s.Connection, s.TreatNonZeroAsFailure)
	if failure != nil {
		return nil, failure
	}
	script := *s.script
	c.script = &script
	return &Run{
		Material: c.material(append(append(interpreters(script.Body)[0], script.Subject), c.args...)),
		Tier:     c.tier,
		Do:       func(ctx context.Context) workflow.Result { return c.play(ctx, k.secrets) },
	}, nil
}

// play writes the script into a directory of its own, runs it there unless another directory was said, and removes it.
func (c *child) play(ctx context.Context, s *secret.Source) workflow.Result {
	if "sha256:"+digest.Hex([]byte(strings.TrimRight(c.script.Body, "\n"))) != c.script.Hash {
		return workflow.Result{Failure: unfit("the script is not the one that its hash says")}
	}
	own, file, err := lay(s, c.script.Body)
	if own != "" {
		defer func() { _ = os.RemoveAll(own) }()
	}
	if err != nil {
		return workflow.Result{Failure: neverBegun(workflow.ClassTransient, "the script could not be written to a file")}
	}
	dir := c.dir
	if dir == "" {
		dir = own
	}
	var r workflow.Result
	for _, by := range interpreters(c.script.Body) {
		var missing bool
		args := append(append(by[1:len(by):len(by)], file), c.args...)
		if r, missing = c.start(ctx, s, by[0], args, dir); !missing {
			break
		}
	}
	return r
}

// scriptsDir is where scripts lie while they run: in the data directory, so that what a server that was killed left behind
// is found. Without one it is the system's.
func scriptsDir(s *secret.Source) string {
	if s.DataDir == "" {
		return ""
	}
	return filepath.Join(s.DataDir, "scripts")
}

// ClearScripts removes the scripts that a server which was killed left behind. Whoever calls it owns the data directory.
func ClearScripts(s *secret.Source) error {
	if dir := scriptsDir(s); dir != "" {
		return os.RemoveAll(dir)
	}
	return nil
}

// lay writes a script to a file that nobody else can read.
func lay(s *secret.Source, body string) (dir, file string, err error) {
	parent := scriptsDir(s)
	if parent != "" {
		if err := os.MkdirAll(parent, 0o700); err != nil {
			return "", "", err
		}
	}
	if dir, err = os.MkdirTemp(parent, "prax-script-"); err != nil { // its mode is 0700
		return "", "", err
	}
	file = filepath.Join(dir, "script")
	return dir, file, os.WriteFile(file, []byte(body), 0o700)
}

// interpreters are what runs a script, the first that is there: what its first line says, with at most one argument as
// execve takes it, else a shell. It is started by name and given the file, as a file system may forbid to run what is
// on it.
func interpreters(body string) [][]string {
	line, _, _ := strings.Cut(body, "\n")
	line, ok := strings.CutPrefix(strings.TrimRight(line, "\r"), "#!")
	if line = strings.TrimSpace(line); !ok || line == "" {
		return [][]string{{"bash"}, {"sh"}}
	}
	program, option, _ := strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
	if option = strings.TrimSpace(option); option == "" {
		return [][]string{{program}}
	}
	return [][]string{{program, option}}
}
