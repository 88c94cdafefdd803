package definition

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"prax/tools"
)

// Kinds are the kinds of executor that tools may have, by name. Each gives an empty configuration of its own.
type Kinds map[string]func() Executor

// Executor is the configuration of one executor: a pointer to a struct whose `json` tags name every key that
// the kind has. It is filled strictly from the file, and then compiled.
type Executor interface {
	// Compile makes the handler of a tool that is complete but for it; the kind may set what follows from
	// what it does, as t.Idempotent. What does not fit is told by JSON Pointer into the configuration, with
	// a text that has no subject.
	Compile(t *tools.Tool) (tools.Handler, []tools.Violation)
}

// Load reads the file or the folder behind path, and every file that is included. The set is nil when one of the
// problems is an error: a configuration counts as a whole. Names in taken are those of tools that exist already,
// which no tool of it may be taken for.
func Load(path string, kinds Kinds, taken ...string) (*Set, Problems) {
	return compile(readAll(path), kinds, taken)
}

// compile makes a set of what was read, or of none of it.
func compile(r *reading, kinds Kinds, taken []string) (*Set, Problems) {
	if len(r.errors) > 0 {
		return nil, r.all(r.names)
	}
	c := &compiler{reader: reader{findings: &r.findings, file: r.path, root: r.root}, kinds: kinds, taken: taken}
	set := c.compile()
	if len(r.errors) > 0 {
		return nil, r.all(r.names)
	}
	set.Digest, set.Files = r.digest(), slices.Clone(r.names)
	return set, r.all(r.names)
}

// root is the root of a configuration.
type file struct {
	Version      string `json:"version"`
	Capabilities *value `json:"capabilities"`
}

// served are the versions of the format that are read.
var served = regexp.MustCompile(`^1(\.\d{1,4}){0,2}$`)

// compiler turns a configuration into a set.
type compiler struct {
	reader
	kinds Kinds
	taken []string
	names []string // of its own tools so far
}

func (c *compiler) compile() *Set {
	set := &Set{}
	var f file
	if !c.read(c.root, "", &f) && c.root.kind != '{' {
		return set
	}
	switch {
	case c.root.find("version") == nil:
		c.about(MissingKey, "", `has no version: say version: "1.0.0"`)
	case f.Version != "" && !served.MatchString(f.Version):
		c.about(BadValue, "/version", "is "+strconv.Quote(shown(f.Version))+", and this version of prax reads 1")
	}
	if f.Capabilities == nil || !c.is(f.Capabilities, "/capabilities", '{') {
		return set
	}
	for _, m := range f.Capabilities.members {
		path := below("/capabilities", m.name)
		if c.nameFits(m, path) {
			set.Tools = append(set.Tools, c.capability(m, path))
		}
	}
	return set
}

// reserved begins the names of the tools of the workflow kernel.
const reserved = "praxec"

func (c *compiler) nameFits(m member, path string) bool {
	quoted := strconv.Quote(shown(m.name))
	if !tools.IsName(m.name) {
		c.note(BadValue, m.place, path, "the name "+quoted+" must be 1 to 64 letters, digits, dots, _ or -")
		return false
	}
	if first := strings.FieldsFunc(m.name, func(r rune) bool { return strings.ContainsRune("._-", r) }); len(first) > 0 && strings.EqualFold(first[0], reserved) {
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
