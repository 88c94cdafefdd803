package runner

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"prax/store"
	"prax/tools/workflow"
)

// form is what the JSON of an instance says, decoded. Those that were looked at last are kept, and shared by all who look:
// the engine changes nothing that it is given.
type form struct {
	from    source
	input   map[string]any
	context map[string]any
	memo    workflow.Memo
}

// source is the JSON of an instance. A form is of exactly this one: whatever else an instance becomes, its form is made
// anew.
type source struct{ input, context, memo jsontext.Value }

func (s source) is(t source) bool {
	return bytes.Equal(s.context, t.context) && bytes.Equal(s.memo, t.memo) && bytes.Equal(s.input, t.input)
}

// formBytes is how much of forms is kept.
const formBytes = 4 << 20

// bytes is about what the form of this JSON takes: decoded, it is a good deal larger.
func (s source) bytes() int {
	const around, larger = 1024, 8
	return around + larger*(len(s.input)+len(s.context)+len(s.memo))
}

// decode is an instance as the engine sees it, without what is kept beside the row.
func (r *Runner) decode(s store.Instance) (*workflow.Instance, error) {
	from := source{s.Input, s.Context, s.Memo}
	f, known := r.forms.get(s.ID)
	if !known || !f.from.is(from) {
		var err error
		if f, err = from.decode(); err != nil {
			return nil, err
		}
		r.forms.put(s.ID, f, from.bytes())
	}
	return &workflow.Instance{
		ID: s.ID, User: s.User, Client: s.Client, State: s.State, Version: s.Version, Open: s.Status == store.Open,
		Reason: s.Reason, Summary: s.Summary, Created: s.Created, Due: s.Due,
		Input: f.input, Context: f.context, Memo: f.memo,
	}, nil
}

func (s source) decode() (*form, error) {
	f := &form{from: s}
	var err error
	if f.input, err = object(s.input); err != nil {
		return nil, fmt.Errorf("input: %w", err)
	}
	if f.context, err = object(s.context); err != nil {
		return nil, fmt.Errorf("context: %w", err)
	}
	if f.memo, err = decodeMemo(s.memo); err != nil {
		return nil, fmt.Errorf("memo: %w", err)
	}
	return f, nil
}
