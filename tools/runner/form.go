package runner

import (
	"bytes"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"prax/store"
	"prax/tools/workflow"
)

// form is an instance as the engine sees it, made of its row alone. Those that were looked at last are kept, and shared by
// all who look: the engine changes nothing that it is given, and who adds what is kept beside the row adds it to a copy.
type form struct {
	row      store.Instance
	instance *workflow.Instance
	kept     kept
}

// kept is what somebody else made of a form and of its definition.
type kept struct {
	value any       // nil: nothing
	until time.Time // zero: as long as the row stays as it is
}

func (k kept) over(now time.Time) bool { return !k.until.IsZero() && !now.Before(k.until) }

// formBytes is how much of forms is kept.
const formBytes = 4 << 20

// formSize is about what the form of this row takes: decoded, its JSON is a good deal larger.
func formSize(s *store.Instance) int {
	const around, larger = 2048, 8
	return around + larger*(len(s.Input)+len(s.Context)+len(s.Memo))
}

// form is the one of a row: that which is kept, if the row has not changed in anything.
func (r *Runner) form(s *store.Instance) (*form, error) {
	last, known := r.forms.get(s.ID)
	if known && same(&last.row, s) {
		return last, nil
	}
	f, err := decode(s, last)
	if err != nil {
		return nil, err
	}
	r.forms.put(s.ID, f, formSize(s))
	return f, nil
}

// same tells whether two rows are the same in everything.
func same(a, b *store.Instance) bool {
	return a.Version == b.Version && a.ID == b.ID && a.User == b.User && a.Client == b.Client && a.Grant == b.Grant &&
		a.RunID == b.RunID && a.TraceID == b.TraceID && a.DefinitionID == b.DefinitionID &&
		a.DefinitionVersion == b.DefinitionVersion && a.DefinitionHash == b.DefinitionHash && a.Shared == b.Shared &&
		a.State == b.State && a.Status == b.Status && a.Reason == b.Reason && a.Summary == b.Summary &&
		bytes.Equal(a.Input, b.Input) && bytes.Equal(a.Context, b.Context) && bytes.Equal(a.Memo, b.Memo) &&
		a.Due.Equal(b.Due) && a.Created.Equal(b.Created) && a.Updated.Equal(b.Updated) && a.Ended.Equal(b.Ended)
}

// decode makes the form of a row. What JSON of it is as it was in the last one, nil for none, need not be read again.
func decode(s *store.Instance, last *form) (*form, error) {
	i := &workflow.Instance{
		ID: s.ID, User: s.User, Client: s.Client, State: s.State, Version: s.Version, Open: s.Status == store.Open,
		Reason: s.Reason, Summary: s.Summary, Created: s.Created, Due: s.Due,
	}
	var err error
	if i.Input, err = last.input(s.Input); err != nil {
		return nil, fmt.Errorf("input: %w", err)
	}
	if i.Context, err = last.context(s.Context); err != nil {
		return nil, fmt.Errorf("context: %w", err)
	}
	if i.Memo, err = last.memo(s.Memo); err != nil {
		return nil, fmt.Errorf("memo: %w", err)
	}
	return &form{row: *s, instance: i}, nil
}

func (f *form) input(raw jsontext.Value) (map[string]any, error) {
	if f != nil && bytes.Equal(f.row.Input, raw) {
		return f.instance.Input, nil
	}
	return object(raw)
}

func (f *form) context(raw jsontext.Value) (map[string]any, error) {
	if f != nil && bytes.Equal(f.row.Context, raw) {
		return f.instance.Context, nil
	}
	return object(raw)
}

func (f *form) memo(raw jsontext.Value) (workflow.Memo, error) {
	if f != nil && bytes.Equal(f.row.Memo, raw) {
		return f.instance.Memo, nil
	}
	return decodeMemo(raw)
}
