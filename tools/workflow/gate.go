package workflow

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
)

// maxMaterial bounds what a person is shown of the context, in bytes of JSON.
const maxMaterial = 32 << 10

// PendingHuman are the gates of the current state: every transition that is a person's, in declared order, and the one
// whose approval is open; none while an executor is at work, or its effect in doubt.
func (d *Definition) PendingHuman(i *Instance) []HumanGate {
	if !i.Open || i.Busy != nil {
		return nil
	}
	var gates []HumanGate
	for _, t := range d.Offered(d.State(i.State)) {
		if t.Actor == Human || i.parkedOn(t) {
			gates = append(gates, d.gate(i, t))
		}
	}
	return gates
}

func (i *Instance) parkedOn(t *Transition) bool {
	return i.Parked != nil && t.answerable() && i.Parked.Transition == t.Name
}

// gate is what a person is shown of a transition.
func (d *Definition) gate(i *Instance, t *Transition) HumanGate {
	g := HumanGate{Transition: t, Prompt: d.prompt(i, t)}
	if i.parkedOn(t) {
		g.Parked = i.Parked
	}
	g.Presented, g.Defect = presented(i, t)
	if t.Choices != nil {
		options, defect := choices(i, t.Choices)
		if g.Choices = options; defect != "" {
			g.Defect = defect
		}
	}
	return g
}

// prompt is the transition's, else its title, else the context's member of this name, else the goal of the state.
func (d *Definition) prompt(i *Instance, t *Transition) string {
	env := i.env(nil)
	if !t.Prompt.IsZero() {
		return t.Prompt.Render(env)
	}
	if t.Title != "" {
		return t.Title
	}
	if text, ok := i.Context["prompt"].(string); ok && text != "" {
		return clipTo(text, maxMaterial)
	}
	if s := d.State(i.State); s != nil {
		return s.Goal.Render(env)
	}
	return ""
}

// presented is all that the transition presents, or nothing and why.
func presented(i *Instance, t *Transition) (map[string]any, string) {
	if len(t.Presents) == 0 {
		return nil, ""
	}
	found := make(map[string]any, len(t.Presents))
	for _, p := range t.Presents {
		value, ok := p.Of(i.env(nil))
		if !ok {
			return nil, p.String() + ", which the gate presents, is not set"
		}
		found[p.Slot()] = value
	}
	if weigh(found, maxMaterial) != nil {
		return nil, fmt.Sprintf("what the gate presents is larger than %d bytes", maxMaterial)
	}
	return found, ""
}

// choices are the live options of a gate, or why there are none.
func choices(i *Instance, c *Choices) (*Options, string) {
	value, _ := c.From.Of(i.env(nil))
	list, ok := value.([]any)
	switch {
	case !ok:
		return nil, c.From.String() + ", which the gate takes its options from, is not a list"
	case len(list) == 0:
		return nil, c.From.String() + ", which the gate takes its options from, is empty"
	case weigh(list, maxMaterial) != nil:
		return nil, fmt.Sprintf("the gate's options are larger than %d bytes", maxMaterial)
	}
	options := &Options{Field: c.Field}
	for _, item := range list {
		option, ok := c.option(item)
		if !ok {
			return nil, "an option of " + c.From.String() + " has no member " + c.Value
		}
		options.Options = append(options.Options, option)
	}
	return options, ""
}

func (c *Choices) option(item any) (Option, bool) {
	member, isObject := item.(map[string]any)
	option := Option{Value: item}
	if c.Value != "" {
		value, there := member[c.Value]
		if !isObject || !there {
			return Option{}, false
		}
		option.Value = value
	}
	if c.Title != "" {
		option.Title, _ = member[c.Title].(string)
	}
	return option, true
}

// chosen checks the choice of a submit against the options that are live now.
func (m *move) chosen(t *Transition, arguments map[string]any) *Refusal {
	if t.Choices == nil {
		return nil
	}
	options, defect := choices(&m.next, t.Choices)
	if defect != "" {
		return refuse(ChoiceMismatch, "the gate has no options: "+defect)
	}
	choice, given := arguments[t.Choices.Field]
	for _, o := range options.Options {
		if given && reflect.DeepEqual(o.Value, choice) {
			return nil
		}
	}
	if !given {
		return refuse(ChoiceMismatch, "the argument "+t.Choices.Field+" is missing: "+options.list())
	}
	return refuse(ChoiceMismatch, "the argument "+t.Choices.Field+" is "+spell(choice)+": "+options.list())
}

// maxListed bounds how many options a message lists.
const maxListed = 10

func (o *Options) list() string {
	text := fmt.Sprintf("it must be one of %d options", len(o.Options))
	if len(o.Options) > maxListed {
		return text
	}
	values := make([]string, len(o.Options))
	for n, option := range o.Options {
		values[n] = spell(option.Value)
	}
	return text + ": " + strings.Join(values, ", ")
}

// spell writes a value as short JSON.
func spell(value any) string {
	text, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return "not JSON"
	}
	return clip(string(text))
}
