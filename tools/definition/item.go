package definition

import (
	"cmp"
	"strings"

	"prax/tools/lexicon"
	"prax/tools/workflow"
)

// flowItem is what of a workflow can be found: the words of its states and transitions too.
func flowItem(d *workflow.Definition, v *value) Item {
	it := Item{
		ID: d.ID, Kind: Workflow, Title: cmp.Or(d.Title, d.ID), Description: d.Description,
		Tags: d.Tags, Examples: d.Examples, Aliases: d.Aliases, Lifecycle: textOf(v.find("lifecycle")),
	}
	if d.Input != nil {
		it.InputSchema = d.Input.Raw()
	}
	words := []string{cmp.Or(textOf(v.find("process")), textOf(v.find("taskClass")))}
	for _, s := range d.States {
		words = append(words, s.Name, s.Description, s.Goal.String(), s.Guidance.String())
		for _, t := range s.Transitions {
			words = append(words, t.Name, t.Title, t.Description)
		}
	}
	it.Text = joined(words)
	return it
}

// capabilityItem is what of a capability can be found.
func capabilityItem(x *proxied, d *workflow.Definition) Item {
	it := Item{
		ID: x.name, Kind: Capability, Title: cmp.Or(x.Title, x.name), Description: x.Description,
		Tags: x.Tags, Examples: x.Examples, Aliases: x.Aliases, Text: x.name,
	}
	if t := d.State(proxyState).Transition(x.name); t.Input != nil {
		it.InputSchema = t.Input.Raw()
	}
	return it
}

// guidanceItems are the skills and scripts.
func (c *compiler) guidanceItems() (items []Item) {
	for _, subject := range c.subjects {
		g := c.fragments[subject]
		it := Item{
			ID: subject, Kind: Skill, Title: subject, Description: "Guidance to " + g.Verb + ": " + lexicon.TermOf(subject) + ".",
			Text: subject + " " + g.Verb, Verb: g.Verb, Lifecycle: g.Lifecycle, Body: g.Body, Hash: g.Hash, Source: g.Source,
		}
		if g.Script {
			it.Kind, it.Description = Script, "Script to "+g.Verb+": "+lexicon.TermOf(subject)+"."
		}
		items = append(items, it)
	}
	return items
}

func textOf(v *value) string {
	if v == nil || v.kind != '"' {
		return ""
	}
	return v.text
}

// joined are the words that there are, with blanks between.
func joined(words []string) string {
	var said []string
	for _, word := range words {
		if word = strings.TrimSpace(word); word != "" {
			said = append(said, word)
		}
	}
	return strings.Join(said, " ")
}
