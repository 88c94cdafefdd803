package runner

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/store"
	"prax/tools/workflow"
)

// work is what an attempt has to remember, so that a later start can go on with it. Executors and their Env are not
// there: the engine gives them again.
type work struct {
	Kind      workflow.StepKind `json:"kind,omitzero"`
	Arguments map[string]any    `json:"arguments,omitzero"`
	Summary   string            `json:"summary,omitzero"`
	Approval  string            `json:"approval,omitzero"`
	Approved  bool              `json:"approved,omitzero"`
	Digest    string            `json:"digest,omitzero"`   // of what was approved
	Approver  actor             `json:"approver,omitzero"` // who said yes
	Bound     bool              `json:"bound,omitzero"`    // to exactly what would be run
	Own       bool              `json:"own,omitzero"`      // of a tool: its caller's own allowlist let it in
	Note      string            `json:"note,omitzero"`
	Depth     int               `json:"depth,omitzero"`
	OnEnter   bool              `json:"on_enter,omitzero"`
	By        actor             `json:"by,omitzero"` // who makes the step
	Results   []output          `json:"results,omitempty"`
	Does      map[string]any    `json:"does,omitzero"` // for the person who has to find out whether it happened
}

// Does is what a running or doubtful attempt was resolved to do, secrets by name: for a person. nil where that is not known
// any more.
func Does(a store.Attempt) jsontext.Value {
	var known struct {
		Does jsontext.Value `json:"does"`
	}
	if json.Unmarshal(a.Work, &known) != nil {
		return nil
	}
	return known.Does
}

// workOf is what an attempt has to remember.
func workOf(a *attempt, by actor) (jsontext.Value, error) {
	w := work{Arguments: a.plan.env.Arguments, By: by, Bound: a.plan.approved, Own: a.plan.own, Does: a.plan.material}
	if e := a.effect; e != nil {
		w.Kind, w.Arguments, w.Summary, w.Approval, w.Approved = e.Kind, e.Arguments, e.Summary, e.Approval, e.Approved
		w.Digest, w.Approver, w.Note, w.Depth, w.OnEnter = e.Digest, actor{Client: e.Client, User: e.User}, e.Note, e.Depth, e.OnEnter
		for _, r := range e.Results {
			w.Results = append(w.Results, outputOf(r))
		}
	}
	return encode(w)
}

// readWork is what an attempt remembers.
func readWork(a store.Attempt) (w work, err error) {
	if err = json.Unmarshal(a.Work, &w); err != nil {
		err = fmt.Errorf("what the attempt was for: %w", err)
	}
	return w, err
}

// effect is what the engine waited for.
func (w work) effect(a store.Attempt) *workflow.Effect {
	e := &workflow.Effect{
		Request: workflow.Request{
			Kind: w.Kind, Transition: a.Transition, Version: a.Version, Arguments: w.Arguments, Summary: w.Summary,
			Approval: w.Approval, Approved: w.Approved, Digest: w.Digest, Client: w.Approver.Client, User: w.Approver.User,
			Note: w.Note, Depth: w.Depth,
		},
		State: a.State, OnEnter: w.OnEnter,
	}
	for _, o := range w.Results {
		e.Results = append(e.Results, o.result())
	}
	return e
}

// output is a result of an executor that succeeded, as it is stored.
type output struct {
	Output   any              `json:"output"`
	Evidence []store.Evidence `json:"evidence,omitempty"`
	TookMs   int64            `json:"took_ms,omitzero"`

	Digest   string `json:"digest,omitzero"` // of what was approved, where a person was asked
	Approver actor  `json:"approver,omitzero"`
}

// approved is an effect as the person approved it whose yes a kept attempt has used up; as it is where nobody was asked.
func (o output) approved(e *workflow.Effect, kept *store.Attempt) *workflow.Effect {
	if kept.Approval == "" {
		return e
	}
	as := *e
	as.Ask, as.Approved, as.Approval = false, true, kept.Approval
	as.Digest, as.Client, as.User = o.Digest, o.Approver.Client, o.Approver.User
	return &as
}

func outputOf(r workflow.Result) output {
	o := output{Output: r.Output, TookMs: r.Took.Milliseconds()}
	for _, e := range r.Evidence {
		o.Evidence = append(o.Evidence, store.Evidence{
			Kind: e.Kind, URI: e.URI, Summary: e.Summary, Digest: e.Digest, Confidence: e.Confidence, Client: e.Client, User: e.User,
		})
	}
	return o
}

func (o output) result() workflow.Result {
	return workflow.Result{
		Output: o.Output, Evidence: evidenceOf(o.Evidence), Took: time.Duration(o.TookMs) * time.Millisecond,
	}
}
