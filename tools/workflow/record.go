package workflow

import (
	"maps"
	"slices"
)

// maxKeys bounds how many names of members one event lists.
const maxKeys = 32

// record notes a committed step.
func (s *stage) record() {
	m := s.m
	m.trail = append(m.trail, s.before...)
	switch s.kind {
	case StepStart:
		m.fact("workflow.started", map[string]any{
			"definitionId": m.d.ID, "state": s.to.Name, "version": m.next.Version,
		})
	case StepTransition, StepChain, StepRequest:
		m.fact(s.recordType(), s.entry())
	}
	m.trail = append(m.trail, s.facts...)
	if s.kind == StepTransition || s.kind == StepChain {
		m.fact("workflow.transitioned", s.transitioned())
	}
	if s.to.Terminal {
		m.completed(s.to)
	}
	m.guards = nil
}

func (s *stage) recordType() string {
	if s.t.Light || s.kind == StepRequest {
		return "workflow.interaction"
	}
	return "workflow.transition"
}

// entry is the record of a transition.
func (s *stage) entry() map[string]any {
	m := s.m
	entry := map[string]any{
		"workflowId": m.next.ID, "definitionId": m.d.ID, "definitionVersion": m.d.Version,
		"seq": m.next.Version, "fromState": s.from.Name, "toState": s.to.Name,
		"transition": s.t.Name, "actor": string(s.actor()), "principal": s.principal(),
		"guards": m.guards, "arguments": keys(s.r.Arguments), "blackboardDelta": keys(s.delta),
	}
	if s.ran != nil {
		entry["executor"] = map[string]any{"kind": s.ran.Kind, "ok": true}
	}
	if len(s.removed) > 0 {
		entry["removed"] = len(s.removed)
	}
	return entry
}

// principal is who made the step; nobody, when the server did by itself.
func (s *stage) principal() any {
	if s.actor() == Deterministic || s.m.by.Client == "" {
		return nil
	}
	return clip(s.m.by.Client)
}

func (s *stage) transitioned() map[string]any {
	payload := map[string]any{"transition": s.t.Name, "state": s.to.Name, "version": s.m.next.Version}
	if s.kind == StepChain {
		payload["deterministic"] = true
		payload["chainDepth"] = s.r.Depth + 1
	}
	return payload
}

// completed notes that the instance ended, and which outcomes it met.
func (m *move) completed(at *State) {
	m.fact("workflow.completed", map[string]any{"state": at.Name})
	for _, o := range m.d.OutcomesMet(&m.next) {
		m.fact("outcome.recorded", map[string]any{"id": o.ID, "met": o.Met})
	}
}

// keys are the names of an object's members in order, as many as an event lists.
func keys(object map[string]any) []any {
	names := slices.Sorted(maps.Keys(object))
	listed := make([]any, 0, min(len(names), maxKeys))
	for _, name := range names[:min(len(names), maxKeys)] {
		listed = append(listed, clip(name))
	}
	return listed
}
