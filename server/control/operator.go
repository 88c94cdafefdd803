package control

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/auth/clients"
	"prax/auth/jwt"
	"prax/auth/policy"
	"prax/server/edge"
	"prax/store"
	"prax/tools"
	"prax/tools/lexicon"
	"prax/tools/runner"
	"prax/tools/workflow"
)

// EventOperator is an act of an operator. Its Detail has the uid and, where the act was for a client,
// the client's name; a call has an event of its own beside it, with the same request id.
const EventOperator store.EventKind = "operator"

// ErrNoClient says that no client of that name is live: there is none, or it is refused, disabled or
// expired.
var ErrNoClient = errors.New("no live client of that name")

// ErrTooMany says that the client has as much in hand as it may, or sends more than it may: to an operator who acts as that client
// too.
var ErrTooMany = errors.New("beyond the limits of this client")

// Clients is the registry of clients, as it is in force now.
type Clients interface {
	ByName(name string) (auth.Principal, bool)
	Reload(reason string) clients.Report
}

// Tools is the registry of tools.
type Tools interface {
	Call(ctx context.Context, c *tools.Call) (*tools.Result, error)
	Decide(p auth.Principal, name string) policy.Decision
	Find(name string) (*tools.Tool, bool)
	List(p auth.Principal) []*tools.Tool
}

// Audit is what the operator reads and changes, and where the acts go.
type Audit interface {
	runner.Changer
	Verify(ctx context.Context) (store.Report, error)
	Record(e store.Event)
}

// Status is a running server as its operator sees it. It holds no secret.
type Status struct {
	Version  string         `json:"version"`
	PID      int            `json:"pid"`
	Addr     string         `json:"addr"` // where it listens
	Started  time.Time      `json:"started"`
	Enabled  bool           `json:"enabled"`  // /mcp exists
	Draining bool           `json:"draining"` // it is about to stop
	Registry clients.Status `json:"registry"`
}

// Config is what an operator's acts reach.
type Config struct {
	Clients Clients
	Tools   Tools
	Limits  *edge.Edge // of the clients that are acted as; nil: the usual ones, for this operator alone
	Audit   Audit
	Lexicon *lexicon.Lexicon // nil: an empty one
	Runner  *runner.Runner   // of workflows; nil: none run here
	Archive Archiver         // nil: nothing can be archived
	Tokens  *jwt.Authority   // of signed tokens; nil: none are made here
	Status  func() Status    // nil: there is nothing running to tell of
	Now     func() time.Time // nil: time.Now
	Log     *slog.Logger     // nil: none
	Poll    time.Duration    // how often a followed audit is looked at; 0: DefaultPoll

	// Definitions is the definition in force with this id; nil when there is none.
	Definitions func(id string) *workflow.Definition

	// NoteUses writes the uses of tokens that the store does not have yet; nil: there are none.
	NoteUses func(ctx context.Context) error
}

// DefaultPoll is how soon an event is seen by an operator who follows the audit.
const DefaultPoll = 250 * time.Millisecond

func (c Config) withDefaults() Config {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Lexicon == nil {
		c.Lexicon = lexicon.New(nil, nil)
	}
	if c.Limits == nil {
		c.Limits = edge.New(edge.Config{Now: c.Now})
	}
	if c.Poll <= 0 {
		c.Poll = DefaultPoll
	}
	return c
}

// Operator acts for one user of this machine.
type Operator struct {
	cfg  Config
	uid  int
	name string
}

// NewOperator is the operator with this uid, proven by whoever calls.
func NewOperator(c Config, uid int) *Operator {
	return &Operator{cfg: c.withDefaults(), uid: uid, name: operatorName(uid)}
}

// Principal is the operator as a caller of its own: a person who oversees everybody and was granted
// every name. What is HIGH stays out of reach all the same.
func Principal(uid int) auth.Principal {
	name := operatorName(uid)
	return auth.Principal{
		Client: name, User: name, Allow: auth.Everything(), Workflows: auth.Everything(),
		Roles: auth.Names(auth.Human), Oversees: auth.Everything(),
	}
}

func operatorName(uid int) string { return operatorPrefix + strconv.Itoa(uid) }

// operatorPrefix begins the name of an operator. No client of clients.json has such a name.
const operatorPrefix = "operator:"

// Named is the operator of this name, whatever it may do: the server's own user, and root. It is false for any
// other name.
func Named(name string) (auth.Principal, bool) {
	text, is := strings.CutPrefix(name, operatorPrefix)
	uid, err := strconv.Atoi(text)
	if !is || err != nil || operatorName(uid) != name || !mayOperate(uidOf{uid, true}, os.Geteuid()) {
		return auth.Principal{}, false
	}
	return Principal(uid), true
}

// Call calls a tool with exactly the rights of the client called as, and within its limits. The error is [ErrNoClient],
// [ErrTooMany] with a sentence, tools.ErrUnknownTool, or tools.ErrArguments with a sentence.
func (o *Operator) Call(ctx context.Context, as, tool string, arguments jsontext.Value) (*tools.Result, error) {
	act := o.begin("call", as, tool)
	p, ok := o.cfg.Clients.ByName(as)
	if !ok {
		o.end(act, tools.OutcomeDenied, ErrNoClient.Error())
		return nil, ErrNoClient
	}
	act.Registry = p.Generation
	leave, err := o.enter(p)
	if err != nil {
		o.end(act, tools.OutcomeDenied, err.Error())
		return nil, err
	}
	defer leave()
	res, err := o.cfg.Tools.Call(ctx, &tools.Call{
		Principal: p, Method: "operator/call", Name: tool, Arguments: arguments, Progress: func(tools.Progress) {},
		RequestID: act.RequestID, Remote: act.Client,
	})
	switch {
	case errors.Is(err, tools.ErrUnknownTool):
		o.end(act, tools.OutcomeDenied, err.Error())
	case err != nil || res.IsError:
		o.end(act, tools.OutcomeError, "")
	default:
		o.end(act, tools.OutcomeOK, "")
	}
	return res, err
}

// enter counts an act as a client against its limits, until leave is called.
func (o *Operator) enter(p auth.Principal) (leave func(), err error) {
	leave, refused := o.cfg.Limits.Enter(p)
	if refused != nil {
		return nil, fmt.Errorf("%w: %s", ErrTooMany, refused.Sentence)
	}
	return leave, nil
}

// Access tells whether the client called as may use a tool now, and what decides. Without a tool it
// lists what the client may use.
func (o *Operator) Access(_ context.Context, as, tool string) (Access, error) {
	act := o.begin("access", as, tool)
	a := Explain(o.cfg.Clients, o.cfg.Tools, as, tool, o.cfg.Now())
	o.end(act, tools.OutcomeOK, a.Reason)
	return a, nil
}

// Verify walks the audit chain.
func (o *Operator) Verify(ctx context.Context) (store.Report, error) {
	act := o.begin("verify", "", "")
	report, err := o.cfg.Audit.Verify(ctx)
	outcome := tools.OutcomeOK
	if err != nil || !report.OK() {
		outcome = tools.OutcomeError
	}
	o.end(act, outcome, "")
	return report, err
}

// Reload has clients.json read again now, whatever the watcher saw.
func (o *Operator) Reload(context.Context) (clients.Report, error) {
	act := o.begin("reload", "", "")
	report := o.cfg.Clients.Reload("operator")
	outcome := tools.OutcomeOK
	if !report.OK {
		outcome = tools.OutcomeError
	}
	o.end(act, outcome, "")
	return report, nil
}

// Status tells how the server is. It changes nothing, is asked often, and is not audited.
func (o *Operator) Status(context.Context) (Status, error) {
	if o.cfg.Status == nil {
		return Status{}, errors.New("no server to tell of")
	}
	return o.cfg.Status(), nil
}

type detail struct {
	As  string `json:"as,omitzero"`
	UID int    `json:"uid"`

	// Of an act on the lexicon.
	Term    string `json:"term,omitzero"`
	User    string `json:"user,omitzero"`
	Version int64  `json:"version,omitzero"`

	// Of an act on workflows.
	Workflow string `json:"workflow,omitzero"`
	Approval string `json:"approval,omitzero"`

	// Of an act on operations.
	Attempt string `json:"attempt,omitzero"`

	// Of an act on signed tokens: the id of one, which opens nothing.
	Token string `json:"jti,omitzero"`
}

func (d detail) text() string {
	d.As, d.Term, d.User = shown(d.As), shown(d.Term), shown(d.User)
	d.Workflow, d.Approval, d.Attempt = shown(d.Workflow), shown(d.Approval), shown(d.Attempt)
	text, _ := json.Marshal(d, json.Deterministic(true)) // short valid strings and numbers: this always marshals
	return string(text)
}

// shown is what the audit has of a text that was given where no token belongs.
func shown(text string) string { return store.SafeString(tools.NoToken(text)) }

func (o *Operator) begin(act, as, tool string) store.Event {
	return store.Event{
		At: o.cfg.Now(), Kind: EventOperator, RequestID: rand.Text(), Client: o.name,
		Method: act, Tool: shown(tool), Detail: detail{As: as, UID: o.uid}.text(),
	}
}

// about is the event of an act on this word.
func (o *Operator) about(act store.Event, w Word) store.Event {
	return o.on(act, detail{Term: w.Term, User: w.User, Version: w.Version})
}

// on is the event of an act on what the detail says.
func (o *Operator) on(act store.Event, d detail) store.Event {
	d.UID = o.uid
	act.Detail = d.text()
	return act
}

func (o *Operator) end(act store.Event, outcome, decision string) {
	act.Outcome, act.Decision = outcome, decision
	act.Duration = o.cfg.Now().Sub(act.At)
	o.cfg.Audit.Record(act)
}
