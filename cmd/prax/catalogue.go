package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/auth/clients"
	"prax/tools"
)

// catalogue is the tools that a server with these settings has, for commands that run without one.
type catalogue struct {
	list   []*tools.Tool
	byName map[string]*tools.Tool // both spellings
}

// newCatalogue is the tools that come with prax, and those of the operator's file.
func newCatalogue(defined []*tools.Tool) catalogue {
	c := catalogue{list: append(ownTools(), defined...), byName: map[string]*tools.Tool{}}
	for _, t := range c.list {
		c.byName[t.Name] = t
		c.byName[tools.Spelling(t.Name, auth.Underscore)] = t
	}
	return c
}

// Tier is the tier of a tool, by either spelling of its name.
func (c catalogue) Tier(name string) (auth.Tier, bool) {
	t, known := c.byName[name]
	if !known {
		return auth.TierUnknown, false
	}
	return t.Tier, true
}

// arguments are the names of a tool's arguments, those in brackets that may be left out.
func (c catalogue) arguments(name string) string {
	var schema struct {
		Properties map[string]jsontext.Value `json:"properties"`
		Required   []string                  `json:"required"`
	}
	t, known := c.byName[name]
	if !known || json.Unmarshal(t.Input, &schema) != nil {
		return ""
	}
	var optional []string
	for name := range schema.Properties {
		if !slices.Contains(schema.Required, name) {
			optional = append(optional, "["+name+"]")
		}
	}
	slices.Sort(optional)
	return strings.Join(append(schema.Required, optional...), " ")
}

// grant turns what --allow says into names of tools: words for whole sets are spelled out, so that the
// file says what it grants, and a tool that a later version adds is not granted by it. It returns
// the names that this version has not. HIGH tools are refused: the grant would never take effect.
func (c catalogue) grant(text string) (names, unknown []string, err error) {
	for _, word := range list(text) {
		switch strings.ToLower(word) {
		case "default":
			names = append(names, clients.DefaultTools()...)
		case "low":
			names = append(names, c.ofTier(auth.Low)...)
		case "medium":
			names = append(names, c.ofTier(auth.Medium)...)
		case "praxec":
			names = append(names, "praxec.query", "praxec.command")
		case "all", "high", "*":
			return nil, nil, fmt.Errorf("%q would grant what nobody has looked at: name the tools", word)
		default:
			names = append(names, word)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for _, name := range names {
		switch tier, known := c.Tier(name); {
		case !known:
			unknown = append(unknown, name)
		case !tier.Exposable():
			err = fmt.Errorf("%s is %s, and such a tool is never exposed to a client", name, strings.ToUpper(tier.String()))
		}
	}
	return names, unknown, err
}

// near is the tool, or the word for several, that a name was probably meant to be.
func (c catalogue) near(name string) string {
	candidates := []string{"default", "low", "medium", "praxec"}
	for _, t := range c.list {
		if t.Tier.Exposable() {
			candidates = append(candidates, t.Name)
		}
	}
	return tools.Nearest(name, candidates)
}

func (c catalogue) ofTier(tier auth.Tier) (names []string) {
	for _, t := range c.list {
		if t.Tier == tier {
			names = append(names, t.Name)
		}
	}
	return names
}
