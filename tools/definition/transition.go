package definition

import (
	"cmp"
	"slices"
	"strconv"

	"prax/auth"
	"prax/tools/workflow"
	"prax/tools/workflow/expr"
)

// move is a transition in its stored form.
type move struct {
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Actor       string   `json:"actor"`
	Target      string   `json:"target"`
	InputSchema *value   `json:"inputSchema"`
	Guards      []*value `json:"guards"`
	Executor    *value   `json:"executor"`
	Output      *value   `json:"output"`
	Branches    []branch `json:"branches"`
	Prefill     *value   `json:"prefill"`
	MaxFires    *int     `json:"max_fires_per_visit"`
	Lightweight bool     `json:"lightweight"`
	Skills      []string `json:"skills"`
	Presents    *value   `json:"presents"`
	Choices     *value   `json:"choices"`
	Prompt      string   `json:"prompt"`
	Goal        string   `json:"goal"`
	Reliability *value   `json:"reliability"`
}

func (*move) stored() []string { return nil }
func (*move) short() []string  { return []string{"risk"} }

type branch struct {
	When   *value `json:"when"`
	Target string `json:"target"`
}

// maxFires bounds max_fires_per_visit.
const maxFires = 1_000_000

// transitions compiles those of a state, in the order in which they were written.
func (b *builder) transitions(p *phase, at string) []*workflow.Transition {
	at += "/transitions"
	if p.Transitions == nil || !b.is(p.Transitions, at, '{') {
		return nil
	}
	if len(p.Transitions.members) > maxTransitions {
		b.about(BadValue, at, "are more than "+strconv.Itoa(maxTransitions))
		return nil
	}
	list := make([]*workflow.Transition, 0, len(p.Transitions.members))
	for _, m := range p.Transitions.members {
		here := below(at, m.name)
		switch {
		case !b.label(m, here, "a transition"):
		case b.asks && m.name == workflow.AskHuman:
			b.note(NameTaken, m.place, here, b.shown(here)+" is the name of the transition that enable_human_ask adds")
		case m.name == workflow.ReconcileApplied || m.name == workflow.ReconcileNotApplied:
			b.note(NameTaken, m.place, here, b.shown(here)+" is the name of a transition that settles an effect in doubt: take another name")
		default:
			list = append(list, b.transition(m, here))
		}
	}
	if len(p.Order) > 0 {
		slices.SortStableFunc(list, func(x, y *workflow.Transition) int {
			return cmp.Compare(slices.Index(p.Order, x.Name), slices.Index(p.Order, y.Name))
		})
	}
	return list
}

func (b *builder) transition(m member, at string) *workflow.Transition {
	var read move
	b.read(m.value, at, &read)
	b.oneOf(at+"/actor", read.Actor, string(workflow.Agent), string(workflow.Human), string(workflow.Deterministic))
	t := &workflow.Transition{
		Name: m.name, Title: read.Title, Description: read.Description, Actor: workflow.Actor(cmp.Or(read.Actor, string(workflow.Agent))),
		Target: read.Target, Light: read.Lightweight, Skills: read.Skills,
		Input:    b.input(read.InputSchema, at+"/inputSchema"),
		Guards:   b.guards(read.Guards, at+"/guards", inGuard),
		Prefill:  b.slots(read.Prefill, at+"/prefill", inInstance),
		MaxFires: b.number(read.MaxFires, at+"/max_fires_per_visit", 1, maxFires, 0),
	}
	b.target(read.Target, at)
	t.Executor = b.executor(read.Executor, read.Reliability, at, inEffect)
	t.Output = b.output(read.Output, at+"/output", inOutput)
	for i, one := range read.Branches {
		t.Branches = append(t.Branches, b.branch(one, item(at+"/branches", i)))
	}
	b.prompt(t, &read, at)
	b.judgeActor(t, at)
	b.gate(t, &read, at)
	return t
}

func (b *builder) branch(one branch, at string) workflow.Branch {
	b.target(one.Target, at)
	if one.When == nil {
		b.missing(at, "when", "say in which case it leads there")
		return workflow.Branch{Target: one.Target}
	}
	return workflow.Branch{When: b.condition(one.When, at+"/when", inGuard), Target: one.Target}
}

// prompt is the question that a person is asked.
func (b *builder) prompt(t *workflow.Transition, read *move, at string) {
	if read.Prompt != "" {
		t.Prompt = b.template(read.Prompt, at+"/prompt")
	} else {
		t.Prompt = b.template(read.Goal, at+"/goal")
	}
}

// judgeActor holds an executor against who may take the transition.
func (b *builder) judgeActor(t *workflow.Transition, at string) {
	e := t.Executor
	switch {
	case e == nil:
	case e.Tier == auth.High && t.Actor != workflow.Human:
		b.about(Misplaced, at+"/executor", "is of risk high: it stands only on a transition whose actor is human")
	case e.Kind == workflow.KindHuman && t.Actor == workflow.Deterministic:
		b.about(Misplaced, at+"/executor", "asks a person, which nothing that goes by itself can do: say actor: human")
	}
}

// choices is the stored form of what a person may choose from.
type choices struct {
	Field string `json:"field"`
	From  string `json:"from"`
	Value string `json:"value"`
	Title string `json:"title"`
}

// gate reads what a person is shown, and may choose from.
func (b *builder) gate(t *workflow.Transition, read *move, at string) {
	asked := t.Actor == workflow.Human || t.Executor != nil && t.Executor.Kind == workflow.KindHuman
	if read.Presents != nil {
		if t.Presents = b.presents(read.Presents, at+"/presents"); !asked {
			b.about(InvalidPresents, at+"/presents", "is shown to nobody: say actor: human")
		}
	}
	if read.Choices != nil {
		if t.Choices = b.choices(read.Choices, at+"/choices"); !asked {
			b.about(InvalidChoices, at+"/choices", "is offered to nobody: say actor: human")
		}
		b.chosen(t.Choices, read.InputSchema, at)
	}
}

func (b *builder) presents(v *value, at string) (paths []expr.Path) {
	if v.kind != '[' {
		b.about(InvalidPresents, at, "must be a list, is "+named(v.kind))
		return nil
	}
	for i, one := range v.items {
		here := item(at, i)
		p, err := expr.ParsePath(one.text, expr.Context)
		if one.kind != '"' || err != nil || len(p.Steps()) != 1 {
			b.about(InvalidPresents, here, "must be a member of the context: $.context. and its name")
			continue
		}
		paths = append(paths, p)
	}
	return paths
}

func (b *builder) choices(v *value, at string) *workflow.Choices {
	var read choices
	if v.kind != '{' || !b.read(v, at, &read) {
		b.about(InvalidChoices, at, "must be an object of texts: field, from, value, title")
		return nil
	}
	from, err := expr.ParsePath(read.From, expr.Context)
	switch {
	case read.Field == "":
		b.about(InvalidChoices, at, "has no field: say which argument carries the choice")
	case err != nil || from.Slot() == "":
		b.about(InvalidChoices, at+"/from", "must be a path into the context, as $.context.options")
	}
	return &workflow.Choices{Field: read.Field, From: from, Value: read.Value, Title: read.Title}
}

// chosen checks that the argument which carries the choice can be sent.
func (b *builder) chosen(c *workflow.Choices, input *value, at string) {
	if c == nil || c.Field == "" || input == nil {
		return
	}
	closed := input.find("additionalProperties")
	properties := input.find("properties")
	if closed != nil && closed.kind == 'f' && (properties == nil || properties.find(c.Field) == nil) {
		b.about(InvalidChoices, at+"/choices", "has a field that the inputSchema does not know: "+strconv.Quote(shown(c.Field)))
	}
}
