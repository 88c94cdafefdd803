package tools

import (
	"cmp"
	"context"
	"sync"
	"time"

	"prax/auth"
	"prax/auth/policy"
	"prax/store"
	"prax/store/digest"
)

// Outcomes of a call in its audit event, and in what others record beside it.
const (
	OutcomeOK        = "ok"
	OutcomeError     = "error"
	OutcomeDenied    = "denied"
	OutcomePanic     = "panic"
	OutcomeTimeout   = "timeout"
	OutcomeCancelled = "cancelled"
)

// record is the audit event of a call in the making, and the store it goes to.
type record struct {
	config *Config
	start  time.Time
	event  store.Event
	given  arguments // none when the call was refused before they were read
	signed sync.Once // given is in the event

	mu       sync.Mutex
	answered bool // the caller has its answer: no change may begin any more
	writing  int  // changes on their way
	written  bool // the event is in the chain, with a change
}

// underWay is a call that is being made, and its record: one piece of memory.
type underWay struct {
	call   Call
	record record
}

// begin begins a call as it was asked for, with its record.
func (r *Registry) begin(asked *Call, start time.Time) *Call {
	w := &underWay{call: *asked}
	c, rec := &w.call, &w.record
	c.record, rec.config, rec.start = rec, &r.config, start
	rec.event = store.Event{
		At: start.Truncate(time.Millisecond), Kind: store.EventCall, RequestID: c.RequestID,
		Client: c.Principal.Client, User: c.Principal.User, Remote: c.Remote, Method: cmp.Or(c.Method, "tools/call"),
		Registry: c.Principal.Generation,
	}
	return c
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

// keep records the call as ended so.
func (rec *record) keep(outcome string, code Code) {
	rec.sign()
	rec.config.Store.Record(rec.ended(outcome, code))
}

// sign notes the HMAC of the canonical arguments, which is all that the audit keeps of them. It comes before every
// ended, and not within a transaction: the one writer of the store has no time for it.
func (rec *record) sign() { rec.signed.Do(rec.addMAC) }

func (rec *record) addMAC() {
	if rec.config.HMAC == nil || rec.given.text == nil {
		return
	}
	canonical := []byte(rec.given.text)
	if !rec.given.canonical {
		var err error
		if canonical, err = digest.Canonical(canonical); err != nil {
			return
		}
	}
	rec.event.Args = rec.config.HMAC(canonical)
}

// ended is the event with its end.
func (rec *record) ended(outcome string, code Code) store.Event {
	event := rec.event
	event.Outcome, event.Code = outcome, string(code)
	event.Duration = rec.config.Now().Sub(rec.start)
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
	rec.sign()
	written := false
	defer func() { rec.end(written) }() // also when f panics
	err := rec.config.Store.Update(store.ForClient(ctx, c.Principal.Client), func(tx store.Tx) error {
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
	return c.record.config.Store.Instance(ctx, s, id)
}

// View runs f on a consistent snapshot of the store.
func (c *Call) View(ctx context.Context, f func(store.Tx) error) error {
	return c.record.config.Store.View(ctx, f)
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
