package runner

import "reflect"

// Changed are the instances whose form is not what its JSON says any more: somebody has changed what all who look share.
func (r *Runner) Changed() (ids []string) {
	r.forms.mu.Lock()
	defer r.forms.mu.Unlock()
	for id, at := range r.forms.entries {
		kept := at.Value.(*weighed[*form]).value
		fresh, err := kept.from.decode()
		if err != nil || !reflect.DeepEqual(fresh, kept) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Kept is how many forms are kept, and how many bytes they count.
func (r *Runner) Kept() (count, bytes int) { return len(r.forms.entries), r.forms.used }
