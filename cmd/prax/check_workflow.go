package main

import (
	"slices"
	"strings"

	"prax/auth"
	"prax/auth/clients"
	"prax/store"
	"prax/tools/definition"
	"prax/tools/workflow"
)

// proofs are what can be proven of the workflows of a set without running them, held against the clients that there
// are and the operator, who oversees everybody.
func (p *program) proofs(s *settings, set *definition.Set) []finding {
	if set == nil {
		return nil
	}
	live := p.principals(s)
	if len(live) == 0 && !exists(s.clientsConfig(nil).Path) { // before there are clients it is judged for whoever they will be
		return proofs(set, func(string) workflow.World { return workflow.World{} })
	}
	return proofs(set, func(id string) workflow.World { return worldOf(id, live) })
}

// proofs are the findings about each workflow of a set, in its world.
func proofs(set *definition.Set, world func(id string) workflow.World) []finding {
	var found []finding
	for _, d := range set.Definitions {
		there := world(d.ID)
		for _, f := range d.Check(there) {
			if d.ID == definition.ProxyID && f.Code == workflow.NoTerminal {
				continue // it is made to go on for ever
			}
			if f.Code == workflow.UnanswerableGate {
				f.Text = unanswerable(d, there, f)
			}
			found = append(found, proof(set, d.ID, f))
		}
	}
	return found
}

// unanswerable says of a gate that no client answers whether the operator could, who may start a workflow as any
// client may.
func unanswerable(d *workflow.Definition, there workflow.World, f workflow.Finding) string {
	there.Callers = append(slices.Clone(there.Callers), workflow.Caller{Client: "operator", Roles: auth.Names(auth.Human)})
	gate := "the transition " + f.Transition + " of the state " + f.State + " waits for a person"
	if slices.ContainsFunc(d.Check(there), func(g workflow.Finding) bool {
		return g.Code == f.Code && g.State == f.State && g.Transition == f.Transition
	}) {
		return gate + " who is not there: neither a client of the role human nor the operator has what its guards ask for"
	}
	return gate + ": no client of the role human can answer it; the operator can"
}

// proof places a finding in the files.
func proof(set *definition.Set, id string, f workflow.Finding) finding {
	at := set.Place(id, f.Pointer)
	text := "workflow " + id + ": " + f.Text
	if way := strings.Join(f.Path, " → "); way != "" && !strings.Contains(f.Text, way) {
		text += " [by way of " + way + "]"
	}
	p := definition.Problem{
		Code: definition.Code(f.Code), Warning: f.Severity == workflow.SeverityWarning && !set.Settings.Strict,
		File: at.File, Line: at.Line, Column: at.Column, Path: at.Path, Text: text,
	}
	return finding{
		Severity: p.Severity(), Code: string(p.Code), File: p.File, Line: p.Line, Column: p.Column, Workflow: id,
		Transitions: f.Path, Text: p.Text, fails: p.IsError(), line: p.String(),
	}
}

// principals are the clients that are live.
func (p *program) principals(s *settings) []auth.Principal {
	cfg := s.clientsConfig(nil)
	registry, err := clients.Open(cfg, nil, nil, p.now)
	if err != nil {
		return nil // what is wrong with the clients is told elsewhere
	}
	listed, _ := clients.List(cfg, nil, p.now())
	var live []auth.Principal
	for _, one := range listed {
		if who, there := registry.ByName(one.Name); there && one.State == "live" {
			live = append(live, who)
		}
	}
	return live
}

// worldOf is who may use a definition, as the engine sees them: one of each kind.
func worldOf(id string, live []auth.Principal) workflow.World {
	w := workflow.World{Callers: []workflow.Caller{{Client: "operator", Roles: auth.Names(auth.Human), Overseer: true}}}
	type kind struct {
		roles, permissions [32]byte
		overseer           bool
	}
	known := map[kind]bool{}
	add := func(p auth.Principal, overseer bool) {
		k := kind{p.Roles.Key(), p.Permissions.Key(), overseer}
		if !known[k] {
			known[k] = true
			w.Callers = append(w.Callers, workflow.Caller{
				Client: p.Client, User: p.User, Roles: p.Roles, Permissions: p.Permissions, Overseer: overseer,
			})
		}
	}
	for _, p := range live {
		if !store.Granted(p.Workflows, id) {
			continue
		}
		add(p, false)
		if p.Oversees.All() || p.Oversees.Len() > 0 {
			add(p, true)
		}
	}
	return w
}

// workflowsOf is how many workflows a set defines, without the one that is made of capabilities.
func workflowsOf(set *definition.Set) int {
	if set == nil {
		return 0
	}
	return len(slices.DeleteFunc(slices.Clone(set.Definitions), func(d *workflow.Definition) bool { return d.ID == definition.ProxyID }))
}
