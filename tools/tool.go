package tools

import (
	"context"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
)

// Handler does what a tool does. It runs once the pipeline has decided that the caller may, with
// arguments that passed the tool's schema (unless the tool decodes for itself). An error that is an
// [*Error] becomes the tool's own failure as the caller sees it; any other becomes an opaque one
// with the request id, and its text goes to the log only. Nobody changes a result that was returned:
// it may answer other calls, too.
type Handler func(ctx context.Context, c *Call) (*Result, error)

// Tool is one callable thing. Build it, add it to a [Registry], and never change it afterwards.
type Tool struct {
	Name        string // canonical, dot spelling: letters, digits, _ - . ; at most 64
	Title       string
	Description string         // for a model
	Tier        auth.Tier      // mandatory: a tool without one does not load
	Input       jsontext.Value // JSON Schema 2020-12, root type object, no root composition, no $ref
	Output      jsontext.Value // its Structured always fits this; nil: none promised
	AnySchema   bool           // the schemas are an operator's own: what only some clients refuse in them is let through
	Arguments   Arguments
	Idempotent  bool // calling it twice with the same arguments does no more than once
	OpenWorld   bool // reaches beyond this installation
	Timeout     time.Duration

	// Heeds: the handler returns soon after its context has ended, whatever it waits for, and does not end its goroutine.
	// It is run on the caller's own goroutine, and never left behind. Others get one of their own, and their callers
	// an answer at the deadline.
	Heeds bool

	Digest  string // of what it is made of, where that can be edited: an approval of a call dies with it; "": it cannot
	Handler Handler

	// Preview tells what a call would do, and does nothing: for a person who approves it before. The arguments have not
	// been judged yet. nil: they say all.
	Preview func(ctx context.Context, c *Call) (map[string]any, error)
}

// Arguments says who judges a call's arguments.
type Arguments uint8

const (
	// BySchema: the pipeline validates against Input, fills in no defaults, and refuses with every
	// violation by path. A null optional argument counts as absent.
	BySchema Arguments = iota
	// ByTool: the tool publishes Input for the caller's benefit and decodes for itself.
	ByTool
)

// Call is one use of a tool.
type Call struct {
	Principal          auth.Principal
	Name               string         // as the caller spelled it
	Arguments          jsontext.Value // raw; `{}` when there were none
	Progress           func(Progress) // never nil in a handler; may be called from any goroutine until it returns
	ClientCapabilities jsontext.Value // what the caller declared, raw; nil: nothing
	RequestID          string
	Remote             string
	Method             string // the protocol's method, for the audit; "": tools/call

	record  *record        // the pipeline's: the audit event in the making, and where it goes
	value   map[string]any // the pipeline's: Arguments, decoded; nil: they are not
	members []Member       // the pipeline's: those of Arguments; nil: nobody has looked for them
}

// Value is the arguments, decoded: map[string]any, []any, string, float64, bool and nil. It is shared, also with the
// pipeline, and must not be changed.
func (c *Call) Value() (map[string]any, error) {
	if c.value != nil {
		return c.value, nil
	}
	var value map[string]any
	if err := json.Unmarshal(c.Arguments, &value); err != nil {
		return nil, fmt.Errorf("arguments: %w", err)
	}
	return value, nil
}

// Members are the members of the arguments in the order of the text, in which they stand: for a tool that decodes for itself
// ([ByTool]).
func (c *Call) Members() ([]Member, error) {
	if c.members != nil {
		return c.members, nil
	}
	given, err := readArguments(c.Arguments, false)
	return given.members, err
}

// Progress is a step of a running call. One whose Done is no number, or not above the last, is dropped.
type Progress struct {
	Done    float64
	Total   float64 // 0: unknown
	Message string
}

// Result is what a call gave.
type Result struct {
	Content    []Block        // never nil on the wire
	Structured jsontext.Value // a JSON object; on failures nil
	IsError    bool
	Input      *InputRequest // set: the caller must answer before the call can finish
	Pending    *Handle       // set: the work goes on; ask for it by this
	Meta       map[string]jsontext.Value
}

// Block is one piece of content. Type decides which members count.
type Block struct {
	Type     string // text, image, audio, resource, resource_link
	Text     string
	Quoted   jsontext.Value // Text as a JSON string, where that is at hand; nil: it has to be made
	Data     []byte         // image, audio
	MIMEType string
	URI      string
	Name     string
	Resource jsontext.Value // resource: the embedded resource, raw
}

// InputRequest asks the caller for more before a call can finish: keys to requests of a protocol.
type InputRequest struct {
	Requests map[string]InputAsk
	State    string // sealed; opaque to the caller
}

// InputAsk is one question.
type InputAsk struct {
	Method string
	Params jsontext.Value
}

// Handle names work that outlives the call.
type Handle struct {
	ID   string
	Poll time.Duration // how long to wait before asking
}

// Text is a result of one text block.
func Text(s string) *Result { return &Result{Content: []Block{{Type: "text", Text: s}}} }
