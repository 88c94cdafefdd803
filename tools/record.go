package tools

import (
	"context"
	"sync"
	"time"

	"prax/auth"
	"prax/auth/policy"
	"prax/store"
)

// Outcomes of a call in its audit event, and in what others record beside it.
const (
	OutcomeOK        = "ok"
	OutcomeError     = "error"
	OutcomeDenied    = "denied"
	outcomePanic     = "panic"
	outcomeTimeout   = "timeout"
	outcomeCancelled = "cancelled"
)

// record is the audit event of a call in the making, and the store it goes to.
type record struct {
	store store.Store
	now   func() time.Time
	start time.Time
	event store.Event

	mu       sync.Mutex
	answered bool // the caller has its answer: no change may begin any more
	writing  int  // changes on their way
	written  bool // the event is in the chain, with a change
}

func (r *Registry) newRecord(c *Call, start time.Time) *record {
	method := c.Method
	if method == "" {
		method = "tools/call"
	}
	return &record{store: r.config.Store, now: r.config.Now, start: start, event: store.Event{
		At: start.Truncate(time.Millisecond), Kind: store.EventCall, RequestID: c.RequestID,
		Client: c.Principal.Client, User: c.Principal.User, Remote: c.Remote, Method: method,
		Registry: c.Principal.Generation,
	}}
}

// judged adds the tool and what was decided about it.
func (rec *record) judged(e *entry, asked string, d policy.Decision) {
	rec.event.Decision = string(d.Reason)
	if e == nil {
		rec.event.Tool = store.SafeString(NoToken(asked))
		return
	}
	rec.event.Tool = e.tool.Name
	rec.event.Tier = e.tool.Tier.String()
}

// ended is the event with its end.
func (rec *record) ended(outcome string, code Code) store.Event {
	event := rec.event
	event.Outcome, event.Code = outcome, string(code)
	event.Duration = rec.now().Sub(rec.start)
	return event
}

// Update runs f in a transaction of the store, together with the audit event that this call went
// well: both are durable when it returns nil, or neither. f keeps the rules of store.Store.Update.
// Once the caller was answered at the deadline no further change begins.
func (c *Call) Update(ctx context.Context, f func(store.Tx) error) error {
	rec := c.record
	if err := rec.begin(ctx); err != nil {
		return err
	}
	written := false
	defer func() { rec.end(written) }() // also when f panics
	err := rec.store.Update(store.ForClient(ctx, c.Principal.Client), func(tx store.Tx) error {
		if err := f(tx); err != nil {
			return err
		}
		tx.AddEvent(rec.ended(OutcomeOK, ""))
		return nil
	})
	written = err == nil
	return err
}

// Instance is the instance with this id, as far as the scope covers it: the store's point read, which needs no snapshot.
func (c *Call) Instance(ctx context.Context, s auth.Scope, id string) (store.Instance, error) {
	return c.record.store.Instance(ctx, s, id)
}

// View runs f on a consistent snapshot of the store.
func (c *Call) View(ctx context.Context, f func(store.Tx) error) error {
	return c.record.store.View(ctx, f)
}

func (rec *record) begin(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if rec.answered {
		return context.DeadlineExceeded
	}
	rec.writing++
	return nil
}

func (rec *record) end(written bool) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.written = rec.written || written
	rec.writing--
}

// answer notes that the caller gets its answer: no change begins any more. It tells whether one is
// on its way.
func (rec *record) answer() (writing bool) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.answered = true
	return rec.writing > 0
}

func (rec *record) inChain() bool {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	return rec.written
}
