package runner

import "prax/tools/workflow"

// needs is what of an instance the engine reads beyond its row, so that the rest need not be loaded.
type needs struct {
	evidence bool
	shown    bool
	parked   bool
	effects  bool
	gates    map[string]bool // states that wait for a person by themselves
}

// more tells whether there is anything.
func (n *needs) more() bool { return n.evidence || n.shown || n.parked || n.effects }

// moved tells whether all of it changes with the version of the instance only: evidence and approvals do, while attempts
// come and go by themselves, and so does what was shown.
func (n *needs) moved() bool { return !n.effects && !n.shown }

func needsOf(d *workflow.Definition) needs {
	n := needs{parked: d.AskHuman, gates: map[string]bool{}}
	for _, s := range d.States {
		n.guard(s.While)
		if s.OnEnter != nil {
			n.action(*s.OnEnter)
		}
		for _, t := range s.Transitions {
			n.transition(s, t)
		}
	}
	for _, o := range d.Outcomes {
		n.guard(o.Check)
	}
	return n
}

func (n *needs) transition(s *workflow.State, t *workflow.Transition) {
	n.action(t.Action)
	n.guards(t.Guards)
	for _, b := range t.Branches {
		n.guard(b.When)
	}
	if t.Actor == workflow.Human {
		n.gates[s.Name] = true
		n.parked = n.parked || t.Executor != nil // what it does may have to be approved
	}
}

func (n *needs) action(a workflow.Action) {
	if a.Executor != nil && a.Executor.Kind == workflow.KindHuman {
		n.parked = true
	}
	n.effects = n.effects || a.Executor.Effect()
}

func (n *needs) guards(all []*workflow.Guard) {
	for _, g := range all {
		n.guard(g)
	}
}

func (n *needs) guard(g *workflow.Guard) {
	if g == nil {
		return
	}
	switch g.Kind {
	case workflow.GuardEvidence:
		n.evidence = true
	case workflow.GuardGuidance, workflow.GuardScript:
		n.shown = true
	}
	n.guards(g.Guards)
}
