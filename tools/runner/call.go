package runner

import (
	"context"
	"time"

	"prax/auth"
	"prax/store"
	"prax/tools/workflow"
)

// Work is who asks, and where the change goes.
type Work struct {
	Principal auth.Principal
	On        Changer // nil: the runner's store
	RequestID string
	Remote    string
}

// call is one request under way. Trying again is the same call.
type call struct {
	Work
	scope       auth.Scope
	looks       bool           // it only reads, and lends what happens meanwhile nothing
	server      bool           // a timer, or what goes on after an attempt: nobody asks now
	acting      auth.Principal // as whom what goes on after an attempt acts; who makes its steps is the Principal
	out         bool           // the client that it is for is out: what it began is finished, and nothing new begins
	now         time.Time
	correlation string
	approval    string // the id of an approval, should one be opened
}

// call begins one that may change something.
func (r *Runner) call(w Work) *call {
	c := r.reading(w)
	r.name(c)
	return c
}

// name gives a call the ids that what it changes has. Random bits cost what a reader need not pay.
func (r *Runner) name(c *call) {
	c.correlation, c.approval = r.config.NewID("cor_"), r.config.NewID("ap_")
}

// reading begins a call that changes nothing, or what has no ids.
func (r *Runner) reading(w Work) *call {
	c := r.asking(w)
	return &c
}

// asking is a call that only reads. Overseeing takes the role human, whatever else a principal says of itself.
func (r *Runner) asking(w Work) call {
	if w.On == nil {
		w.On = forClient{r.config.Store, w.Principal.Client}
	}
	if !w.Principal.Roles.Has(auth.Human) {
		w.Principal.Oversees = auth.NameSet{}
	}
	c := call{Work: w, scope: w.Principal.Scope(), now: r.now()}
	if w.Principal.Client == "" {
		c.scope = auth.Scope{} // nobody: it must not pass for the server
	}
	return c
}

// forClient changes the store for a client, which takes its turn with others.
type forClient struct {
	Changer
	client string
}

func (f forClient) Update(ctx context.Context, do func(store.Tx) error) error {
	return f.Changer.Update(store.ForClient(ctx, f.client), do)
}

// timer begins a call of the server itself, for an instance of this user.
func (r *Runner) timer(user string) *call {
	c := &call{Work: Work{On: r.config.Store}, scope: auth.Principal{User: user}.Scope(), server: true, now: r.now()}
	r.name(c)
	return c
}

// now is the time as stores keep it.
func (r *Runner) now() time.Time { return store.Milliseconds(r.config.Now()) }

// granted tells whether the caller may use a definition.
func (c *call) granted(definition string) bool {
	return c.server || c.scope.User() != "" && store.Granted(c.scope.Definitions(), definition)
}

// caller is what the engine is told about who asks for an instance.
func (c *call) caller(i store.Instance) workflow.Caller {
	if c.Principal.Client == "" {
		return workflow.Caller{}
	}
	caller := callerAs(c.Principal)
	caller.Overseer, caller.Out = !store.Owns(c.scope, i), c.out
	return caller
}

func callerAs(p auth.Principal) workflow.Caller {
	return workflow.Caller{Client: p.Client, User: p.User, Roles: p.Roles, Permissions: p.Permissions}
}

// view reads the store for the call.
func (c *call) view(ctx context.Context, f func(store.Tx) error) error { return c.On.View(ctx, f) }
