package praxec

import (
	"cmp"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/tools/runner"
	"prax/tools/workflow"
)

// The room that the links of one workflow take, in bytes of what is large in them.
const (
	maxLinks   = 1 << 20
	maxPrefill = 256 << 10
)

// moves are the links of a workflow: what it offers to the caller, and how many found no room.
func (v viewer) moves(a *runner.Answer) (links []link, omitted int) {
	room, prefill := maxLinks, maxPrefill
	offered := a.Definition.Links(a.Instance, a.Caller)
	links = make([]link, 0, len(offered))
	for n, l := range offered {
		move := v.move(a, l)
		if l.Approves != "" { // without its arguments it would be another question
			move.Args.Digest = a.Instance.Parked.Digest
			links = append(links, move, v.rejection(a, l.Transition))
			continue
		}
		if size := len(move.Args.Arguments); size > prefill {
			move.Args.Arguments = nil
		} else {
			prefill -= size
		}
		if room -= linkSize(move); room < 0 && n > 0 {
			omitted++
			continue
		}
		links = append(links, move)
	}
	return append(links, v.meanwhile(a)...), omitted
}

// linkSize is about how much a link takes.
func linkSize(l link) int {
	const around = 256
	return around + len(l.Title) + len(l.Description) + len(l.InputSchema) + len(l.Args.Arguments)
}

func (v viewer) move(a *runner.Answer, l workflow.Link) link {
	t := l.Transition
	move := v.toCommand(t.Name, v.submission(a.Instance, t.Name, l.Arguments))
	move.Title, move.Description = cmp.Or(t.Title, t.Name), jsontext.Value("null")
	if t.Description != "" {
		move.Description, _ = jsontext.AppendQuote(nil, t.Description)
	}
	move.Actor, move.InputSchema = string(t.Actor), l.Schema()
	if refs := references(a.Definition, t.Skills); refs != nil {
		move.Guidance = &guidance{Refs: refs}
	}
	return move.because(blockedBy(l.Blocked))
}

// submission is the arguments that take a transition.
func (v viewer) submission(i *workflow.Instance, transition string, arguments map[string]any) args {
	version := i.Version
	a := args{WorkflowID: i.ID, ExpectedVersion: &version, Transition: transition}
	if arguments != nil {
		a.Arguments = encoded(arguments)
	}
	return a
}

// encoded is decoded JSON as text. What cannot be written is left out.
func encoded(value any) jsontext.Value {
	raw, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return nil
	}
	return raw
}

// rejection is the link by which a person, who could say yes to the open approval of a transition, says no.
func (v viewer) rejection(a *runner.Answer, t *workflow.Transition) link {
	rel := intentReject
	if s := a.Definition.State(a.Instance.State); s != nil && s.Transition(rel) != nil {
		rel = "reject_approval"
	}
	with := v.submission(a.Instance, t.Name, nil)
	with.Intent = intentReject
	l := v.toCommand(rel, with).titled("Reject: " + cmp.Or(t.Title, t.Name))
	l.Actor = string(workflow.Human)
	return l
}

// person says that only a person may; nil: the caller is one.
func person(a *runner.Answer) *blocked {
	if a.Caller.Human() {
		return nil
	}
	return &blocked{Code: codeNeedsPerson, Reason: "a person has to do this, with a client of the role human"}
}

func blockedBy(r *workflow.Refusal) *blocked {
	if r == nil {
		return nil
	}
	return &blocked{Code: string(r.Code), Reason: r.Message}
}
