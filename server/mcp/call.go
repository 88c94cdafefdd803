package mcp

import (
	"context"
	"errors"
	"sync"

	"prax/auth"
	"prax/server/edge"
	"prax/server/jsonrpc"
	"prax/tools"
)

// call is tools/call. Whether the caller may is decided by the registry, before anything else about
// the call is looked at.
func (q *request) call(dst []byte) ([]byte, error) {
	name, ok := jsonrpc.String(q.m.Name)
	if !ok || name == "" {
		return dst, badParams("params.name must be the name of a tool")
	}
	q.x.Access.Tool = tools.NoToken(name)
	if err := q.checkParams(name); err != nil {
		return dst, err
	}
	res, err := q.run(name)
	switch {
	case errors.Is(err, tools.ErrUnknownTool):
		return dst, unknownTool(name)
	case err != nil:
		return dst, err
	case res.Input != nil || res.Pending != nil:
		return dst, errors.New("the tool asks for input or goes on, which this server offers nobody")
	}
	q.note(res)
	return q.appendResult(dst, res), nil
}

// run calls the tool. Modern callers cancel by hanging up, older ones do not mean it (MCP 2025-11-25,
// transports: disconnection should not be taken for cancellation); there the call's own time ends it.
func (q *request) run(name string) (*tools.Result, error) {
	ctx := q.r.Context()
	if !q.modern() {
		ctx = context.WithoutCancel(ctx)
	}
	call := &tools.Call{
		Principal:          q.x.Principal,
		Name:               name,
		Arguments:          q.m.Arguments,
		ClientCapabilities: q.meta.capabilities,
		RequestID:          q.id,
		Remote:             q.x.Remote,
		Method:             q.method.name,
	}
	if isGiven(q.meta.progress) && q.accept.stream && !q.batched {
		return q.runOnStream(ctx, call)
	}
	return q.s.config.Registry.Call(ctx, call)
}

// runOnStream calls the tool with a stream for its progress. The stream is judged again for as long
// as it is open; when the caller may not make this call any more, it ends as if there were no such
// tool, whatever the reason.
func (q *request) runOnStream(ctx context.Context, call *tools.Call) (res *tools.Result, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	q.stream = q.newStream(q.hangUp(cancel))
	q.stream.keepAlive()
	progress := &progress{stream: q.stream, token: q.meta.progress}
	call.Progress = func(r tools.Progress) {
		if ctx.Err() == nil { // a tool that goes on for a moment tells nobody any more
			progress.report(r)
		}
	}
	var judging sync.WaitGroup
	judging.Go(func() { cancel(q.judgeAgain(ctx, call.Name)) })
	defer func() {
		cancel(nil)
		judging.Wait()
		if errors.Is(context.Cause(ctx), edge.ErrOut) {
			res, err = nil, tools.ErrUnknownTool
		}
	}()
	return q.s.config.Registry.Call(ctx, call)
}

// judgeAgain returns edge.ErrOut when the caller is out, or the tool is none of its tools any more,
// and the cause when ctx ends first.
func (q *request) judgeAgain(ctx context.Context, name string) error {
	return q.s.follow(ctx, q.x, func(p auth.Principal) error {
		if !q.s.config.Registry.Decide(p, name).OK {
			return edge.ErrOut
		}
		return nil
	})
}

// hangUp is what a broken stream means for its call.
func (q *request) hangUp(cancel context.CancelCauseFunc) func() {
	if q.modern() {
		return func() { cancel(errBroken) }
	}
	return nil
}

// note tells the access record about a tool's own failure.
func (q *request) note(res *tools.Result) {
	if !res.IsError {
		return
	}
	q.x.Access.Outcome = tools.OutcomeError
	for key, v := range jsonrpc.Members(res.Meta[tools.ErrorMeta]) {
		if string(key) == "code" {
			q.x.Access.Code, _ = jsonrpc.String(v)
		}
	}
}
