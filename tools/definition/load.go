package definition

import (
	"regexp"
	"slices"
	"strconv"
	"sync"

	"prax/auth"
	"prax/tools"
	"prax/tools/lexicon"
	"prax/tools/workflow"
)

// Kinds are the kinds of executor that there are, by name, each with an empty configuration of its own: Tools are those
// that answer for a tool by themselves; the others have an effect, and stand in workflows, and in tools.
type Kinds struct {
	Tools map[string]func() Executor
	workflow.Specs
}

// Executor is the configuration of one executor: a pointer to a struct whose `json` tags name every key that
// the kind has. It is filled strictly from the file, and then compiled.
type Executor interface {
	// Compile makes the handler of a tool that is complete but for it; the kind may set what follows from
	// what it does, as t.Idempotent. What does not fit is told by JSON Pointer into the configuration, with
	// a text that has no subject.
	Compile(t *tools.Tool) (tools.Handler, []tools.Violation)
}

// Load reads the file or the folder behind path, and every file that is included. The set is nil when one of the
// problems is an error: a configuration counts as a whole. Own are the tools that exist already: executors can lead to
// them, and no tool of the configuration may be taken for one.
func Load(path string, kinds Kinds, own ...*tools.Tool) (*Set, Problems) {
	return compile(readAll(path), kinds, own)
}

// compile makes a set of what was read, or of none of it.
func compile(r *reading, kinds Kinds, own []*tools.Tool) (*Set, Problems) {
	if len(r.errors) > 0 {
		return nil, r.all(r.names)
	}
	c := &compiler{
		reader: reader{findings: &r.findings, file: r.path, root: r.root}, kinds: kinds, builtin: own,
		attached: r.attached, schemas: map[string]*workflow.Schema{},
	}
	set := c.compile()
	if len(r.errors) > 0 {
		return nil, r.all(r.names)
	}
	set.Digest, set.Files = r.digest(), slices.Clone(r.names)
	return set, r.all(r.names)
}

// file is the root of a configuration.
type file struct {
	Version      string `json:"version"`
	Connections  *value `json:"connections"`
	Capabilities *value `json:"capabilities"`
	Proxy        *value `json:"proxy"`
	Workflows    *value `json:"workflows"`
	Skills       *value `json:"skills"`
	Scripts      *value `json:"scripts"`
	Lexicon      *value `json:"lexicon"`
	Discovery    *value `json:"discovery"`
	Praxec       *value `json:"praxec"`
	Gateway      *value `json:"gateway"`
	Store        *value `json:"store"`
	Audit        *value `json:"audit"`
	Repos        *value `json:"repos"`
}

func (*file) stored() []string { return nil }
func (*file) short() []string  { return []string{"include"} }

// served are the versions of the format that are read.
var served = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^1(\.\d{1,4}){0,2}$`) })

// compiler turns a configuration into a set.
type compiler struct {
	reader
	kinds     Kinds
	builtin   []*tools.Tool     // that exist already
	attached  map[string]string // texts of scripts in files of their own, by the path of the script
	names     map[string]string // of the tools so far, by what tells them apart
	anyRoot   bool              // the subject of a skill may begin with any word
	fragments map[string]*workflow.Guidance
	subjects  []string // of those, in the order of the files
	abilities map[string]*ability
	isTerm    map[string]bool // what the lexicon explains, or needs no explanation
	schemas   map[string]*workflow.Schema
	bytes     int // of the definitions so far

	connections map[string]*workflow.Connection
	rated       map[string]auth.Tier  // what connections say of their risk themselves
	around      workflow.Surroundings // what executors can lead to
	links       []string              // the names of all connections, in order
	tiers       map[string]auth.Tier  // of the tools that exist already, in both spellings
	exposes     map[string]*ability   // the configuration's own, in both spellings
	reach       int                   // how many tools that call each other are being made
	reachable   []string              // those of all tools that an executor can lead to
}

func (c *compiler) compile() *Set {
	set := &Set{}
	var f file
	c.read(c.own(c.root, "", foreignRoot), "", &f)
	c.version(f.Version)
	c.elsewhere(&f)
	set.Settings = c.settings(&f)
	set.Lexicon = c.lexicon(f.Lexicon)
	c.library(&f)
	c.connect(f.Connections)
	able := c.capabilities(f.Capabilities)
	c.known(set.Lexicon, able)
	c.surround(able)
	for _, a := range able {
		c.judgeCapability(set, a)
	}
	set.Connections = c.connections
	exposed := c.proxy(f.Proxy)
	workflows, capabilities := c.discovered(f.Discovery)
	c.flows(set, f.Workflows, workflows)
	if len(exposed) > 0 {
		c.expose(set, exposed, capabilities)
	}
	if workflows || capabilities {
		set.Items = append(set.Items, c.guidanceItems()...)
	}
	return set
}

func (c *compiler) version(text string) {
	switch v := c.root.find("version"); {
	case v == nil:
		c.about(MissingKey, "", `has no version: say version: "1.0.0"`)
	case v.kind == '"' && !served().MatchString(text):
		c.about(BadValue, "/version", "is "+strconv.Quote(shown(text))+", and this version of prax reads 1")
	}
}

// known gathers the terms that a subject may rest on.
func (c *compiler) known(terms []Term, able []*ability) {
	c.isTerm = map[string]bool{}
	for _, t := range terms {
		c.isTerm[t.Term] = true
		for _, alias := range t.Aliases {
			c.isTerm[alias] = true
		}
	}
	for _, subject := range c.subjects {
		c.isTerm[lexicon.TermOf(subject)] = true
	}
	for _, a := range able {
		c.isTerm[a.name], c.isTerm[lexicon.TermOf(a.name)] = true, true
	}
}
