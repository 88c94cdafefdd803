package executor

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/store/digest"
	"prax/tools"
	"prax/tools/workflow"
)

// do calls the tool, if it is still the one that was looked at.
func (k *toolKind) do(ctx context.Context, q Request, t *tools.Tool, raw jsontext.Value) workflow.Result {
	if ctx.Err() != nil {
		return workflow.Result{Failure: neverBegun(workflow.ClassTimeout, "the time was over before the tool was called")}
	}
	if now, ok := k.dispatch.Find(t.Name); !ok || now.Tier != t.Tier || toolDigest(now) != toolDigest(t) {
		return workflow.Result{Failure: unreachable()}
	}
	var admission tools.Admission
	if q.Admit != nil {
		admission = q.Admit(t.Name)
	}
	start := time.Now()
	res, err := k.dispatch.Dispatch(ctx, &tools.Call{
		Principal: q.Principal, Name: t.Name, Arguments: raw, RequestID: q.RequestID, Method: "executor", Progress: func(tools.Progress) {},
	}, admission)
	result := toolResult(t.Name, res, err)
	result.Took = time.Since(start)
	return result
}

func toolResult(name string, res *tools.Result, err error) workflow.Result {
	if failure := toolFailure(res, err); failure != nil {
		return workflow.Result{Failure: failure}
	}
	raw := res.Structured
	if raw == nil {
		raw = contentOf(res.Content)
	}
	output, ok := decoded(raw)
	if !ok { // it did what it did
		output = string(raw)
	}
	return workflow.Result{Output: output, Evidence: []workflow.Evidence{{
		Kind: "tool_result", URI: "tool:" + name, Summary: name, Digest: "sha256:" + digest.Hex(raw),
	}}}
}

// toolFailure is what the answer of the pipeline means for the attempt; nil: it succeeded.
func toolFailure(res *tools.Result, err error) *workflow.Failure {
	var protocol *tools.ProtocolError
	switch {
	case errors.Is(err, tools.ErrUnknownTool):
		return unreachable()
	case errors.Is(err, tools.ErrArguments):
		return unfit("the tool does not take these arguments: %s", shortened(err.Error()))
	case errors.As(err, &protocol):
		return answered("the tool failed: " + shortened(protocol.Message))
	case err != nil || res == nil:
		return doubtful(workflow.ClassPermanent, "it is not known what became of the call")
	case res.IsError:
		return failedTool(res)
	case res.Input != nil:
		return answered("the tool asks its caller something, which an executor cannot answer")
	case res.Pending != nil:
		return doubtful(workflow.ClassPermanent, "the tool goes on by itself, which an executor cannot wait for")
	}
	return nil
}

// failedTool sorts a failed result by what its code says about the effect.
func failedTool(res *tools.Result) *workflow.Failure {
	var text []string
	for _, b := range res.Content {
		if b.Type == "text" {
			text = append(text, b.Text)
		}
	}
	failure := answered(shortened(strings.Join(text, " ")))
	switch codeOf(res) {
	case tools.CodeInvalidArguments:
		failure.Begun = workflow.NotBegun
	case tools.CodeTimeout, tools.CodeCancelled:
		failure.Class, failure.Begun = workflow.ClassTimeout, workflow.Doubtful
	case tools.CodeInternal, tools.CodeTooLarge, // which the pipeline says also of what a tool did well
		tools.Code(workflow.InProgress), tools.Code(workflow.EffectUnknown): // of one that is an executor itself
		failure.Begun = workflow.Doubtful
	case tools.CodeBusy:
		failure.Class = workflow.ClassTransient
	}
	return failure
}

// codeOf is the code of a failed result; "" where a tool gave none.
func codeOf(res *tools.Result) tools.Code {
	var face struct {
		Code tools.Code `json:"code"`
	}
	if err := json.Unmarshal(res.Meta[tools.ErrorMeta], &face); err != nil {
		return ""
	}
	return face.Code
}
