package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store"
	"prax/tools/workflow"
)

// leaseTime is how long a worker is taken to be alive after it said so.
const leaseTime = time.Minute

// attempt is one that is about to be opened, or that runs.
type attempt struct {
	stored store.Attempt
	effect *workflow.Effect // what the engine waits for; nil: a tool was called
	plan   *plan
	began  bool // its effect may have begun before: it is taken up again after a crash
}

// work is what of an attempt is needed to go on with it after a crash.
type work struct {
	Kind       workflow.StepKind `json:"kind,omitzero"`
	Arguments  map[string]any    `json:"arguments,omitzero"`
	Summary    string            `json:"summary,omitzero"`
	Approval   string            `json:"approval,omitzero"`
	Approved   bool              `json:"approved,omitzero"`
	Digest     string            `json:"digest,omitzero"`  // of what was approved
	ByClient   string            `json:"by,omitzero"`      // who said yes
	ByUser     string            `json:"by_user,omitzero"` // and whose client that is
	Note       string            `json:"note,omitzero"`
	Depth      int               `json:"depth,omitzero"`
	OnEnter    bool              `json:"on_enter,omitzero"`
	Maker      maker             `json:"maker,omitzero"` // of the step
	Results    []output          `json:"results,omitempty"`
	Repeatable bool              `json:"repeatable,omitzero"` // or idempotent: it may be started again
}

// maker is who makes a step.
type maker struct {
	Client string `json:"client,omitzero"`
	User   string `json:"user,omitzero"`
}

// output is a result of an executor that succeeded, as it is stored.
type output struct {
	Output   any              `json:"output"`
	Evidence []store.Evidence `json:"evidence,omitempty"`
	TookMs   int64            `json:"took_ms,omitzero"`
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

// work is what an attempt has to remember.
func (a *attempt) work(by auth.Principal) (jsontext.Value, error) {
	w := work{Repeatable: a.repeatable(), Arguments: a.plan.env.Arguments, Maker: maker{by.Client, by.User}}
	if e := a.effect; e != nil {
		w.Kind, w.Arguments, w.Summary, w.Approval, w.Approved = e.Kind, e.Arguments, e.Summary, e.Approval, e.Approved
		w.Note, w.Depth, w.OnEnter = e.Note, e.Depth, e.OnEnter
		w.Digest, w.ByClient, w.ByUser = e.Digest, e.Client, e.User
		for _, r := range e.Results {
			w.Results = append(w.Results, outputOf(r))
		}
	}
	return encode(w)
}

// repeatable tells whether the attempt may be taken up again once its effect may have begun.
func (a *attempt) repeatable() bool { return a.plan.executor.Idempotent || a.harmless() }

// harmless tells whether it makes no difference how often any of its executors is run, as with reading.
func (a *attempt) harmless() bool {
	for _, c := range a.plan.choices {
		if !c.repeatable() {
			return false
		}
	}
	return true
}

// effectOf is what the engine waited for, as the attempt remembers it. Its executor and its Env are the engine's to
// give again.
func effectOf(a store.Attempt) (*workflow.Effect, maker, error) {
	var w work
	if err := json.Unmarshal(a.Work, &w); err != nil {
		return nil, maker{}, fmt.Errorf("what the attempt was for: %w", err)
	}
	e := &workflow.Effect{
		Request: workflow.Request{
			Kind: w.Kind, Transition: a.Transition, Version: a.Version, Arguments: w.Arguments, Summary: w.Summary,
			Approval: w.Approval, Approved: w.Approved, Digest: w.Digest, Client: w.ByClient, User: w.ByUser,
			Note: w.Note, Depth: w.Depth,
		},
		State: a.State, OnEnter: w.OnEnter,
	}
	for _, o := range w.Results {
		e.Results = append(e.Results, o.result())
	}
	return e, w.Maker, nil
}

// newAttempt is an attempt that can be opened.
func (r *Runner) newAttempt(c *call, p *plan, effect *workflow.Effect) (*attempt, error) {
	a := &attempt{effect: effect, plan: p, stored: store.Attempt{
		ID: p.attempt, Client: p.principal.Client, Actor: p.principal.User, User: p.principal.User,
		Kind: p.executor.Kind, Tier: p.tier.String(), Digest: p.digest, Key: p.key(), Tries: 1,
		Worker: r.config.Worker, Fence: 1, Lease: c.now.Add(leaseTime), Status: store.AttemptRunning,
		Correlation: c.correlation, RequestID: c.RequestID, Created: c.now, Updated: c.now,
	}}
	var err error
	a.stored.Work, err = a.work(c.Principal)
	return a, err
}

// of makes an attempt one of an instance.
func (a *attempt) of(i store.Instance) {
	s, e := &a.stored, a.effect
	s.User, s.Instance, s.Version, s.Shared, s.Definition = i.User, i.ID, i.Version, i.Shared, i.DefinitionID
	s.State, s.Transition = e.State, e.Transition
	if e.Approved && len(e.Results) == 0 { // the first attempt of its step uses the approval up
		s.Approval = e.Approval
	}
}

// ended is an attempt that has come to an end, and how.
type ended struct {
	attempt *attempt
	result  workflow.Result
	settled *store.Closing // by a person, in place of the result
}

// closing is the end of an attempt as the store takes it.
func (e *ended) closing(status store.AttemptStatus, now time.Time) (store.Closing, error) {
	c := store.Closing{ID: e.attempt.stored.ID, Fence: e.attempt.stored.Fence, Status: status, At: now}
	if f := e.result.Failure; f != nil {
		c.Class, c.Message = f.Class, clip(f.Message, store.MaxEvidenceText)
	}
	if status != store.AttemptKept {
		return c, nil
	}
	raw, err := encode(outputOf(e.result))
	if err != nil || len(raw) > store.MaxValueBytes { // it happened all the same
		c.Message = "its output cannot be kept"
		return c, nil
	}
	c.Output = raw
	return c, nil
}

// ErrUnknownAttempt says of an operation what the other errors of its kind say of workflows.
var ErrUnknownAttempt = errors.New("unknown operation")

// Attempts are the newest attempts that the caller may see, of definitions that it may use.
func (r *Runner) Attempts(ctx context.Context, w Work, f store.AttemptFilter) (rows []store.ListedAttempt, err error) {
	c := r.call(w)
	err = c.view(ctx, func(tx store.Tx) (err error) {
		rows, err = tx.ListAttempts(c.scope, f)
		return err
	})
	kept := rows[:0]
	for _, row := range rows {
		if c.seesAttempt(row.Attempt) {
			kept = append(kept, row)
		}
	}
	return kept, err
}

func (c *call) seesAttempt(a store.Attempt) bool { return a.Instance == "" || c.granted(a.Definition) }

// Attempt is one that the caller may see; any other is [ErrUnknownAttempt].
func (r *Runner) Attempt(ctx context.Context, w Work, id string) (store.Attempt, error) {
	return r.attempt(ctx, r.call(w), id)
}

func (r *Runner) attempt(ctx context.Context, c *call, id string) (a store.Attempt, err error) {
	err = c.view(ctx, func(tx store.Tx) (err error) {
		a, err = tx.Attempt(c.scope, id)
		return err
	})
	if errors.Is(err, store.ErrNotFound) || err == nil && !c.seesAttempt(a) {
		return store.Attempt{}, ErrUnknownAttempt
	}
	return a, err
}

// livePrincipal is the client that an attempt acts for, as clients.json has it now, if it is still admitted and may still use
// the definition.
func (r *Runner) livePrincipal(client, user, definition string) (auth.Principal, bool) {
	p, ok := r.liveClient(client, definition)
	return p, ok && p.User == user
}

func (r *Runner) liveClient(client, definition string) (auth.Principal, bool) {
	if r.config.Live == nil || client == "" {
		return auth.Principal{}, false
	}
	p, there := r.config.Live(client)
	if !there || p.Expired(r.config.Now()) {
		return auth.Principal{}, false
	}
	return p, definition == "" || store.Granted(p.Workflows, definition)
}
