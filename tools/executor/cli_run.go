package executor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"prax/tools/process"
	"prax/tools/secret"
	"prax/tools/workflow"
)

// cliKind runs the executors of the kind cli.
type cliKind struct{ secrets *secret.Source }

// NewCLI is the kind cli. Secrets are resolved when a program is started, and cut out of all that it gives.
func NewCLI(s *secret.Source) Kind { return cliKind{s} }

// Prepare implements [Kind].
func (k cliKind) Prepare(_ context.Context, q Request) (*Run, *workflow.Failure) {
	s := specOf[CLI](q.Executor)
	if s == nil {
		return nil, unfit("the executor has no program")
	}
	c, failure := s.part.resolve(q, kindCLI, unescaped(s.Command), s.Connection, s.TreatNonZeroAsFailure)
	if failure != nil {
		return nil, failure
	}
	if c.dir == "" {
		c.dir = "/"
	}
	return &Run{
		Material: c.material(append([]string{c.program}, c.args...)),
		Tier:     c.tier,
		Do: func(ctx context.Context) workflow.Result {
			r, _ := c.start(ctx, k.secrets, c.program, c.args, c.dir)
			return r
		},
	}, nil
}

// start runs a program for the child, to its end. missing tells that there is no such program.
func (c *child) start(ctx context.Context, s *secret.Source, program string, args []string, dir string) (r workflow.Result, missing bool) {
	var secrets secret.Values
	env, failure := c.environment(s, &secrets)
	if failure != nil {
		return workflow.Result{Failure: failure}, false
	}
	o, err := process.Run(ctx, process.Command{Path: program, Args: args, Dir: dir, Env: env})
	if err != nil {
		r.Failure, missing = unended(err)
		r.Failure.Cause = err
	} else {
		r = c.result(o, &secrets)
	}
	r.Took = o.Took
	return r, missing
}

// environment is that of the connection, then the executor's own, with the secrets in place.
func (c *child) environment(s *secret.Source, into *secret.Values) ([]string, *workflow.Failure) {
	env := map[string]string{}
	if c.connection != nil {
		for name, text := range c.connection.Spec.(*CLIConnection).env {
			value, err := s.Resolve(text, into)
			if err != nil {
				failure := unfit("a secret of the connection that it needs cannot be read")
				return nil, caused(failure, fmt.Errorf("connection %s: env %s: %w", c.connection.Name, name, err))
			}
			env[name] = value
		}
	}
	maps.Copy(env, c.env)
	if c.key != "" {
		env["IDEMPOTENCY_KEY"] = c.key
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		lines = append(lines, name+"="+env[name])
	}
	return lines, nil
}

// unended is the failure of a child that was not started, or did not end by itself.
func unended(err error) (f *workflow.Failure, missing bool) {
	var start *process.StartError
	timeout := errors.Is(err, context.DeadlineExceeded)
	switch {
	case errors.As(err, &start) && (timeout || errors.Is(err, context.Canceled)):
		return neverBegun(workflow.ClassTimeout, "the time was over before it was started"), false
	case errors.As(err, &start) && errors.Is(err, fs.ErrNotExist):
		return neverBegun(workflow.ClassConnection, "the program, or the directory that it runs in, is not there"), true
	case errors.As(err, &start) && errors.Is(err, fs.ErrPermission):
		return neverBegun(workflow.ClassConnection, "the program, or the directory that it runs in, may not be used"), false
	case start != nil:
		return neverBegun(workflow.ClassConnection, "the program could not be started"), false
	case timeout:
		return doubtful(workflow.ClassTimeout, "the program was still running when its time was over, and was stopped"), false
	case errors.Is(err, context.Canceled):
		return doubtful(workflow.ClassTimeout, "the program was stopped before it had ended"), false
	}
	return doubtful(workflow.ClassTransient, "it is not known how the program ended"), false
}

// defect is the failure of a child that ended badly; nil: it did not.
func (c *child) defect(o process.Outcome, stderr string) *workflow.Failure {
	switch {
	case o.Signal != "":
		return doubtful(workflow.ClassTransient, "the program was ended by a signal: "+shortened(o.Signal))
	case o.Exit == 0 || c.lenient:
		return nil
	}
	message := "exit status " + strconv.Itoa(o.Exit)
	if line := lastLine(stderr); line != "" {
		message += ": " + line
	}
	return answered(shortened(message))
}

// lastLine is the last line of a text that is not blank.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return strings.TrimSpace(text[strings.LastIndexAny(text, "\r\n")+1:])
}
