package executor

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"prax/tools/schema"
	"prax/tools/workflow"
	"prax/tools/workflow/expr"
)

// violations are what does not fit.
type violations []schema.Violation

// add notes what is wrong at a place; nothing when there is no message.
func (f *violations) add(at, message string) {
	if message != "" {
		*f = append(*f, schema.Violation{Path: at, Message: message})
	}
}

// part is what the executors that start a child have in common, parsed.
type part struct {
	args []argument
	env  []variable // by name
	dir  string     // "": that of the connection
}

// variable is one of the environment.
type variable struct {
	name string
	argument
}

// argument is a literal, or the value that a path leads to.
type argument struct {
	text string
	path expr.Path // zero: text is meant
}

// caller tells whether a caller can have a say in it.
func (a argument) caller() bool { return a.path.Root()&^expr.Workflow != 0 }

// literal tells whether it is this very text.
func (a argument) literal(text string) bool { return a.path.IsZero() && a.text == text }

// part parses what executors that start a child have in common.
func (f *violations) part(w workflow.Surroundings, args []string, env map[string]string, dir string, connected bool) part {
	var p part
	for i, text := range args {
		p.args = append(p.args, f.argument("/args/"+strconv.Itoa(i), text, w.Roots))
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		at := "/env/" + schema.Escape(name)
		f.add(at, nameDefect(name))
		p.env = append(p.env, variable{name, f.argument(at, env[name], w.Roots)})
	}
	p.dir = unescaped(dir)
	f.add("/workingDirectory", directoryDefect(dir, connected))
	return p
}

// argument parses one: what begins with $. is a path as a whole.
func (f *violations) argument(at, text string, roots expr.Roots) argument {
	if !strings.HasPrefix(text, "$.") {
		f.add(at, literalDefect(text))
		return argument{text: unescaped(text)}
	}
	p, err := expr.ParsePath(text, roots)
	if err != nil {
		f.add(at, "is no path: "+err.Error())
	}
	return argument{text: text, path: p}
}

// unescaped is a literal as it is meant: $${ stands for ${.
func unescaped(text string) string { return strings.ReplaceAll(text, "$${", "${") }

// place is what looks like a place of a template, which an operator may expect to be filled.
var place = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\{\s*\$\.`) })

// literalDefect says why a text of a definition cannot be meant as it is; "" when it can.
func literalDefect(text string) string {
	switch {
	case strings.ContainsRune(text, 0) || !utf8.ValidString(text):
		return "must be text without NUL"
	case strings.Contains(strings.ReplaceAll(text, "$${", ""), "${"):
		return "has ${, which stands in the environment of a connection only: write $${ for the characters themselves"
	case place().MatchString(text):
		return "is no template: write a path as a whole, such as $.arguments.name, or a literal"
	}
	return ""
}

var variableName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })

func nameDefect(name string) string {
	if variableName().MatchString(name) {
		return ""
	}
	return "must be named by letters, digits and _, and begin with no digit"
}

func directoryDefect(dir string, connected bool) string {
	switch {
	case dir == "" || filepath.IsAbs(dir):
	case strings.HasPrefix(dir, "$."):
		return "must be a literal"
	case !connected:
		return "must be an absolute path: one that is relative to its file stands in a connection only"
	case !filepath.IsLocal(dir):
		return "must stay within the directory of the connection, or be an absolute path"
	}
	return literalDefect(dir)
}

// connection is the one of this name; nil when there is none, or when that is not known here.
func (f *violations) connection(w workflow.Surroundings, name string) *workflow.Connection {
	if name == "" || w.Connection == nil {
		return nil
	}
	c, ok := w.Connection(name)
	if !ok {
		f.add("/connection", "names no connection")
		return nil
	}
	if _, ok := c.Spec.(*CLIConnection); !ok {
		f.add("/connection", "names a connection of the kind "+c.Kind+", and needs one of the kind "+kindCLI)
		return nil
	}
	return c
}
