package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"prax/auth"
	"prax/auth/policy"
	"prax/store"
	"prax/tools"
	"prax/tools/definition"
	"prax/tools/praxec"
	"prax/tools/secret"
	"prax/tools/workflow"
)

// reach is what a client can have done by a workflow although its own allowlist does not have it.
type reach struct {
	Client   string   `json:"client"`
	Workflow string   `json:"workflow"`
	Tools    []string `json:"tools"`
}

// reaches are what the live clients reach through the grants of the workflows that they may use.
func (p *program) reaches(s *settings, set *definition.Set) (found []reach) {
	if set == nil {
		return nil
	}
	tiers, now := newCatalogue(declared(set)), p.now()
	for _, who := range p.principals(s) {
		if !may(who, tiers, praxec.Command, now) {
			continue
		}
		for _, d := range set.Definitions {
			if !store.Granted(who.Workflows, d.ID) {
				continue
			}
			if beyond := slices.DeleteFunc(slices.Clone(d.Grants), func(name string) bool { return may(who, tiers, name, now) }); len(beyond) > 0 {
				found = append(found, reach{who.Client, d.ID, beyond})
			}
		}
	}
	return found
}

// may tells whether a client may use a tool by its own allowlist.
func may(p auth.Principal, tiers catalogue, name string, now time.Time) bool {
	tier, known := tiers.Tier(name)
	return policy.Decide(p, policy.Target{Name: name, Underscore: tools.Spelling(name, auth.Underscore), Tier: tier, Exists: known}, now).OK
}

func printReaches(w io.Writer, all []reach) {
	for _, r := range all {
		fmt.Fprintln(w, printable(fmt.Sprintf("%s reaches %s through the workflow %s", r.Client, strings.Join(r.Tools, ", "), r.Workflow)))
	}
}

// unresolved are warnings about what connections take from elsewhere and would not find now. A server may run where it
// is found.
func unresolved(s *settings, set *definition.Set) (found []finding) {
	source, err := s.secrets()
	if set == nil || err != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(set.Connections)) {
		for _, why := range missing(source, set.Connections[name]) {
			found = append(found, setting("unresolved-secret", "warning", "connection "+name+": "+why))
		}
	}
	return found
}

// missing says of each secret of a connection that cannot be had why that is.
func missing(source *secret.Source, c *workflow.Connection) (reasons []string) {
	for _, text := range references(c) {
		if _, err := source.Resolve(text, new(secret.Values)); err != nil && !slices.Contains(reasons, err.Error()) {
			reasons = append(reasons, err.Error())
		}
	}
	return reasons
}

// references are the texts of a connection that take something from elsewhere.
func references(c *workflow.Connection) (all []secret.Text) {
	var config any
	if json.Unmarshal(c.Config, &config) != nil {
		return nil
	}
	for _, text := range textsIn(config) {
		if parsed, err := secret.Parse(text); err == nil && !parsed.IsLiteral() {
			all = append(all, parsed)
		}
	}
	return all
}

// textsIn are the strings in decoded JSON, by the order of their names.
func textsIn(value any) (texts []string) {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []any:
		for _, one := range v {
			texts = append(texts, textsIn(one)...)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			texts = append(texts, textsIn(v[name])...)
		}
	}
	return texts
}
