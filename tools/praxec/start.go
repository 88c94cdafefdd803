package praxec

import (
	"context"
	"errors"

	"prax/store"
	"prax/tools/runner"
	"prax/tools/workflow"
)

// start begins a workflow. One that refers to a subject without a meaning waits for its definition.
func (q *request) start(ctx context.Context, o *ordered) (any, error) {
	d := q.definition(*o.definitionID)
	if d == nil {
		return q.unknownDefinition(*o.definitionID), nil
	}
	if answer, err := q.needsSubject(ctx, d.Definition); answer != nil || err != nil {
		return answer, err
	}
	a, err := q.Runner.Start(ctx, q.work(), runner.StartRequest{
		DefinitionID: d.ID, Input: o.input, RunID: o.runID, TraceID: o.traceID,
	})
	var taken *runner.RunTaken
	switch {
	case errors.Is(err, runner.ErrUnknownDefinition):
		return q.unknownDefinition(d.ID), nil
	case errors.As(err, &taken):
		return q.runTaken(o.runID, taken), nil
	case err != nil:
		return nil, err
	case a.Instance == nil:
		return q.notStarted(d, a.Refusal), nil
	}
	return q.instance(a, started), nil
}

// notStarted answers a start that was refused: there is no workflow.
func (q *request) notStarted(d *known, r *workflow.Refusal) refused {
	again := q.startLink(d.ID)
	again.InputSchema = inputSchema(d.Input)
	return refused{Error: engineRefusal(r), Links: []link{
		again, q.toQuery("read_definition", args{DefinitionID: d.ID}), q.homeLink(),
	}}
}

// runTaken answers a start whose run id is in use: with the way to the workflow that has it.
func (q *request) runTaken(runID string, taken *runner.RunTaken) refused {
	links := []link{q.toQuery("list_instances", searching("", kindInstance)), q.homeLink()}
	hint := "Each run_id is single-use. Retry with a fresh run_id."
	if taken.InstanceID != "" {
		links = []link{q.getLink(taken.InstanceID)}
		hint = "Each run_id is single-use. Fetch the existing instance with the linked get, or retry with a fresh run_id."
	}
	return q.refuse(codeRunTaken, "An instance already exists with run_id '"+store.SafeString(runID)+"'.", hint, links...)
}
