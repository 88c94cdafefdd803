package runner

import (
	"container/list"
	"errors"
	"sync"

	"prax/tools/workflow"
)

// pinned are the compiled definitions of instances, those used last, by hash: as many as their texts fit a number of
// bytes.
type pinned struct {
	mu      sync.Mutex
	room    int
	used    int
	entries map[string]*list.Element
	recent  list.List // of *entry, those used last first
	stored  map[string]int64
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
	return &pinned{room: room, entries: map[string]*list.Element{}, stored: map[string]int64{}}
}

// get is the definition with this hash, if it is there.
func (p *pinned) get(hash string) *entry {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.touch(hash)
}

func (p *pinned) touch(hash string) *entry {
	at := p.entries[hash]
	if at == nil {
		return nil
	}
	p.recent.MoveToFront(at)
	return at.Value.(*entry)
}

// put keeps a definition, and forgets those that were not used for the longest. Whoever else puts the same one gets
// the first: it is compiled once.
func (p *pinned) put(e *entry) *entry {
	p.mu.Lock()
	defer p.mu.Unlock()
	if first := p.touch(e.hash); first != nil {
		return first
	}
	p.entries[e.hash] = p.recent.PushFront(e)
	p.used += e.size
	for p.used > p.room && p.recent.Len() > 1 {
		oldest := p.recent.Remove(p.recent.Back()).(*entry)
		delete(p.entries, oldest.hash)
		p.used -= oldest.size
	}
	return e
}

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
