package definition

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"prax/tools"
	"prax/tools/workflow"
	"prax/tools/workflow/expr"
)

// flow is a workflow in its stored form: with everything in it that it refers to. It differs from what files say by
// id, library and pending, by order in a state, and by what is written out.
type flow struct {
	ID             string           `json:"id"`
	Version        *value           `json:"version"`
	Title          string           `json:"title"`
	Description    string           `json:"description"`
	Tags           []string         `json:"tags"`
	Aliases        []string         `json:"aliases"`
	Examples       []jsontext.Value `json:"examples"`
	InputSchema    *value           `json:"inputSchema"`
	InitialContext *value           `json:"initialContext"`
	InitialState   string           `json:"initialState"`
	States         *value           `json:"states"`
	Blackboard     *value           `json:"blackboard"`
	TimeoutMs      *int64           `json:"timeoutMs"`
	OnTimeout      *timeout         `json:"onTimeout"`
	LinkFilter     string           `json:"linkFilter"`
	MaxChainDepth  *int             `json:"maxChainDepth"`
	HopBudget      *int             `json:"livelockHopBudget"`
	DeadlineSecs   *int             `json:"missionDeadlineSecs"`
	Outcomes       []outcome        `json:"outcomes"`
	Visibility     string           `json:"visibility"`
	Grants         []string         `json:"grants"`
	AskHuman       bool             `json:"enable_human_ask"`
	AskHumanCap    *int             `json:"human_ask_cap"`
	Skills         []string         `json:"skills"`
	Library        *value           `json:"library"`
	Pending        []string         `json:"pending"`
}

func (*flow) stored() []string { return []string{"id", "library", "pending"} }
func (*flow) short() []string  { return []string{"inputs", "lifecycle", "process", "taskClass"} }

type timeout struct {
	Target string `json:"target"`
}

type outcome struct {
	ID        string `json:"id"`
	Statement string `json:"statement"`
	Check     *value `json:"check"`
}

// What counts where nothing is said, and the bounds of what may be.
const (
	maxHops         = 1_000_000
	defaultDeadline = 1800
	maxDeadline     = 1_000_000
	maxAsk          = 1000
	maxTimeout      = int64(10 * 366 * 24 * time.Hour / time.Millisecond)
)

// What can be read where.
const (
	inGuard    = expr.Context | expr.Arguments | expr.Input | expr.Workflow | expr.Run
	inOutput   = inGuard | expr.Output
	inInstance = expr.Context | expr.Input | expr.Workflow | expr.Run
)

// builder compiles one definition in its stored form.
type builder struct {
	reader
	kinds   Kinds
	schemas map[string]*workflow.Schema // by their text
	library map[string]*workflow.Guidance
	scripts map[string]*workflow.Guidance // that executors can run
	pends   bool                          // a subject may be without a meaning for now
	around  workflow.Surroundings         // what is known of connections and tools; nothing when a text is decoded
	links   []string                      // the names of all connections

	reachable []string // the names of all tools
	builtin   []*tools.Tool
	states    map[string]bool
	asks      bool // every state has ask_human
	d         *workflow.Definition
}

// build compiles the root. What it returns is worth nothing when there is a problem.
func (b *builder) build() *workflow.Definition {
	var f flow
	b.read(b.root, "", &f)
	d := &workflow.Definition{
		ID: f.ID, Title: f.Title, Description: f.Description, Tags: f.Tags, Aliases: f.Aliases, Examples: f.Examples,
		Initial: f.InitialState, Filter: workflow.AllLinks, Shared: f.Visibility == "shared", Grants: f.Grants,
		Skills: f.Skills, Pending: f.Pending, Discreet: f.ID == ProxyID,
	}
	b.d = d
	d.Version = b.version(f.Version)
	b.texts(&f)
	b.guidance(f.Library)
	d.Input = b.input(f.InputSchema, "/inputSchema")
	d.InitialContext = b.context(f.InitialContext)
	b.blackboard(f.Blackboard)
	b.limits(&f)
	b.flowStates(&f)
	b.timeout(&f)
	b.outcomes(f.Outcomes)
	return d
}

// version is the number that a workflow declares. Other texts are kept as content: whoever changes one gets the next
// number.
func (b *builder) version(v *value) int64 {
	if v == nil {
		return 0
	}
	if v.kind != '"' && v.kind != '0' {
		b.about(WrongType, "/version", "must be a whole number, is "+named(v.kind))
		return 0
	}
	n, err := strconv.ParseInt(v.text, 10, 32)
	switch {
	case err != nil && v.kind == '0', err == nil && n < 1 && v.kind == '0':
		b.about(BadValue, "/version", "must be a whole number from 1")
	case err != nil:
		b.warn(Ignored, "/version", "is no whole number: the versions are counted as the content changes")
	}
	return max(n, 0)
}

// texts checks what a workflow says about itself.
func (b *builder) texts(f *flow) {
	if len(f.Title) > maxTitle {
		b.about(BadValue, "/title", "is longer than "+strconv.Itoa(maxTitle)+" bytes")
	}
	if len(f.Description) > maxDescription {
		b.about(BadValue, "/description", "is longer than "+strconv.Itoa(maxDescription)+" bytes")
	}
	b.oneOf("/visibility", f.Visibility, "owner", "shared")
	for i, name := range f.Grants {
		if path := item("/grants", i); !tools.IsName(name) {
			b.about(BadValue, path, "must be the name of a tool")
		} else if isReserved(name) {
			b.about(BadValue, path, "is a tool of the kernel: a definition cannot grant it")
		} else if b.around.Tool != nil {
			b.grant(name, path)
		}
	}
}

// grant checks that a tool is there, and may be granted.
func (b *builder) grant(name, path string) {
	switch tier, there := b.around.Tool(name); {
	case !there:
		b.about(UnknownName, path, "is no tool: "+strconv.Quote(shown(name))+suggest(name, b.reachable))
	case !tier.Exposable():
		b.about(BadValue, path, "is a tool of risk "+tier.String()+", which no grant reaches: a person approves each call")
	}
}

// limits reads the bounds of an instance.
func (b *builder) limits(f *flow) {
	d := b.d
	d.Filter = b.filter(f.LinkFilter, "/linkFilter")
	d.MaxChain = b.number(f.MaxChainDepth, "/maxChainDepth", 1, workflow.MaxChain, workflow.DefaultChain)
	d.MaxHops = b.number(f.HopBudget, "/livelockHopBudget", 1, maxHops, workflow.DefaultHops)
	d.MaxDriven = time.Duration(b.number(f.DeadlineSecs, "/missionDeadlineSecs", 0, maxDeadline, defaultDeadline)) * time.Second
	d.AskHuman, b.asks = f.AskHuman, f.AskHuman
	d.MaxAskHuman = b.number(f.AskHumanCap, "/human_ask_cap", 1, maxAsk, workflow.DefaultAsks)
}

// number is one within bounds, or what counts where none is given.
func (b *builder) number(n *int, path string, least, most, otherwise int) int {
	if n == nil {
		return otherwise
	}
	if *n < least || *n > most {
		b.about(BadValue, path, "must be "+strconv.Itoa(least)+" to "+strconv.Itoa(most)+", is "+strconv.Itoa(*n))
	}
	return *n
}

func (b *builder) filter(text, path string) workflow.LinkFilter {
	b.oneOf(path, text, string(workflow.AllLinks), string(workflow.ByGuards))
	return workflow.LinkFilter(cmp.Or(text, string(workflow.AllLinks)))
}

// timeout reads when an instance is over, whatever its state.
func (b *builder) timeout(f *flow) {
	if f.TimeoutMs != nil {
		if *f.TimeoutMs < 1 || *f.TimeoutMs > maxTimeout {
			b.about(BadValue, "/timeoutMs", "must be 1 to "+strconv.FormatInt(maxTimeout, 10)+" milliseconds")
		}
		b.d.Timeout = time.Duration(min(*f.TimeoutMs, maxTimeout)) * time.Millisecond
	}
	if f.OnTimeout == nil {
		return
	}
	b.d.OnTimeout = f.OnTimeout.Target
	b.target(f.OnTimeout.Target, "/onTimeout")
	if f.TimeoutMs == nil {
		b.warn(Ignored, "/onTimeout", "is ignored: there is no timeoutMs")
	}
}

// target checks the name of a state that something leads to.
func (b *builder) target(name, path string) {
	if b.states[name] || b.sated() {
		return
	}
	at := path + "/target"
	switch v := b.root.lookup(at); {
	case v == nil:
		b.missing(path, "target", "say which state it leads to")
	case v.kind == '"':
		b.about(UnknownName, at, "is no state of the workflow: "+strconv.Quote(shown(name))+suggest(name, b.stateNames()))
	}
}

func (b *builder) stateNames() []string {
	var names []string
	if v := b.root.find("states"); v != nil {
		for _, m := range v.members {
			names = append(names, m.name)
		}
	}
	return names
}

// outcomes reads what the workflow is for.
func (b *builder) outcomes(list []outcome) {
	var ids []string
	for i, one := range list {
		path := item("/outcomes", i)
		switch {
		case one.ID == "":
			b.missing(path, "id", "say how it is named")
		case slices.Contains(ids, one.ID):
			b.about(NameTaken, path+"/id", "is that of another outcome")
		}
		ids = append(ids, one.ID)
		if one.Statement == "" {
			b.missing(path, "statement", "say what holds when it is met")
		}
		if one.Check == nil {
			b.missing(path, "check", "say how it is known to be met")
			continue
		}
		b.d.Outcomes = append(b.d.Outcomes, workflow.Outcome{ID: one.ID, Statement: one.Statement, Check: b.condition(one.Check, path+"/check", inInstance)})
	}
}
