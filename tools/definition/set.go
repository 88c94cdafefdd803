package definition

import (
	"cmp"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"prax/tools"
)

// Kinds are the kinds of executor that there are, by name. Each gives an empty configuration of its own.
type Kinds map[string]func() Executor

// Executor is the configuration of one executor: a pointer to a struct whose `json` tags name every key that
// the kind has. It is filled strictly from the file, and then compiled.
type Executor interface {
	// Compile makes the handler of a tool that is complete but for it; the kind may set what follows from
	// what it does, as t.Idempotent. What does not fit is told by JSON Pointer into the configuration, with
	// a text that has no subject.
	Compile(t *tools.Tool) (tools.Handler, []tools.Violation)
}

// Set is what one file defines. It is immutable.
type Set struct {
	Tools  []*tools.Tool // in the order of the file
	Digest string        // SHA-256 of the file, in hex
}

// Load reads the file behind path. The set is nil when one of the problems is an error: a file counts as a
// whole. Names in taken are those of tools that exist already, which no tool of the file may be taken for.
func Load(path string, kinds Kinds, taken ...string) (*Set, Problems) {
	src, p := readSource(path)
	if p != nil {
		return nil, Problems{*p}
	}
	return load(src, kinds, taken)
}

func load(src source, kinds Kinds, taken []string) (*Set, Problems) {
	set, problems := compile(src, kinds, taken)
	for i := range problems {
		problems[i].Text, problems[i].Path = withoutTokens(problems[i].Text), withoutTokens(problems[i].Path)
	}
	return set, problems
}

func compile(src source, kinds Kinds, taken []string) (*Set, Problems) {
	text, p := src.plain()
	if p != nil {
		return nil, Problems{*p}
	}
	parse := parseYAML
	if strings.HasSuffix(strings.ToLower(src.path), ".json") {
		parse = parseJSON
	}
	root, f := parse(text)
	if f != nil {
		return nil, Problems{{Code: f.code, File: src.path, Line: f.line, Column: f.column, Text: f.text}}
	}
	c := &compiler{reader: reader{file: src.path, root: root}, kinds: kinds, taken: taken}
	set := &Set{Digest: src.digest, Tools: c.compile()}
	slices.SortStableFunc(c.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if c.problems.Fail() {
		return nil, c.problems
	}
	return set, c.problems
}

// file is the root of a file.
type file struct {
	Version      string `json:"version"`
	Capabilities *value `json:"capabilities"`
}

// served are the versions of the format that are read.
var served = regexp.MustCompile(`^1(\.\d{1,4}){0,2}$`)

// compiler turns a file into tools.
type compiler struct {
	reader
	kinds Kinds
	taken []string
	names []string // of the file's own tools so far
}

func (c *compiler) compile() (list []*tools.Tool) {
	var f file
	if !c.fill(c.root, "", reflect.ValueOf(&f).Elem()) && c.root.kind != '{' {
		return nil
	}
	switch {
	case c.root.find("version") == nil:
		c.about(MissingKey, "", `has no version: say version: "1.0.0"`)
	case f.Version != "" && !served.MatchString(f.Version):
		c.about(BadValue, "/version", "is "+strconv.Quote(shown(f.Version))+", and this version of prax reads 1")
	}
	if f.Capabilities == nil || !c.is(f.Capabilities, "/capabilities", '{') {
		return nil
	}
	for _, m := range f.Capabilities.members {
		path := below("/capabilities", m.name)
		if c.nameFits(m, path) {
			list = append(list, c.capability(m, path))
		}
	}
	return list
}

// reserved begins the names of the tools of the workflow kernel, and no other, however it is written.
const reserved = "praxec"

// punctuation is what of a name does not count when two are told apart.
var punctuation = strings.NewReplacer(".", "", "_", "", "-", "")

func (c *compiler) nameFits(m member, path string) bool {
	quoted := strconv.Quote(shown(m.name))
	if !tools.IsName(m.name) {
		c.note(BadValue, m.place, path, "the name "+quoted+" must be 1 to 64 letters, digits, dots, _ or -")
		return false
	}
	switch bare := strings.ToLower(punctuation.Replace(m.name)); {
	case bare == "":
		c.note(BadValue, m.place, path, "the name "+quoted+" must have a letter or digit: dots, _ and - do not tell one from another")
		return false
	case strings.HasPrefix(bare, reserved):
		c.note(NameTaken, m.place, path, "the name "+quoted+" is reserved: begin it with another word than "+reserved)
		return false
	}
	for _, other := range slices.Concat(c.taken, c.names) {
		if tools.Alike(m.name, other) {
			c.note(NameTaken, m.place, path, "the name "+quoted+" cannot be told from the tool "+strconv.Quote(other)+": case, dots, _ and - aside they are one")
			return false
		}
	}
	c.names = append(c.names, m.name)
	return true
}
