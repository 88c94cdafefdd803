package praxec

import (
	"context"
	"slices"

	"prax/store"
	"prax/tools/runner"
	"prax/tools/workflow"
)

// attempt is the run of an executor that a workflow waits for. It says that there is one, never what it does.
type attempt struct {
	ID         string              `json:"id"`
	Transition string              `json:"transition"`
	Kind       string              `json:"kind"`
	Status     store.AttemptStatus `json:"status"`
	Since      string              `json:"since"`
	Tries      int                 `json:"tries"`
}

// attemptOf is the attempt that a workflow waits for; nil when there is none.
func attemptOf(a *runner.Answer) *attempt {
	t := a.Attempt
	if t == nil || !t.Status.Blocks() {
		return nil
	}
	return &attempt{ID: t.ID, Transition: t.Transition, Kind: t.Kind, Status: t.Status, Since: stamp(t.Created), Tries: t.Tries}
}

// statusOf is what a workflow's status is while it waits for an attempt; "" when the attempt is none that it waits for.
func statusOf(s store.AttemptStatus) string {
	switch s {
	case store.AttemptRunning:
		return underWay
	case store.AttemptUnknown:
		return doubtful
	}
	return ""
}

// waitsFor is the status of an answer whose workflow waits for an attempt; "" when it does not, or when the request was
// refused for another reason than that.
func waitsFor(a *runner.Answer) string {
	if a.Attempt == nil {
		return ""
	}
	if a.Refusal != nil {
		switch a.Refusal.Code {
		case workflow.InProgress, workflow.EffectUnknown, workflow.ExecutorFailed, workflow.ChainFailed, workflow.ClientRevoked:
		default:
			return ""
		}
	}
	return statusOf(a.Attempt.Status)
}

// meanwhile are the links of a workflow that waits for an attempt, beside those that settle one in doubt: it can be
// read until that is over, and ended as long as the attempt runs.
func (v viewer) meanwhile(a *runner.Answer) []link {
	if a.Attempt == nil || a.Stored.Status != store.Open {
		return nil
	}
	switch a.Attempt.Status {
	case store.AttemptRunning:
		end := v.toCommand("cancel", args{WorkflowID: a.Stored.ID, Intent: intentCancel}).titled("End the workflow")
		return []link{v.getLink(a.Stored.ID), end}
	case store.AttemptUnknown:
		return []link{v.getLink(a.Stored.ID)}
	}
	return nil
}

// waits are the statuses of those of a page of workflows that wait for an attempt, by id. It looks at a page of the
// newest attempts of each status.
func (q *request) waits(ctx context.Context, page []store.ListedInstance) (map[string]string, error) {
	statuses := map[string]string{}
	if !slices.ContainsFunc(page, func(i store.ListedInstance) bool { return i.Status == store.Open }) {
		return statuses, nil
	}
	for _, s := range []store.AttemptStatus{store.AttemptRunning, store.AttemptUnknown} {
		all, err := q.Runner.Attempts(ctx, q.work(), store.AttemptFilter{Status: s, User: q.p.User, Limit: store.MaxPage})
		if err != nil {
			return nil, err
		}
		for _, a := range all {
			statuses[a.Instance] = statusOf(s)
		}
	}
	return statuses, nil
}
