package praxec

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/store"
	"prax/tools/runner"
	"prax/tools/workflow"
)

// pending is a transition that waits for a person.
type pending struct {
	WorkflowID      string         `json:"workflow_id"`
	DefinitionID    string         `json:"definition_id"`
	State           string         `json:"state"`
	ExpectedVersion int64          `json:"expected_version"`
	Transition      string         `json:"transition"`
	Prompt          string         `json:"prompt,omitzero"`
	InputSchema     jsontext.Value `json:"input_schema,omitzero"`
	Presented       jsontext.Value `json:"presented,omitzero"`
	Choices         *choices       `json:"choices,omitzero"`
	Defect          string         `json:"defect,omitzero"`
	Source          string         `json:"source"`
	Since           string         `json:"since"`
	Approval        *approval      `json:"approval,omitzero"` // the open one
	Resolve         resolve        `json:"resolve"`
	Reject          *resolve       `json:"reject,omitzero"`
	Also            []*pending     `json:"also,omitempty"` // the other ones of the state
}

type choices struct {
	Field   string   `json:"field"`
	Options []option `json:"options"`
}

type option struct {
	Value any    `json:"value"`
	Title string `json:"title,omitzero"`
}

// approval is an open question to a person about one move, with exactly the arguments that the call which answers it has.
type approval struct {
	ID      string `json:"id"`
	Digest  string `json:"digest"` // of all that the answer binds
	Queue   string `json:"queue,omitzero"`
	AskedBy string `json:"asked_by"`
	Expires string `json:"expires"`

	// Executor is what would be run, of which risk and as whom: for a person only, who can approve exactly that. Who
	// cannot is told of no executor.
	Executor jsontext.Value `json:"executor,omitzero"`
}

// resolve is the call by which a person answers.
type resolve struct {
	Rel           string   `json:"rel"`
	Method        string   `json:"method"`
	Args          args     `json:"args"`
	RequiresHuman bool     `json:"requiresHuman"`
	Note          string   `json:"note,omitzero"`
	Blocked       *blocked `json:"blocked,omitzero"`
}

// What waits.
const (
	sourceGate     = "human_gate"
	sourceApproval = "approval"
	sourceQuestion = "agent_await" // a question that an agent asked
)

// maxGates bounds what is shown of the gates of one state, in bytes of what is large in them.
const maxGates = 512 << 10

// pending are the gates of a workflow's state: the first, with the others in it; nil when there is none.
func (v viewer) pending(a *runner.Answer) *pending {
	var first *pending
	room := maxGates
	for _, g := range a.Definition.PendingHuman(a.Instance) {
		var open *store.Approval
		if g.Parked != nil {
			open = approvalOf(a, g.Parked.Approval)
		}
		p := v.gate(&runner.Gate{Answer: *a, Gate: g, Approval: open, Since: since(a, open)})
		switch room -= p.size(); {
		case first == nil:
			first = p
		case room < 0:
			return first
		default:
			first.Also = append(first.Also, p)
		}
	}
	return first
}

// size is about how much a gate takes.
func (p *pending) size() int {
	const around = 512
	size := around + len(p.Prompt) + len(p.InputSchema) + len(p.Presented)
	if p.Approval != nil {
		size += len(p.Approval.Executor)
	}
	if p.Choices != nil {
		size += len(encoded(p.Choices))
	}
	return size + len(p.Resolve.Args.Arguments)
}

func approvalOf(a *runner.Answer, id string) *store.Approval {
	for n := range a.Approvals {
		if a.Approvals[n].ID == id {
			return &a.Approvals[n]
		}
	}
	return nil
}

// since is when a gate began to wait.
func since(a *runner.Answer, open *store.Approval) time.Time {
	if open != nil {
		return open.Created
	}
	return a.Stored.Updated
}

func (v viewer) gate(g *runner.Gate) *pending {
	t := g.Gate.Transition
	p := &pending{
		WorkflowID: g.Stored.ID, DefinitionID: g.Stored.DefinitionID, State: g.Stored.State, ExpectedVersion: g.Stored.Version,
		Transition: t.Name, Prompt: g.Gate.Prompt, InputSchema: inputSchema(t.Input), Defect: g.Gate.Defect,
		Source: sourceGate, Since: stamp(g.Since),
	}
	if g.Gate.Presented != nil {
		p.Presented = encoded(g.Gate.Presented)
	}
	if g.Gate.Choices != nil {
		p.Choices = choicesOf(g.Gate.Choices)
	}
	p.Resolve = v.resolve(g, t.Name, v.submission(g.Instance, t.Name, nil), "a person sends this, with arguments by input_schema").
		because(blockedBy(g.Definition.Blocked(g.Instance, g.Caller, t)))
	if g.Gate.Parked != nil {
		v.parked(p, g)
	}
	return p
}

func choicesOf(o *workflow.Options) *choices {
	c := &choices{Field: o.Field, Options: make([]option, len(o.Options))}
	for n, one := range o.Options {
		c.Options[n] = option(one)
	}
	return c
}

// parked adds the open approval: its answer is a yes to exactly these arguments, or a no.
func (v viewer) parked(p *pending, g *runner.Gate) {
	t, open := g.Gate.Transition, g.Gate.Parked
	p.Source = sourceApproval
	if t.Name == workflow.AskHuman {
		p.Source = sourceQuestion
	}
	arguments := open.Arguments
	if arguments == nil {
		arguments = map[string]any{}
	}
	p.Approval = &approval{ID: open.Approval, Digest: open.Digest, AskedBy: open.Client, Expires: stamp(open.Expires)}
	if g.Approval != nil {
		p.Approval.Queue = g.Approval.Queue
		if g.Caller.Human() && p.Resolve.Blocked == nil {
			p.Approval.Executor = executorOf(g.Approval.Material)
		}
	}
	yes, no := v.submission(g.Instance, t.Name, arguments), v.submission(g.Instance, t.Name, nil)
	yes.Digest, no.Digest, no.Intent = open.Digest, open.Digest, intentReject
	p.Resolve = v.resolve(g, t.Name, yes, "a person sends this as it stands to approve exactly what was shown").because(p.Resolve.Blocked)
	reject := v.resolve(g, intentReject, no, "a person sends this to say no; summary says why")
	p.Reject = &reject
}

// executorOf is the part of an approval's material that says what would be run; nil where nothing would.
func executorOf(material jsontext.Value) jsontext.Value {
	var shown struct {
		Executor jsontext.Value `json:"executor"`
	}
	if json.Unmarshal(material, &shown) != nil {
		return nil
	}
	return shown.Executor
}

func (v viewer) resolve(g *runner.Gate, rel string, with args, note string) resolve {
	l := v.toCommand(rel, with).because(person(&g.Answer))
	return resolve{Rel: l.Rel, Method: l.Method, Args: l.Args, RequiresHuman: true, Note: note, Blocked: l.Blocked}
}

// because is the call when it cannot be made for this reason, too.
func (r resolve) because(b *blocked) resolve {
	if r.Blocked == nil {
		r.Blocked = b
	}
	return r
}

// waitingList is the answer to a question for all that waits for a person.
type waitingList struct {
	Resource  resource   `json:"resource"`
	Result    outcome    `json:"result"`
	Count     int        `json:"count"`
	Truncated bool       `json:"truncated"`
	Pending   []*pending `json:"pending"`
	Note      string     `json:"note"`
	Links     []link     `json:"links"`
}

// usualGates is how many gates a list has that says no limit, and roomForGates how much they take.
const (
	usualGates   = 50
	roomForGates = 1 << 20
)

// approvals lists what waits for a person, the oldest first.
func (q *request) approvals(ctx context.Context, a *asked) (any, error) {
	limit := a.page(usualGates, store.MaxPage)
	gates, err := q.Runner.Gates(ctx, q.work(), limit)
	if err != nil {
		return nil, err
	}
	answer := waitingList{
		Resource: resource{Type: "approvals", ID: "pending"}, Result: outcome{Status: "ok"}, Pending: []*pending{},
		Truncated: len(gates) == limit, Links: []link{q.homeLink()},
		Note: "Each entry waits for a person. resolve is the call that answers it; reject, where it is, the one that says no.",
	}
	for n, room := 0, roomForGates; n < len(gates); n++ {
		p := q.gate(&gates[n])
		if room -= p.size(); room < 0 && n > 0 {
			answer.Truncated = true
			break
		}
		answer.Pending = append(answer.Pending, p)
	}
	answer.Count = len(answer.Pending)
	return answer, nil
}

// stamp is a time as callers see it; "" for none.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z07:00")
}
