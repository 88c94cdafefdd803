package executor

import (
	"context"
	"encoding/base64"
	"errors"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"prax/tools"
	"prax/tools/schema"
	"prax/tools/workflow/expr"
)

// Static is the configuration of the kind static: what a tool answers, round by round.
type Static struct {
	Rounds []Round `json:"rounds"`
}

// Round is one answer.
type Round struct {
	Content       []Block        `json:"content"`
	Structured    jsontext.Value `json:"structured"` // an object whose strings are templates
	IsError       bool           `json:"isError"`
	Progress      [][]float64    `json:"progress"` // [done, total] each, spread over DelayMs
	DelayMs       jsontext.Value `json:"delayMs"`  // a number, or {path, factor}
	ProtocolError *ProtocolError `json:"protocolError"`
	Ask           jsontext.Value `json:"ask"`
	Task          jsontext.Value `json:"task"`
}

// ProtocolError answers with an error of the protocol in place of a result.
type ProtocolError struct {
	Code    int    `json:"code"`
	Message string `json:"message"` // a template
}

// round is a round ready to be played.
type round struct {
	content  []block
	answer   *structure // nil: none
	isError  bool
	steps    []step
	delay    delay
	protocol *ProtocolError
	message  expr.Template
}

// The bounds of one round.
const (
	maxBlocks  = 100
	maxReports = 1000 // of progress
)

// Compile makes the handler. A static tool does nothing, so it may be called again, and stops waiting when it is told to.
func (s *Static) Compile(t *tools.Tool) (tools.Handler, []tools.Violation) {
	c := &compiling{}
	if len(s.Rounds) != 1 {
		c.refuse("/rounds", "must be one round: a second would only follow an answer of the caller's, which this version does not ask for")
	}
	var first *round
	for i, one := range s.Rounds {
		made := c.round(one, "/rounds/"+strconv.Itoa(i), t)
		if i == 0 {
			first = made
		}
	}
	if len(c.found) == 0 {
		c.least(first, "/rounds/0")
	}
	if len(c.found) > 0 {
		return nil, c.found
	}
	t.Idempotent, t.Heeds = true, true
	return first.play, nil
}

func (c *compiling) round(r Round, at string, t *tools.Tool) *round {
	if r.Ask != nil {
		c.refuse(at+"/ask", "is not served by this version: a round cannot ask the caller yet")
	}
	if r.Task != nil {
		c.refuse(at+"/task", "is not served by this version: a round cannot become a task yet")
	}
	made := &round{
		isError: r.IsError,
		steps:   c.progress(r.Progress, at+"/progress"),
		delay:   c.delay(r.DelayMs, at+"/delayMs"),
	}
	if len(r.Content) > maxBlocks || len(r.Progress) > maxReports {
		c.refuse(at, "is more than a round holds: "+strconv.Itoa(maxBlocks)+" blocks, "+strconv.Itoa(maxReports)+" reports of progress")
	}
	for i, b := range r.Content {
		made.content = append(made.content, c.block(b, at+"/content/"+strconv.Itoa(i)))
	}
	made.answer = c.structured(r, at, t)
	if r.ProtocolError != nil {
		made.protocol = r.ProtocolError
		made.message = c.protocol(r, at)
	} else if r.Ask == nil && r.Task == nil && len(r.Content) == 0 && r.Structured == nil {
		c.refuse(at, "answers nothing: give it content, structured or protocolError")
	}
	return made
}

// least refuses a round whose answer is too large for every caller, whatever the arguments.
func (c *compiling) least(r *round, at string) {
	res, err := r.fill(newFilling(nil))
	size := 0
	if res != nil {
		size = len(res.Structured)
		for _, b := range res.Content {
			size += len(b.Text) + base64.StdEncoding.EncodedLen(len(b.Data)) + len(b.Resource) + len(b.URI) + len(b.Name)
		}
	}
	if tooMuch := (*tools.Error)(nil); errors.As(err, &tooMuch) || size > tools.MaxResult {
		c.refuse(at, "answers more than "+strconv.Itoa(tools.MaxResult>>20)+" MiB, which no caller gets")
	}
}

// protocol reads the message of an error of the protocol, which comes alone.
func (c *compiling) protocol(r Round, at string) expr.Template {
	if r.Content != nil || r.Structured != nil || r.IsError {
		c.refuse(at+"/protocolError", "comes in place of content, structured and isError: leave those out")
	}
	at += "/protocolError"
	if r.ProtocolError.Code == 0 {
		c.refuse(at, "needs a code other than 0")
	}
	if r.ProtocolError.Message == "" {
		c.refuse(at, "needs a message")
	}
	return c.template(&r.ProtocolError.Message, at+"/message")
}

// structured reads the structured part, and holds it against the schema that the tool promises wherever the
// caller has no say in it.
func (c *compiling) structured(r Round, at string, t *tools.Tool) *structure {
	if r.Structured == nil {
		if t.Output != nil && !r.IsError && r.ProtocolError == nil {
			c.refuse(at, "has nothing structured, which outputSchema promises")
		}
		return nil
	}
	at += "/structured"
	if r.Structured.Kind() != '{' {
		c.refuse(at, "must be an object")
		return nil
	}
	if r.IsError {
		c.refuse(at, "does not go with isError: a failure has text only")
	}
	s, found := parseStructure(r.Structured, at)
	c.found = append(c.found, found...)
	if s != nil && s.fixed && t.Output != nil {
		c.promised(s, at, t.Output)
	}
	return s
}

func (c *compiling) promised(s *structure, at string, output jsontext.Value) {
	promise, err := schema.Compile(output)
	if err != nil {
		return // told where the schema stands
	}
	raw, err := (&filling{left: maxFilled}).structure(s)
	if err != nil {
		c.refuse(at, err.Error())
		return
	}
	for _, v := range promise.Validate(raw) {
		c.refuse(at+v.Path, v.Message+", which outputSchema promises")
	}
}

// play answers one call.
func (r *round) play(ctx context.Context, call *tools.Call) (*tools.Result, error) {
	arguments, err := call.Value()
	if err != nil {
		return nil, err
	}
	f := newFilling(arguments)
	over, err := f.delay(r.delay)
	if err != nil {
		return nil, err
	}
	// Filled before the wait, which then holds on to the answer alone.
	res, answer := r.fill(f)
	if err := pace(ctx, r.steps, over, call.Progress); err != nil {
		return nil, err
	}
	return res, answer
}

// fill is the answer, filled.
func (r *round) fill(f *filling) (*tools.Result, error) {
	if r.protocol != nil {
		message, err := f.text(r.message)
		if err != nil {
			return nil, err
		}
		return nil, &tools.ProtocolError{Code: r.protocol.Code, Message: message}
	}
	res := &tools.Result{Content: make([]tools.Block, 0, len(r.content)), IsError: r.isError}
	for _, b := range r.content {
		made, err := f.block(b)
		if err != nil {
			return nil, err
		}
		res.Content = append(res.Content, made)
	}
	if r.answer == nil {
		return res, nil
	}
	var err error
	res.Structured, err = f.structure(r.answer)
	return res, err
}
