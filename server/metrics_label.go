package server

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// otherLabel stands for all that have no label of their own.
const otherLabel = "other"

// labelled has something for each value of a label, of which there are at most so many: whatever callers do, what is kept
// and scraped is bounded. A look at one that is there takes no lock.
type labelled[T any] struct {
	most  int
	fresh func() *T
	other *T
	all   atomic.Pointer[map[string]*T] // replaced, never changed

	mu sync.Mutex // held while it is replaced
}

func (l *labelled[T]) init(most int, fresh func() *T) {
	l.most, l.fresh, l.other = most, fresh, fresh()
	l.all.Store(&map[string]*T{otherLabel: l.other})
}

// at is what there is for a value.
func (l *labelled[T]) at(value string) *T {
	all := *l.all.Load()
	if found := all[value]; found != nil {
		return found
	}
	if len(all) > l.most {
		return l.other
	}
	return l.add(value)
}

func (l *labelled[T]) add(value string) *T {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := *l.all.Load()
	if found := all[value]; found != nil {
		return found
	}
	if len(all) > l.most {
		return l.other
	}
	next := maps.Clone(all)
	next[value] = l.fresh()
	l.all.Store(&next)
	return next[value]
}

// forget makes room when there is none left: by those that keep does not want.
func (l *labelled[T]) forget(keep func(value string) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := *l.all.Load()
	if len(all) <= l.most {
		return
	}
	next := maps.Clone(all)
	maps.DeleteFunc(next, func(value string, _ *T) bool { return value != otherLabel && !keep(value) })
	l.all.Store(&next)
}

// each gives all, by their values' order.
func (l *labelled[T]) each(f func(value string, of *T)) {
	all := *l.all.Load()
	for _, value := range slices.Sorted(maps.Keys(all)) {
		f(value, all[value])
	}
}
