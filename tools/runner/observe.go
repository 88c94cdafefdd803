package runner

import "prax/store"

// Observer is told what becomes of workflows once it is on the disk, for metrics. It is told from many goroutines, and
// must not wait.
type Observer interface {
	// Started: there is a new instance, which has this status.
	Started(store.Status)

	// Moved: an instance that was there was changed, and has this status now.
	Moved(store.Status)
}

// unobserved is told for nobody.
type unobserved struct{}

func (unobserved) Started(store.Status) {}
func (unobserved) Moved(store.Status)   {}
