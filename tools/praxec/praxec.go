package praxec

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"prax/auth"
	"prax/auth/policy"
	"prax/store"
	"prax/tools"
	"prax/tools/definition"
	"prax/tools/lexicon"
	"prax/tools/runner"
)

// The names of the two tools, as they are declared. Callers see them in their own spelling.
const (
	Query   = "praxec.query"
	Command = "praxec.command"
)

// Reload is the permission to have the configuration read again.
const Reload = "praxec.reload"

// Instructions teach a model the loop, in a few lines.
const Instructions = "Where praxec.query is listed (or praxec_query, which is the same) there are workflows: praxec.query reads, praxec.command changes. " +
	"Call praxec.query with {} first; every answer carries links, and each link is a call that is ready to be sent: " +
	"take one, fill in what its inputSchema asks for, and send its args with its method. " +
	"Use the links of the last answer only: they carry the current expectedVersion. " +
	"A link with blocked cannot be followed now, and says why. " +
	"An answer with error changed nothing unless it says otherwise: read its hint and take one of its links. " +
	"A workflow is over when result.status is completed and links is empty; pending_human means that a person has to act, not you. " +
	"in_progress means that something still runs: take the link get after a while. unknown means that a person has to find out what happened."

// Settings are what the operator has switched on.
type Settings struct {
	LexiconWrites bool // callers may change the lexicon
	SkillsSearch  bool // skills can be found and described outside of a workflow
	ScriptsSearch bool // as well
}

// Config is what the tools work with. Runner, Definitions, Lexicon and Store are needed.
type Config struct {
	Runner      *runner.Runner
	Definitions func() *definition.Set // what is in force now
	Lexicon     *lexicon.Lexicon
	Store       store.Store
	Settings    func() Settings          // nil: nothing is switched on
	Reload      func() definition.Status // reads the configuration again; nil: there is none
	Refused     func(code string)        // told of each refusal, for metrics: one of the documented codes; nil: nobody is
	Now         func() time.Time         // nil: time.Now
	Log         *slog.Logger             // nil: none
}

// kernel is the two tools.
type kernel struct {
	Config
	catalogs atomic.Pointer[catalog]
}

// Tools are praxec.query and praxec.command.
func Tools(c Config) []*tools.Tool {
	if c.Refused == nil {
		c.Refused = func(string) {}
	}
	if c.Settings == nil {
		c.Settings = func() Settings { return Settings{} }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	k := &kernel{Config: c}
	return []*tools.Tool{
		{
			Name: Query, Title: "Query workflows", Description: queryDescription, Tier: queryTarget.Tier,
			Input: querySchema, Arguments: tools.ByTool, Idempotent: true, Handler: k.handler((*request).query),
			Heeds: true, // but for what it has begun to note: a timeout that is over, a subject that it showed
		},
		{
			Name: Command, Title: "Run workflows", Description: commandDescription, Tier: commandTarget.Tier,
			Input: commandSchema, Arguments: tools.ByTool, Handler: k.handler((*request).command),
		},
	}
}

// request is one call of one of the tools.
type request struct {
	*kernel
	viewer
	call     *tools.Call
	p        auth.Principal
	now      time.Time
	settings Settings
	catalog  *catalog
}

// operation answers a request with something that has links, or with the result that says it.
type operation func(*request, context.Context) (any, error)

func (k *kernel) handler(do operation) tools.Handler {
	return func(ctx context.Context, c *tools.Call) (*tools.Result, error) {
		q := k.request(c)
		body, err := do(q, ctx)
		if err != nil {
			body, err = q.failed(err)
		}
		if err != nil {
			return nil, err
		}
		if r := refusalOf(body); r != nil {
			k.Refused(r.Code)
		}
		return q.result(body)
	}
}

func (k *kernel) request(c *tools.Call) *request {
	q := &request{kernel: k, call: c, p: c.Principal, now: k.Now(), settings: k.Settings(), catalog: k.current()}
	q.viewer = viewerOf(q.p, q.now)
	return q
}

// The two tools, as a decision sees them.
var (
	queryTarget   = target(Query, auth.Low)
	commandTarget = target(Command, auth.Medium)
)

func target(name string, tier auth.Tier) policy.Target {
	return policy.Target{Name: name, Underscore: tools.Spelling(name, auth.Underscore), Tier: tier, Exists: true}
}

// work is the request as the runner takes it. What is changed carries the audit event of the call.
func (q *request) work() runner.Work {
	return runner.Work{Principal: q.p, On: q.call, RequestID: q.call.RequestID, Remote: q.call.Remote}
}

// granted tells whether the caller may use a definition.
func (q *request) granted(id string) bool { return store.Granted(q.p.Workflows, id) }
