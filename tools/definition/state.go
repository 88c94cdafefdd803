package definition

import (
	"strings"

	"prax/tools/workflow"
	"prax/tools/workflow/expr"
)

// phase is a state in its stored form.
type phase struct {
	Terminal      bool     `json:"terminal"`
	Outcome       string   `json:"outcome"`
	Goal          string   `json:"goal"`
	Guidance      string   `json:"guidance"`
	Description   string   `json:"description"`
	Actor         string   `json:"actor"`
	Transitions   *value   `json:"transitions"`
	Order         []string `json:"order"` // of the transitions, where it is not that of their names
	OnEnter       *action  `json:"onEnter"`
	LinkFilter    string   `json:"linkFilter"`
	Skills        []string `json:"skills"`
	Delegate      *string  `json:"delegate"`
	While         *value   `json:"while"`
	MaxIterations *int     `json:"max_iterations"`
	Slots         *value   `json:"slots"`
}

func (*phase) stored() []string { return []string{"order"} }
func (*phase) short() []string  { return nil }

// action is what happens on entering a state.
type action struct {
	Executor    *value `json:"executor"`
	Output      *value `json:"output"`
	Reliability *value `json:"reliability"`
}

// The bounds of a workflow.
const (
	maxStates      = 10_000
	maxTransitions = 2000 // of a state
	maxIterations  = 100_000
)

// flowStates reads the states: first their names, which targets are judged by.
func (b *builder) flowStates(f *flow) {
	if f.States == nil {
		b.missing("", "states", "say what it goes through")
		return
	}
	if !b.is(f.States, "/states", '{') {
		return
	}
	if n := len(f.States.members); n == 0 || n > maxStates {
		b.about(BadValue, "/states", "must be 1 to 10000 states")
		return
	}
	b.states = make(map[string]bool, len(f.States.members))
	for _, m := range f.States.members {
		b.states[m.name] = true
	}
	byName := make(map[string]*workflow.State, len(f.States.members))
	for _, m := range f.States.members {
		if at := below("/states", m.name); b.label(m, at, "a state") {
			byName[m.name] = b.state(m, at)
		}
	}
	b.initial(f)
	b.d.States = inOrder(f, byName)
}

func (b *builder) initial(f *flow) {
	switch v := b.root.find("initialState"); {
	case v == nil:
		b.missing("", "initialState", "say which state it begins in")
	case v.kind == '"' && !b.states[f.InitialState]:
		b.about(UnknownName, "/initialState", "is no state of the workflow"+suggest(f.InitialState, b.stateNames()))
	}
}

// inOrder are the states as they are reached from the first, level by level, and then the others by name: the order in
// which they are written says nothing.
func inOrder(f *flow, byName map[string]*workflow.State) []*workflow.State {
	list := make([]*workflow.State, 0, len(byName))
	seen := make(map[string]bool, len(byName))
	reach := func(name string) {
		if s := byName[name]; s != nil && !seen[name] {
			seen[name] = true
			list = append(list, s)
		}
	}
	reach(f.InitialState)
	for i := 0; i < len(list); i++ {
		for _, t := range list[i].Transitions {
			for _, branch := range t.Branches {
				reach(branch.Target)
			}
			reach(t.Target)
		}
	}
	for _, m := range f.States.members {
		reach(m.name)
	}
	return list
}

// state compiles one.
func (b *builder) state(m member, at string) *workflow.State {
	var p phase
	b.read(m.value, at, &p)
	s := &workflow.State{
		Name: m.name, Terminal: p.Terminal, Outcome: p.Outcome, Description: p.Description,
		HumanState: p.Actor == string(workflow.Human), Skills: p.Skills,
		Goal: b.template(p.Goal, at+"/goal"), Guidance: b.template(p.Guidance, at+"/guidance"),
	}
	b.oneOf(at+"/actor", p.Actor, string(workflow.Agent), string(workflow.Human))
	b.ending(&p, at)
	if p.LinkFilter != "" {
		filter := b.filter(p.LinkFilter, at+"/linkFilter")
		s.Filter = &filter
	}
	if p.Delegate != nil {
		if s.Delegate = *p.Delegate; strings.TrimSpace(s.Delegate) == "" {
			b.about(InvalidDelegate, at+"/delegate", "is empty")
		}
	}
	s.OnEnter = b.entering(p.OnEnter, at+"/onEnter")
	if s.OnEnter != nil && s.OnEnter.Executor.Effect() && m.name == textOf(b.root.find("initialState")) {
		b.about(Misplaced, at+"/onEnter/executor", "has an effect, and the workflow begins here, before there is anything to note it in: let a deterministic transition do it")
	}
	b.staying(s, &p, at)
	s.Slots = b.stateSlots(p.Slots, at+"/slots")
	s.Transitions = b.transitions(&p, at)
	return s
}

// ending checks what a state says about the end.
func (b *builder) ending(p *phase, at string) {
	b.oneOf(at+"/outcome", p.Outcome, "success", "failure")
	if p.Outcome != "" && !p.Terminal {
		b.about(Misplaced, at+"/outcome", "stands in a state that is not terminal")
	}
	if p.Terminal && p.Transitions != nil && !p.Transitions.isEmpty() {
		b.about(Misplaced, at+"/transitions", "stand in a terminal state")
	}
}

// staying reads what keeps an instance in the state.
func (b *builder) staying(s *workflow.State, p *phase, at string) {
	if p.While == nil {
		if p.MaxIterations != nil {
			b.warn(Ignored, at+"/max_iterations", "is ignored: there is no while")
		}
		return
	}
	s.While = b.condition(p.While, at+"/while", inGuard)
	if p.MaxIterations == nil {
		b.missing(at, "max_iterations", "a while needs a bound")
		return
	}
	s.MaxWhile = b.number(p.MaxIterations, at+"/max_iterations", 1, maxIterations, 0)
}

// entering compiles what happens on entering a state. Nobody can be asked there, and nothing of tier HIGH stands there.
func (b *builder) entering(a *action, at string) *workflow.Action {
	if a == nil {
		return nil
	}
	made := &workflow.Action{Executor: b.executor(a.Executor, a.Reliability, at, inEffect&^expr.Arguments), Output: b.output(a.Output, at+"/output", inOutput&^expr.Arguments)}
	if e := made.Executor; e != nil {
		switch {
		case e.Kind == workflow.KindHuman:
			b.about(Misplaced, at+"/executor", "asks a person, which only a transition can do")
		case !e.Tier.Exposable():
			b.about(Misplaced, at+"/executor", "is of risk high: it stands only on a transition whose actor is human")
		}
	}
	return made
}
