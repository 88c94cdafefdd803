package sqlite

import (
	"bytes"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"prax/store"
)

// memory has instances as they are committed, for point reads that need no SQL. This process alone writes the file, and
// the writer tells of every change before it commits and before it answers: what is read here is never older than what a
// View would show, and never what was not kept. Who may see an instance is not judged here.
//
// It keeps what was used lately, in two generations: when the young one is full it becomes the old one, whose own
// instances are forgotten. That bounds its bytes as an order of use would, without one to maintain.
type memory struct {
	mu         sync.Mutex
	room       int64 // bytes of a generation
	young, old map[string]*recalled
	bytes      int64            // of the young
	reads      map[string]int64 // the number of the newest look into the file for an instance; changing
	last       int64            // number of a read
}

// recalled is an instance that memory has.
type recalled struct {
	store.ListedInstance
	bytes int64
	free  bool  // it waits for no attempt and no approval, and no output is kept for it; only the writer makes it so, or not so
	turn  int64 // the number of the last transaction that changed it, which may be open
}

// changing stands in the place of a read while a change is being committed: what is read meanwhile may be either.
const changing = -1

// change is what a transaction does to an instance.
type change struct {
	next   store.Instance // of what a move leaves as it is, the move may tell anything
	number int64
	from   int64 // the version before; 0: there was none
	free   bool  // as in recalled
	bound  bool  // it is the instance of an attempt that was opened, and nothing else changes
}

func newMemory(bytes int64) *memory {
	m := &memory{room: bytes / 2}
	m.clear()
	return m
}

func (m *memory) clear() {
	m.young, m.old, m.reads, m.bytes = map[string]*recalled{}, map[string]*recalled{}, map[string]int64{}, 0
}

// instance is the one with this id, if it is here and not being changed. If it is not, the number is that of the read
// which has to follow, and to end in learn; 0 when there is nothing to learn from it.
func (m *memory) instance(id string) (i store.Instance, known bool, number int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.reads[id] == changing {
		return i, false, 0
	}
	if found := m.find(id); found != nil {
		return found.Instance, true, 0
	}
	m.last++
	m.reads[id] = m.last
	return i, false, m.last
}

// committed is what memory has of an instance, for the writer: it alone knows what is being changed.
func (m *memory) committed(id string) (i recalled, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if found := m.find(id); found != nil {
		return *found, true
	}
	return i, false
}

// touch tells that a transaction changes an instance.
func (m *memory) touch(id string, turn int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if found := m.find(id); found != nil {
		found.turn = turn
	}
}

// find is what memory has of an instance, which is young then.
func (m *memory) find(id string) *recalled {
	found := m.young[id]
	if found == nil {
		if found = m.old[id]; found != nil {
			m.put(found)
		}
	}
	return found
}

// put keeps an instance, if there is room for it at all.
func (m *memory) put(i *recalled) {
	m.drop(i.ID)
	if i.bytes > m.room {
		return
	}
	if m.bytes+i.bytes > m.room {
		m.young, m.old, m.bytes = map[string]*recalled{}, m.young, 0
	}
	m.young[i.ID] = i
	m.bytes += i.bytes
}

func (m *memory) drop(id string) {
	if was := m.young[id]; was != nil {
		m.bytes -= was.bytes
		delete(m.young, id)
	}
	delete(m.old, id)
}

// learn ends a read: with what it found, or with nil. Nothing is learned of one that a change has overtaken.
func (m *memory) learn(id string, number int64, found *store.ListedInstance) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if number == 0 || m.reads[id] != number {
		return
	}
	delete(m.reads, id)
	if found != nil {
		m.put(recall(*found))
	}
}

func recall(i store.ListedInstance) *recalled {
	return &recalled{ListedInstance: i, bytes: footprint(&i.Instance)}
}

// footprint is what an instance takes: its own bytes and those to keep it.
func footprint(i *store.Instance) int64 {
	const fixed = 1 << 10 // the structure, its place in a map, and what is short
	return fixed + int64(len(i.Input)+len(i.Context)+len(i.Memo)+len(i.Summary)+len(i.Reason)+len(i.Grant))
}

// begin withholds what is about to be committed: a View may see it from now on.
func (m *memory) begin(changes []change) {
	if len(changes) == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range changes {
		m.reads[changes[i].next.ID] = changing
	}
}

// commit gives what begin withheld, as it is now.
func (m *memory) commit(changes []change) {
	if len(changes) == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range changes {
		delete(m.reads, changes[i].next.ID)
		m.follow(&changes[i])
	}
}

// follow makes a change to what memory has.
func (m *memory) follow(c *change) {
	if c.from == 0 && !c.bound {
		c.next.Input = bytes.Clone(c.next.Input)
		c.next.Context, c.next.Memo = ownValue(nil, c.next.Context), ownValue(nil, c.next.Memo)
		i := recall(store.ListedInstance{Number: c.number, Instance: c.next})
		i.free = c.free
		m.put(i)
		return
	}
	i := m.find(c.next.ID)
	switch {
	case i == nil:
		return
	case c.bound:
		i.free = false
		return
	case i.Version != c.from:
		m.drop(c.next.ID)
		return
	}
	i.move(&c.next)
	i.free = c.free
	m.resize(i)
}

// move makes the change that compareAndSet makes.
func (i *recalled) move(next *store.Instance) {
	i.State, i.Version, i.Status, i.Due, i.Updated, i.Ended = next.State, next.Version, next.Status, next.Due, next.Updated, next.Ended
	i.Reason, i.Summary = next.Reason, next.Summary
	i.Memo, i.Context = ownValue(i.Memo, next.Memo), ownValue(i.Context, next.Context)
}

// ownValue is a value to keep: the one that is there, or a copy, because a caller's may lie in a buffer that is used again.
func ownValue(was, next jsontext.Value) jsontext.Value {
	if bytes.Equal(was, next) {
		return was
	}
	return bytes.Clone(next)
}

// resize makes room for an instance that has changed.
func (m *memory) resize(i *recalled) {
	now := footprint(&i.Instance)
	if m.bytes+now-i.bytes > m.room {
		m.put(&recalled{i.ListedInstance, now, i.free, i.turn})
		return
	}
	m.bytes += now - i.bytes
	i.bytes = now
}

// forget is for a transaction that died: only the file knows what it holds.
func (m *memory) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.clear()
}
