package runner

import (
	"context"
	"time"

	"prax/tools/workflow"
)

// maxKept is how much can be kept of one instance.
const maxKept = 64 << 10

// Keep keeps a value of so many bytes that was made of an answer of [Runner.Get], its Caller and nothing else that may
// change: [Runner.Recall] has it as long as Get would give an answer that differs by its Caller only. Nothing is kept of an
// instance about which more may change than its row, nor of one whose time was over.
func (r *Runner) Keep(a *Answer, value any, bytes int) {
	if a.form == nil || bytes > maxKept {
		return
	}
	f := *a.form
	f.kept = kept{value: value, until: a.Definition.Due(a.Instance)}
	for n := range a.Approvals {
		f.kept.until = earlier(f.kept.until, a.Approvals[n].Expires)
	}
	r.forms.put(f.row.ID, &f, formSize(&f.row)+bytes)
}

// Recall is the value that was kept last of an instance, for whoever it was made, and who asks now. It is nil where there
// is none, and where the row is another by now, or its time is over, or the caller may not see it: Get says what there is.
func (r *Runner) Recall(ctx context.Context, w Work, id string) (any, workflow.Caller) {
	f, known := r.forms.get(id)
	if !known || f.kept.value == nil {
		return nil, workflow.Caller{}
	}
	c := r.asking(w)
	stored, err := c.On.Instance(ctx, c.scope, id)
	if err != nil || c.covers(stored) != nil || !same(&f.row, &stored) || f.kept.over(c.now) {
		return nil, workflow.Caller{}
	}
	return f.kept.value, c.caller(stored)
}

// earlier is the earlier of two times, of which zero is never.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
