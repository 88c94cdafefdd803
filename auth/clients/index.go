package clients

import (
	"hash/maphash"

	"prax/auth"
)

// index finds the row that presents a credential: a hash table of row numbers alone. A map would hold
// every credential a second time, which stands in its row already.
//
// The table is keyed by a seed of the process, so that nobody who may choose tokens can make them meet.
type index struct {
	slots []uint32 // 1 + the row; 0 is free; the length is a power of two
	used  int
}

var indexSeed = maphash.MakeSeed()

// newIndex has room for so many rows without growing.
func newIndex(rows int) index {
	return index{slots: make([]uint32, slotsFor(rows))}
}

// slotsFor keeps a table at most three quarters full.
func slotsFor(rows int) int {
	n := 8
	for 3*n < 4*rows {
		n *= 2
	}
	return n
}

// find is the row that has the credential.
func (x *index) find(rows []row, c auth.Credential) (i uint32, known bool) {
	if len(x.slots) == 0 {
		return 0, false
	}
	at := x.slots[x.slot(rows, c)]
	return at - 1, at != 0
}

// add notes that row i, which is in rows, has its credential, unless another one has.
func (x *index) add(rows []row, i uint32) {
	if x.used++; 4*x.used > 3*len(x.slots) {
		x.grow(rows)
	}
	if at := x.slot(rows, rows[i].credential); x.slots[at] == 0 {
		x.slots[at] = i + 1
	}
}

// slot is where a credential stands, or would stand. There is always a free one.
func (x *index) slot(rows []row, c auth.Credential) int {
	last := len(x.slots) - 1
	at := int(maphash.Bytes(indexSeed, c[:])) & last
	for x.slots[at] != 0 && rows[x.slots[at]-1].credential != c {
		at = (at + 1) & last
	}
	return at
}

func (x *index) grow(rows []row) {
	old := x.slots
	x.slots = make([]uint32, slotsFor(2*x.used))
	for _, at := range old {
		if at != 0 {
			x.slots[x.slot(rows, rows[at-1].credential)] = at
		}
	}
}
