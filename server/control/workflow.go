package control

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/store"
	"prax/tools"
	"prax/tools/praxec"
	"prax/tools/runner"
)

// Request is a call of praxec.query or praxec.command.
type Request struct {
	As        string         `json:"as,omitzero"` // the client whose rights are meant; "": the operator's own
	Tool      string         `json:"tool"`
	Arguments jsontext.Value `json:"arguments,omitzero"` // an object; nil: an empty one
}

// Reply is what one of the two tools answered: one object, refusals too.
type Reply struct {
	Structured jsontext.Value `json:"structured"`
}

// Listing picks instances. Zero members do not restrict.
type Listing struct {
	As         string       `json:"as,omitzero"`
	Definition string       `json:"definition,omitzero"`
	Status     store.Status `json:"status,omitzero"`
	User       string       `json:"user,omitzero"`
	Before     int64        `json:"before,omitzero"` // Next of the page before
	Limit      int          `json:"limit,omitzero"`  // 0: 50
}

// Instances is one page of a list, the newest first.
type Instances struct {
	Items []Instance `json:"items"`
	Next  int64      `json:"next,omitzero"` // Before of the next page; 0: there is none
}

// Instance is a workflow in a list.
type Instance struct {
	ID                string       `json:"id"`
	DefinitionID      string       `json:"definition_id"`
	DefinitionVersion int64        `json:"definition_version"`
	State             string       `json:"state"`
	Version           int64        `json:"version"`
	Status            store.Status `json:"status"`
	Reason            string       `json:"reason,omitzero"`
	User              string       `json:"user"`
	Client            string       `json:"client"`
	Shared            bool         `json:"shared,omitzero"`
	RunID             string       `json:"run_id,omitzero"`
	Summary           string       `json:"summary,omitzero"`
	Created           time.Time    `json:"created"`
	Updated           time.Time    `json:"updated"`
}

// Past asks for the history of an instance.
type Past struct {
	As    string `json:"as,omitzero"`
	ID    string `json:"id"`
	After int64  `json:"after,omitzero"` // the version of the last step that was seen
	Limit int    `json:"limit,omitzero"` // 0: 50
}

// Step is one change of an instance. It holds what was submitted and what came of it.
type Step struct {
	Version     int64          `json:"version"`
	Kind        string         `json:"kind"`
	Transition  string         `json:"transition,omitzero"`
	From        string         `json:"from,omitzero"`
	To          string         `json:"to"`
	Actor       string         `json:"actor,omitzero"`
	Client      string         `json:"client,omitzero"` // "": the server itself
	User        string         `json:"user,omitzero"`
	Correlation string         `json:"correlation,omitzero"`
	Arguments   jsontext.Value `json:"arguments,omitzero"`
	Output      jsontext.Value `json:"output,omitzero"`
	Delta       jsontext.Value `json:"context_changes,omitzero"`
	At          time.Time      `json:"at"`
}

// Drive calls one of the two tools of workflows, as the operator or with exactly the rights of a client. The error is
// [ErrNoClient], [ErrTooMany], or tools.ErrUnknownTool for a tool that the client may not use, and for any other one.
func (o *Operator) Drive(ctx context.Context, r Request) (Reply, error) {
	act := o.begin("workflow", r.As, r.Tool)
	p, leave, err := o.acting(r.As, r.Tool)
	if err != nil {
		o.end(act, tools.OutcomeDenied, err.Error())
		return Reply{}, err
	}
	defer leave()
	if len(r.Arguments) == 0 {
		r.Arguments = jsontext.Value("{}")
	}
	act.Registry = p.Generation
	res, err := o.cfg.Tools.Call(ctx, &tools.Call{
		Principal: p, Method: "operator/workflow", Name: r.Tool, Arguments: r.Arguments, Progress: func(tools.Progress) {},
		RequestID: act.RequestID, Remote: o.name,
	})
	if err == nil && (res.IsError || len(res.Structured) == 0) {
		err = fmt.Errorf("%s: %s", r.Tool, textOf(res))
	}
	if err != nil {
		o.end(act, tools.OutcomeError, "")
		return Reply{}, err
	}
	outcome := tools.OutcomeOK
	if act.Code = codeOf(res.Structured); act.Code != "" {
		outcome = tools.OutcomeDenied
	}
	o.end(act, outcome, "")
	return Reply{res.Structured}, nil
}

// acting is the principal of an act on workflows: the operator's own, which nothing limits, or a client's that may use the tool by
// which it would do the same, and is within its limits until leave is called.
func (o *Operator) acting(as, tool string) (p auth.Principal, leave func(), err error) {
	if tool != praxec.Query && tool != praxec.Command {
		return p, nil, tools.ErrUnknownTool
	}
	if as == "" {
		return Principal(o.uid), func() {}, nil
	}
	p, ok := o.cfg.Clients.ByName(as)
	if !ok {
		return p, nil, ErrNoClient
	}
	if !o.cfg.Tools.Decide(p, tool).OK {
		return p, nil, tools.ErrUnknownTool
	}
	leave, err = o.enter(p)
	return p, leave, err
}

func textOf(r *tools.Result) string {
	for _, b := range r.Content {
		if b.Type == "text" {
			return b.Text
		}
	}
	return "no answer"
}

// codeOf is the code of the error that an answer is; "" when it is none.
func codeOf(answer jsontext.Value) string {
	var a struct {
		Error struct {
			Code string `json:"code"`
		} `json:"error"`
	}
	if json.Unmarshal(answer, &a) != nil {
		return ""
	}
	return a.Error.Code
}

// Instances are the newest instances that the operator, or a client, may see.
func (o *Operator) Instances(ctx context.Context, l Listing) (Instances, error) {
	list := Instances{Items: []Instance{}}
	err := o.reading(o.begin("workflow/list", l.As, ""), l.As, func(w runner.Work) error {
		page, err := o.cfg.Runner.List(ctx, w, store.InstanceFilter{
			DefinitionID: l.Definition, Status: l.Status, User: l.User, Before: l.Before, Limit: l.Limit,
		})
		for _, i := range page.Instances {
			list.Items = append(list.Items, listed(i.Instance))
		}
		list.Next = page.Next
		return err
	})
	return list, err
}

func listed(i store.Instance) Instance {
	return Instance{
		ID: i.ID, DefinitionID: i.DefinitionID, DefinitionVersion: i.DefinitionVersion, State: i.State, Version: i.Version,
		Status: i.Status, Reason: i.Reason, User: i.User, Client: i.Client, Shared: i.Shared, RunID: i.RunID, Summary: i.Summary,
		Created: i.Created, Updated: i.Updated,
	}
}

// History is the steps of an instance after a version, oldest first; none when there are no more.
func (o *Operator) History(ctx context.Context, p Past) ([]Step, error) {
	steps := []Step{}
	act := o.on(o.begin("workflow/history", p.As, ""), detail{As: p.As, Workflow: p.ID})
	err := o.reading(act, p.As, func(w runner.Work) error {
		all, err := o.cfg.Runner.History(ctx, w, p.ID, p.After, p.Limit)
		for _, s := range all {
			steps = append(steps, Step{
				Version: s.Seq, Kind: s.Kind, Transition: s.Transition, From: s.From, To: s.To, Actor: s.Actor, Client: s.Client,
				User: s.User, Correlation: s.Correlation, Arguments: s.Arguments, Output: s.Output, Delta: s.Delta, At: s.At,
			})
		}
		return err
	})
	return steps, err
}

var errNoRunner = errors.New("nothing runs workflows here")

// reading does an act that only reads, and records it.
func (o *Operator) reading(act store.Event, as string, f func(runner.Work) error) error {
	p, leave, err := o.acting(as, praxec.Query)
	switch {
	case err != nil:
		o.end(act, tools.OutcomeDenied, err.Error())
		return err
	case o.cfg.Runner == nil:
		leave()
		return o.ended(act, errNoRunner)
	}
	defer leave()
	act.Registry = p.Generation
	return o.ended(act, f(runner.Work{Principal: p, RequestID: act.RequestID, Remote: o.name}))
}
