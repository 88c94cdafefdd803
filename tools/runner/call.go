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

// call begins one. Overseeing takes the role human, whatever else a principal says of itself.
func (r *Runner) call(w Work) *call {
	if w.On == nil {
		w.On = r.config.Store
	}
	if !w.Principal.Roles.Has(auth.Human) {
		w.Principal.Oversees = auth.NameSet{}
	}
	c := r.newCall()
	c.Work, c.scope = w, w.Principal.Scope()
	if w.Principal.Client == "" {
		c.scope = auth.Scope{} // nobody: it must not pass for the server
	}
	return c
}

// timer begins a call of the server itself, for an instance of this user.
func (r *Runner) timer(user string) *call {
	c := r.newCall()
	c.On, c.scope, c.server = r.config.Store, auth.Principal{User: user}.Scope(), true
	return c
}

func (r *Runner) newCall() *call {
	return &call{
		now:         store.Milliseconds(r.config.Now()),
		correlation: r.config.NewID("cor_"),
		approval:    r.config.NewID("ap_"),
	}
}

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
