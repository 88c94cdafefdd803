package praxec

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/store"
	"prax/tools"
)

// The bounds of what a request may say, in bytes.
const (
	maxQuery = 1024
	maxName  = store.MaxIDBytes // of a run id and of a trace id
	maxTerm  = 1024             // of a subject: beyond what any id or term can have
)

// reader reads members of a request: null is as absent, and a value of another type is a violation.
type reader struct {
	members    map[string]jsontext.Value
	violations []tools.Violation
}

// newReader takes arguments that the pipeline has found to be one object, whose names are unique.
func newReader(raw jsontext.Value) (*reader, error) {
	r := &reader{}
	if err := json.Unmarshal(raw, &r.members); err != nil {
		return nil, fmt.Errorf("decode arguments: %w", err)
	}
	for name, value := range r.members {
		if value.Kind() == 'n' {
			delete(r.members, name)
		}
	}
	return r, nil
}

func (r *reader) wrong(name, message string) {
	r.violations = append(r.violations, tools.Violation{Path: "/" + name, Message: message})
}

// text is a member that is a string of at most this many bytes; nil when it is absent.
func (r *reader) text(name string, most int) *string {
	value, given := r.members[name]
	if !given {
		return nil
	}
	var text string
	if value.Kind() != '"' || json.Unmarshal(value, &text) != nil {
		r.wrong(name, "must be a string")
		return nil
	}
	if len(text) > most {
		r.wrong(name, "must have at most "+strconv.Itoa(most)+" bytes")
		return nil
	}
	return &text
}

// name is a text that is stored as a name.
func (r *reader) name(name string) string {
	text := r.text(name, maxName)
	if text == nil {
		return ""
	}
	if store.SafeString(*text) != *text || !utf8.ValidString(*text) {
		r.wrong(name, "must be printable")
	}
	return *text
}

// truth is a member that is a boolean.
func (r *reader) truth(name string) bool {
	value, given := r.members[name]
	if given && value.Kind() != 't' && value.Kind() != 'f' {
		r.wrong(name, "must be true or false")
	}
	return value.Kind() == 't'
}

// whole is a member that is an integer from 0, and written as one; nil when it is absent.
func (r *reader) whole(name string) *int64 {
	value, given := r.members[name]
	if !given {
		return nil
	}
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil || n < 0 || value.Kind() != '0' || value[0] == '-' {
		r.wrong(name, "must be a whole number from 0, written without quotes, point or exponent")
		return nil
	}
	return &n
}

// object is a member that is an object, raw; nil when it is absent.
func (r *reader) object(name string) jsontext.Value {
	value, given := r.members[name]
	if given && value.Kind() != '{' {
		r.wrong(name, "must be an object")
		return nil
	}
	return value
}

// invalid is why a request cannot be read; nil: it can.
func (r *reader) invalid() *refusal {
	if len(r.violations) == 0 {
		return nil
	}
	failure := tools.InvalidArguments(r.violations...)
	return &refusal{
		Code: string(tools.CodeInvalidArguments), Message: failure.Message, Violations: failure.Violations,
		Hint: "correct the arguments, or copy those of one of the links",
	}
}

// asked is the arguments of praxec.query.
type asked struct {
	query, kind, subject, workflowID, transition, definitionID, since, context *string

	limit, before      *int64
	observe, approvals bool
}

func readQuery(raw jsontext.Value) (*asked, *refusal, error) {
	r, err := newReader(raw)
	if err != nil {
		return nil, nil, err
	}
	a := &asked{
		query: r.text("query", maxQuery), kind: r.text("kind", maxName), subject: r.text("subject", maxTerm),
		workflowID: r.text("workflowId", maxTerm), transition: r.text("transition", maxTerm), definitionID: r.text("definitionId", maxTerm),
		since: r.text("since", maxName), context: r.text("bounded_context", maxName),
		limit: r.whole("limit"), before: r.whole("before"), observe: r.truth("observe"), approvals: r.truth("approvals"),
	}
	return a, r.invalid(), nil
}

// ordered is the arguments of praxec.command.
type ordered struct {
	definitionID, workflowID, transition, subject, intent, unknown, summary, digest *string

	runID, traceID               string
	expectedVersion              *int64
	input, arguments, definition jsontext.Value
	reload                       bool
}

func readCommand(raw jsontext.Value) (*ordered, *refusal, error) {
	r, err := newReader(raw)
	if err != nil {
		return nil, nil, err
	}
	o := &ordered{
		definitionID: r.text("definitionId", maxTerm), workflowID: r.text("workflowId", maxTerm), transition: r.text("transition", maxTerm),
		subject: r.text("subject", maxTerm), intent: r.text("intent", maxName), unknown: r.text("unknown_subject", maxTerm),
		summary: r.text("summary", store.MaxTextBytes), digest: r.text("digest", maxTerm), runID: r.name("runId"), traceID: r.name("traceId"),
		expectedVersion: r.whole("expectedVersion"), input: r.object("input"), arguments: r.object("arguments"),
		definition: r.object("definition"), reload: r.truth("reload"),
	}
	return o, r.invalid(), nil
}

// or is a text, or what stands for it where it is absent.
func or(text *string, instead string) string {
	if text == nil {
		return instead
	}
	return *text
}
