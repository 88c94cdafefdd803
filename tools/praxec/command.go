package praxec

import (
	"context"
	"strings"
)

// The intents that mean something.
const (
	intentCancel        = "cancel"
	intentReject        = "reject"
	intentCancelSubject = "cancel_pending_subject"
)

// command answers praxec.command: exactly one shape must match.
func (q *request) command(ctx context.Context) (any, error) {
	members, err := q.call.Members()
	if err != nil {
		return nil, err
	}
	o, invalid := readCommand(members)
	if invalid != nil {
		return q.misfit(invalid, o), nil
	}
	switch {
	case o.reload:
		return q.reload()
	case o.lexical() && o.definition != nil && !q.settings.LexiconWrites:
		return q.writesOff(strings.TrimPrefix(*o.subject, lexiconPrefix)), nil
	}
	do := o.shape()
	if do == nil {
		return q.ambiguousCommand(), nil
	}
	return do(q, ctx, o)
}

// order carries out one shape of a command.
type order func(*request, context.Context, *ordered) (any, error)

// shape is the one operation that the arguments mean; nil when they mean none, or more than one.
func (o *ordered) shape() order {
	var found []order
	for _, one := range []struct {
		is bool
		do order
	}{
		{o.starts(), (*request).start},
		{o.submits() && or(o.intent, "") == "", (*request).submit}, // a misspelt rejection must not approve
		{o.submits() && or(o.intent, "") == intentReject, (*request).reject},
		{o.cancels(), (*request).cancel},
		{o.defines(), (*request).define},
		{or(o.intent, "") == intentCancelSubject && o.unknown != nil && !o.submits(), (*request).cancelSubject},
	} {
		if one.is {
			found = append(found, one.do)
		}
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

func (o *ordered) starts() bool {
	return o.definitionID != nil && o.workflowID == nil && o.subject == nil && or(o.intent, "") != intentCancel && or(o.intent, "") != intentReject
}

func (o *ordered) submits() bool {
	return o.workflowID != nil && o.transition != nil && o.expectedVersion != nil && o.subject == nil
}

func (o *ordered) cancels() bool {
	return or(o.intent, "") == intentCancel && o.workflowID != nil && o.transition == nil && o.subject == nil
}

func (o *ordered) lexical() bool { return strings.HasPrefix(or(o.subject, ""), lexiconPrefix) }

// defines tells whether a definition is sent for a subject with a namespace, of which there is one.
func (o *ordered) defines() bool {
	return strings.Contains(or(o.subject, ""), ":") && o.definition != nil && o.workflowID == nil && o.definitionID == nil
}

// misfit answers arguments of a wrong type.
func (q *request) misfit(invalid *refusal, o *ordered) refused {
	links := []link{q.homeLink()}
	if o.workflowID != nil {
		links = append(links, q.getLink(*o.workflowID))
	}
	return refused{Error: invalid, Links: append(links, q.ambiguousCommand().Links...)}
}
