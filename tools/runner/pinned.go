package runner

import (
	"errors"
	"sync"

	"prax/tools/workflow"
)

// pinned are the compiled definitions of instances, those used last, by hash, as many as their texts fit a number of
// bytes; and the versions that the store has given.
type pinned struct {
	definitions *recent[*entry]

	mu     sync.Mutex
	stored map[string]int64
}

// entry is one definition.
type entry struct {
	hash  string
	size  int
	once  sync.Once
	build func() (*workflow.Definition, error)

	// After the once.
	d     *workflow.Definition
	needs needs
	err   error
}

// maxStored bounds how many versions of definitions are remembered. What is forgotten is stored again.
const maxStored = 10_000

func newPinned(room int) *pinned {
	return &pinned{definitions: newRecent[*entry](room), stored: map[string]int64{}}
}

// get is the definition with this hash; nil when it is not there.
func (p *pinned) get(hash string) *entry {
	e, _ := p.definitions.get(hash)
	return e
}

// put keeps a definition. Whoever else puts the same one gets the first: it is compiled once.
func (p *pinned) put(e *entry) *entry { return p.definitions.join(e.hash, e, e.size) }

var errPanicked = errors.New("compiling the definition panicked")

// compiled is the entry with its definition.
func (e *entry) compiled() (*entry, error) {
	e.once.Do(func() {
		e.err = errPanicked // unless it comes back
		if e.d, e.err = e.build(); e.err == nil {
			e.needs = needsOf(e.d)
		}
		e.build = nil
	})
	return e, e.err
}

// version is that of a definition which is known to be stored.
func (p *pinned) version(hash string) (int64, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	version, known := p.stored[hash]
	return version, known
}

func (p *pinned) remember(hash string, version int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.stored) >= maxStored {
		clear(p.stored)
	}
	p.stored[hash] = version
}

func (p *pinned) forget(hash string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.stored, hash)
}
