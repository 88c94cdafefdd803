package auth

import (
	"crypto/sha256"
	"iter"
	"slices"
)

// NameSet is an immutable set of names: an allowlist, roles, permissions, workflow ids, overseen
// users. It is a small value; the names themselves live in a [NameTable], or nowhere for the zero
// set, which has nothing in it.
type NameSet struct {
	table *NameTable
	id    uint32 // 0 is the empty set
	all   bool
}

// Everything is the set that has every name: the operator's allowlist, `workflows` when absent.
func Everything() NameSet { return NameSet{all: true} }

// Names is a set of its own, outside any registry: for tests and for the operator's commands.
func Names(names ...string) NameSet {
	t := NewNameTable()
	return t.Set(t.Add(names))
}

// All tells whether the set has every name there could be.
func (s NameSet) All() bool { return s.all }

// Len is the number of names; 0 for a set that has every name.
func (s NameSet) Len() int { return len(s.ids()) }

// Has tells whether name is in the set: exact, case-sensitive.
func (s NameSet) Has(name string) bool {
	if s.all {
		return true
	}
	if s.table == nil {
		return false
	}
	id, known := s.table.index[name]
	if !known {
		return false
	}
	_, found := slices.BinarySearch(s.ids(), id)
	return found
}

// Each yields the names, in the order in which the table first met them.
func (s NameSet) Each() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, id := range s.ids() {
			if !yield(s.table.names[id]) {
				return
			}
		}
	}
}

// Sorted is a fresh slice of the names in order.
func (s NameSet) Sorted() []string { return slices.Sorted(s.Each()) }

// Key identifies the set by its content: two sets with the same names have the same key, in this
// registry generation and in the next. Answers that depend on an allowlist alone are cached under it.
func (s NameSet) Key() [sha256.Size]byte {
	if s.all {
		return [sha256.Size]byte{0xff}
	}
	if s.table == nil {
		return [sha256.Size]byte{}
	}
	return s.table.keys[s.id]
}

func (s NameSet) ids() []uint32 {
	if s.table == nil {
		return nil
	}
	return s.table.members[s.table.start[s.id]:s.table.start[s.id+1]]
}

// NameTable stores many sets flat, each distinct one once, so that a registry of 100,000 clients
// costs the garbage collector next to nothing (its only pointers are the distinct names).
// Fill it, then share it: it is not safe to Add once sets of it are in use.
type NameTable struct {
	names   []string
	index   map[string]uint32
	members []uint32 // sorted name ids, set after set
	start   []uint32 // start[id] to start[id+1] are the members of set id
	keys    [][sha256.Size]byte
	byKey   map[[sha256.Size]byte]uint32
}

// NewNameTable is a table with the empty set, which has id 0.
func NewNameTable() *NameTable {
	return &NameTable{
		index: map[string]uint32{},
		start: []uint32{0, 0},
		keys:  make([][sha256.Size]byte, 1),
		byKey: map[[sha256.Size]byte]uint32{},
	}
}

// Add interns the set of these names, duplicates and order aside, and returns its id.
func (t *NameTable) Add(names []string) uint32 {
	if len(names) == 0 {
		return 0
	}
	sorted := slices.Compact(slices.Sorted(slices.Values(names)))
	key := contentKey(sorted)
	if id, known := t.byKey[key]; known {
		return id
	}
	first := len(t.members)
	for _, name := range sorted {
		t.members = append(t.members, t.intern(name))
	}
	slices.Sort(t.members[first:])
	id := uint32(len(t.keys))
	t.start = append(t.start, uint32(len(t.members)))
	t.keys = append(t.keys, key)
	t.byKey[key] = id
	return id
}

// Set is the set with this id.
func (t *NameTable) Set(id uint32) NameSet { return NameSet{table: t, id: id} }

func (t *NameTable) intern(name string) uint32 {
	if id, known := t.index[name]; known {
		return id
	}
	id := uint32(len(t.names))
	t.names = append(t.names, name)
	t.index[name] = id
	return id
}

// contentKey hashes names with their lengths, so that no two lists of names collide by joining.
func contentKey(sorted []string) (key [sha256.Size]byte) {
	h := sha256.New()
	var n [8]byte
	for _, name := range sorted {
		for i := range n {
			n[i] = byte(len(name) >> (8 * i))
		}
		h.Write(n[:])
		h.Write([]byte(name))
	}
	h.Sum(key[:0])
	return key
}
