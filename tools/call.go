package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"time"

	"prax/auth"
	"prax/auth/policy"
)

// Call is the one pipeline: find, decide, arguments, schema, deadline, handler, audit. The error is
// [ErrUnknownTool], [ErrArguments] wrapped with a sentence for the caller, or the [*ProtocolError] of a
// handler that means to give one, and nothing else: what goes wrong within a tool is a Result with IsError,
// whose Meta["prax/error"] has the code. The given Call is not kept and not changed.
func (r *Registry) Call(ctx context.Context, asked *Call) (*Result, error) {
	return r.call(ctx, asked, Admission{})
}

func (r *Registry) call(ctx context.Context, asked *Call, a Admission) (*Result, error) {
	start := r.config.Now()
	call := r.begin(asked, start)
	e, target := r.current.Load().find(call.Name)
	decision := a.decide(policy.Decide(call.Principal, target, start), e)
	call.record.judged(e, call.Name, decision)
	call.record.event.Detail = a.detail()
	// The check of e changes no decision; with it nothing that decides wrongly can reach a nil tool.
	if !decision.OK || e == nil {
		r.denials.add(call.record.ended(OutcomeDenied, ""))
		r.tell(e, OutcomeDenied, start)
		return nil, ErrUnknownTool
	}
	given, err := readArguments(call.Arguments, e.tool.Arguments == BySchema)
	if err == nil {
		given, err = e.present(given)
	}
	if err != nil {
		call.record.keep(OutcomeError, CodeInvalidArguments)
		r.tell(e, OutcomeError, start)
		return nil, err
	}
	call.take(given)
	end := r.use(ctx, e, call)
	result, err := r.settle(call, &end)
	r.tell(e, end.outcome, start)
	return result, err
}

// settle words and records how a call went.
func (r *Registry) settle(c *Call, end *ending) (*Result, error) {
	if end.err == nil {
		return r.settleResult(c, *end), nil
	}
	var protocol *ProtocolError
	if errors.As(end.err, &protocol) {
		end.outcome = OutcomeError
		c.record.keep(end.outcome, Code(strconv.Itoa(protocol.Code)))
		return nil, protocol
	}
	return r.settleFailure(c, end), nil
}

// present is arguments without those that count as absent.
func (e *entry) present(given arguments) (arguments, error) {
	if e.input == nil {
		return given, nil
	}
	text := e.input.WithoutNulls(given.text)
	if bytes.Equal(text, given.text) {
		return given, nil
	}
	return readArguments(text, true)
}

// take makes these the arguments of the call, and of its record.
func (c *Call) take(given arguments) {
	c.Arguments, c.value, c.members, c.record.given = given.text, given.value, given.members, given
}

// ending is how a call went, before it is worded.
type ending struct {
	result  *Result
	err     error
	outcome string
	quiet   bool // a success that need not be recorded
}

func (r *Registry) use(ctx context.Context, e *entry, c *Call) ending {
	if e.input != nil {
		if found := e.input.Check(c.value, len(c.Arguments)); found != nil {
			return ending{err: InvalidArguments(found...), outcome: OutcomeError}
		}
	}
	end := r.run(ctx, e, c)
	if end.err == nil {
		end.err = e.broken(end.result)
	}
	if end.err == nil {
		end.err = tooLarge(end.result)
	}
	if end.outcome == OutcomeOK && (end.err != nil || end.result.IsError) {
		end.outcome = OutcomeError
	}
	end.quiet = !r.config.AuditReads && e.tool.Tier == auth.Low
	return end
}

// broken tells whether a result keeps what its tool promises.
func (e *entry) broken(res *Result) error {
	switch {
	case res == nil:
		return errors.New("the handler returned neither a result nor an error")
	case e.output == nil || res.IsError || res.Input != nil || res.Pending != nil:
		return nil
	case res.Structured == nil:
		return errors.New("the structured output that the tool promises is missing")
	}
	if found := e.output.Validate(res.Structured); found != nil {
		return fmt.Errorf("the structured output does not fit: %q %s", found[0].Path, found[0].Message)
	}
	return nil
}

// run runs the handler until it returns, its time is up, or the caller has gone. A handler that does
// not return is left behind: it is counted, it can change nothing any more, and Close waits for it. One that
// heeds its context needs no goroutine for that, nor a timer if it never asks when its time is up.
func (r *Registry) run(ctx context.Context, e *entry, c *Call) ending {
	if refused := r.running.begin(c.Principal.Client); refused != nil {
		return ending{err: refused, outcome: OutcomeError}
	}
	timeout := e.tool.Timeout
	if timeout <= 0 {
		timeout = r.config.Timeout
	}
	within := newDeadline(ctx, timeout)
	defer within.end()
	over := c.gateProgress()
	defer over()
	if e.tool.Heeds {
		return r.await(within, e.tool.Handler, c, timeout)
	}
	h := &handling{end: make(chan ending, 1)}
	go r.apart(within, e.tool.Handler, c, h)
	select {
	case end := <-h.end:
		return end
	case <-within.Done():
	}
	return r.overdue(within, c, h, timeout)
}

// await runs a handler that heeds its context. What it gives is the ending, unless that is that its time was up.
func (r *Registry) await(ctx context.Context, f Handler, c *Call, timeout time.Duration) ending {
	defer r.running.returned(c.Principal.Client, &handling{})
	end := r.handle(ctx, f, c)
	if end.err != nil && ctx.Err() != nil && errors.Is(end.err, ctx.Err()) {
		return late(ctx, timeout)
	}
	return end
}

// overdue answers for a handler whose time is up. When a change is on its way the handler has a little
// longer, so that what was done is not reported as undone.
func (r *Registry) overdue(ctx context.Context, c *Call, h *handling, timeout time.Duration) ending {
	if c.record.answer() {
		patience := time.NewTimer(settleTime)
		defer patience.Stop()
		select {
		case end := <-h.end:
			return end
		case <-patience.C:
		}
	}
	if r.running.leave(c.Principal.Client, h) {
		return late(ctx, timeout)
	}
	return <-h.end
}

// settleTime is how long a handler with a change on its way is awaited after the deadline.
const settleTime = 5 * time.Second

// apart runs the handler in a goroutine of its own, so that it can be left behind. Running counts it.
func (r *Registry) apart(ctx context.Context, f Handler, c *Call, h *handling) {
	end := ending{outcome: OutcomePanic, err: errors.New("the handler ended its goroutine")}
	defer func() {
		h.end <- end
		r.running.returned(c.Principal.Client, h)
	}()
	stretch(len(c.Name))
	end = r.handle(ctx, f, c)
}

// stretch makes the stack of a new goroutine as large as a handler is going to need it. To have it grow where it runs out,
// deep in the handler, costs what the plan of a move does: every frame up to there is moved.
//
//go:noinline
func stretch(n int) byte {
	var room [12 << 10]byte
	return room[n%len(room)]
}

// handle runs the handler. A panic is its ending, and nothing beyond.
func (r *Registry) handle(ctx context.Context, f Handler, c *Call) (end ending) {
	defer func() {
		if cause := recover(); cause != nil {
			r.config.Log.Error("tool panicked", "tool", c.record.event.Tool, "request", c.RequestID,
				"cause", fmt.Sprint(cause), "stack", string(debug.Stack()))
			end = ending{outcome: OutcomePanic, err: fmt.Errorf("panic: %v", cause)}
		}
	}()
	result, err := f(ctx, c)
	return ending{result: result, err: err, outcome: OutcomeOK}
}
