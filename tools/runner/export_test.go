package runner

import (
	"reflect"

	"prax/store"
)

// Same tells whether two rows are taken for the same.
func Same(a, b *store.Instance) bool { return same(a, b) }

// Changed are the instances whose form is not what its row says any more: somebody has changed what all who look share.
func (r *Runner) Changed() (ids []string) {
	r.forms.mu.Lock()
	defer r.forms.mu.Unlock()
	for id, at := range r.forms.entries {
		kept := at.Value.(*weighed[*form]).value
		fresh, err := decode(&kept.row, nil)
		if err != nil || !reflect.DeepEqual(fresh.instance, kept.instance) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Kept is how many forms are kept, and how many bytes they count.
func (r *Runner) Kept() (count, bytes int) { return len(r.forms.entries), r.forms.used }

// Wake has who delivers notices look at the clock again.
func (r *Runner) Wake() { r.outbox.wake() }

// How notices are delivered, for tests that move the clock.
const (
	LongestDelay = longestDelay
	NoticeLife   = noticeLife
)
