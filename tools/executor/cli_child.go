package executor

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"prax/auth"
	"prax/store/digest"
	"prax/tools/workflow"
	"prax/tools/workflow/expr"
)

// maxArgument bounds one value in argv and in the environment, in bytes: an operating system takes no more.
const maxArgument = 128<<10 - 1

// child is what would be started: resolved, but for the secrets of its connection.
type child struct {
	kind    string
	program string // "": that of a script
	args    []string
	dir     string // "": none was said
	env     map[string]string
	key     string // the idempotency key
	tier    auth.Tier
	lenient bool // an exit status is no failure

	connection *workflow.Connection // nil: none
	script     *workflow.Guidance   // nil: a program
}

// resolve puts everything in place that a caller has a say in.
func (p part) resolve(q Request, kind, program, connection string, nonZero *bool) (*child, *workflow.Failure) {
	c := &child{kind: kind, program: program, dir: p.dir, key: q.Key, lenient: nonZero != nil && !*nonZero, tier: q.Executor.Tier}
	if connection != "" {
		if failure := c.connect(q, connection); failure != nil {
			return nil, failure
		}
	}
	_, own := weigh(c.program, p.args)
	for i, a := range p.args {
		text, failure := a.resolve(q.Env)
		switch {
		case failure != nil:
			return nil, failure
		case !a.path.IsZero() && strings.HasPrefix(text, "-") && !guarded(p.args, own, i):
			return nil, unfit("the value of %s begins with -, which could be taken for an option", a.path)
		}
		c.args = append(c.args, text)
	}
	c.env = map[string]string{}
	for _, v := range p.env {
		text, failure := v.resolve(q.Env)
		if failure != nil {
			return nil, failure
		}
		c.env[v.name] = text
	}
	c.tier = max(c.tier, p.tier(c.program))
	return c, nil
}

// connect takes the connection as it is in force now.
func (c *child) connect(q Request, name string) *workflow.Failure {
	var conn *workflow.Connection
	var ok bool
	if q.Connection != nil {
		conn, ok = q.Connection(name)
	}
	if !ok {
		return caused(unfit("the connection that it needs is not there any more"), fmt.Errorf("connection %s: not defined", name))
	}
	spec, ok := conn.Spec.(*CLIConnection)
	if !ok {
		return unfit("the connection that it needs is of another kind now")
	}
	c.connection, c.tier = conn, max(c.tier, conn.Tier)
	if c.kind == kindCLI {
		c.program = spec.program
	}
	if !filepath.IsAbs(c.dir) {
		c.dir = filepath.Join(spec.dir, c.dir)
	}
	return nil
}

// guarded tells whether a literal -- is before an argument, which then is no option whatever it begins with.
func guarded(args []argument, own, at int) bool {
	return own < at && slices.ContainsFunc(args[own:at], func(a argument) bool { return a.literal("--") })
}

// resolve is the text of an argument. What it holds is never looked at again.
func (a argument) resolve(env expr.Env) (string, *workflow.Failure) {
	if a.path.IsZero() {
		return a.text, nil
	}
	v, ok := a.path.Of(env)
	if !ok || v == nil {
		return "", unfit("%s leads to nothing", a.path)
	}
	text, problem := written(v)
	switch {
	case problem == "" && strings.ContainsRune(text, 0):
		problem = "has a NUL in it"
	case problem == "" && len(text) > maxArgument:
		problem = fmt.Sprintf("is longer than %d bytes", maxArgument)
	}
	if problem != "" {
		return "", unfit("the value of %s %s", a.path, problem)
	}
	return text, nil
}

// written is a value as text: a string as it is, anything else as JSON.
func written(v any) (text, problem string) {
	if s, ok := v.(string); ok {
		return s, ""
	}
	raw, err := marshal(v)
	if err != nil {
		return "", "cannot be written as JSON"
	}
	if digest.Check(raw) != nil {
		return "", "has an integer beyond 2^53, which may be another than was meant, or nests too deep"
	}
	return string(raw), ""
}

// material is what would be run, for a person to approve.
func (c *child) material(argv []string) map[string]any {
	m := map[string]any{"kind": c.kind, "argv": list(argv), "env": texts(c.env)}
	if c.dir != "" {
		m["dir"] = c.dir
	}
	if c.script != nil {
		m["scriptSubject"], m["scriptHash"] = c.script.Subject, c.script.Hash
	}
	if conn := c.connection; conn != nil {
		env := texts(conn.Spec.(*CLIConnection).Env)
		m["connection"] = map[string]any{"name": conn.Name, "digest": conn.Digest, "env": env}
	}
	return m
}

func list(texts []string) []any {
	values := make([]any, len(texts))
	for i, text := range texts {
		values[i] = text
	}
	return values
}

func texts(of map[string]string) map[string]any {
	values := make(map[string]any, len(of))
	for name, text := range of {
		values[name] = text
	}
	return values
}
