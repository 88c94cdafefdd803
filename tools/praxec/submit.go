package praxec

import (
	"context"

	"prax/store"
	"prax/tools/runner"
)

// submit takes a transition.
func (q *request) submit(ctx context.Context, o *ordered) (any, error) { return q.take(ctx, o, false) }

// reject says no to the open approval of a transition.
func (q *request) reject(ctx context.Context, o *ordered) (any, error) { return q.take(ctx, o, true) }

func (q *request) take(ctx context.Context, o *ordered, reject bool) (any, error) {
	a, err := q.Runner.Submit(ctx, q.work(), runner.SubmitRequest{
		InstanceID: *o.workflowID, Transition: *o.transition, ExpectedVersion: *o.expectedVersion,
		Arguments: o.arguments, Summary: or(o.summary, ""), Digest: or(o.digest, ""), Reject: reject,
	})
	if err != nil {
		return nil, err
	}
	answer := q.instance(a, executed)
	if a.Refusal != nil && len(answer.Links) == 0 {
		answer.Links = q.onwards(a)
	}
	return answer, nil
}

// onwards are the links of a refusal by a workflow that was cancelled: one that is over has none.
func (q *request) onwards(a *runner.Answer) []link {
	if a.Stored.Status != store.Cancelled {
		return []link{}
	}
	links := []link{}
	if q.definition(a.Stored.DefinitionID) != nil {
		links = append(links, q.startLink(a.Stored.DefinitionID))
	}
	return append(links, q.homeLink())
}

// endedRun is the answer to a cancellation.
type endedRun struct {
	WorkflowID string `json:"workflowId"`
	Status     string `json:"status"`
	Reason     string `json:"reason"`
	Links      []link `json:"links"`
}

// cancel ends a workflow where it is. One that is cancelled already stays as it is.
func (q *request) cancel(ctx context.Context, o *ordered) (any, error) {
	a, err := q.Runner.Cancel(ctx, q.work(), *o.workflowID, or(o.summary, ""))
	switch {
	case err != nil:
		return nil, err
	case a.Refusal != nil:
		return q.instance(a, rejected), nil
	}
	return endedRun{WorkflowID: a.Stored.ID, Status: cancelled, Reason: a.Stored.Reason, Links: []link{q.getLink(a.Stored.ID), q.homeLink()}}, nil
}
