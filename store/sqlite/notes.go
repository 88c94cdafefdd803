package sqlite

import (
	"errors"
	"fmt"
	"slices"

	"prax/store"
)

// notes are what functions of the open transaction have changed and the file has not been told. A move that is surely
// possible is only noted: what was noted is written before anything else reads or changes the file, at the latest before
// the commit. So a function that fails has nothing to be taken back, which spares the savepoint, and the users of a batch
// are charged once.
type notes struct {
	turn  int64 // the number of the transaction
	moves []noted
	kept  map[string]int64 // the bytes that users' instances keep, with what is noted; of those who are not here the file tells
	owed  map[string]int64 // of write
}

// noted is a move that is to be written.
type noted struct {
	store.Move
	number int64 // of its instance
	bytes  int64 // that it adds
}

// maxKept bounds the users whose bytes are known.
const maxKept = 1 << 12

func newNotes() *notes { return &notes{kept: map[string]int64{}, owed: map[string]int64{}} }

// begin begins a transaction.
func (n *notes) begin() {
	n.turn++
	n.cut(0)
	if len(n.kept) > maxKept {
		clear(n.kept)
	}
}

// cut forgets all moves but so many.
func (n *notes) cut(to int) {
	if len(n.moves) > to {
		clear(n.moves[to:])
		n.moves = n.moves[:to]
		clear(n.kept)
	}
}

// note notes a move of an instance that is known to be free, if there is room for it.
func (t *tx) note(m store.Move, number, bytes int64) (done bool, err error) {
	if t.over {
		return false, errOver
	}
	user := m.Next.User
	kept, known := t.notes.kept[user]
	if !known {
		if _, kept, err = t.instancesOf(user); err != nil {
			return false, err
		}
	}
	if t.instanceRoom(kept, bytes) != nil {
		return false, nil
	}
	t.notes.kept[user] = kept + bytes
	t.notes.moves = append(t.notes.moves, noted{m, number, bytes})
	t.changed(change{next: m.Next, number: number, from: m.From, free: true})
	return true, t.broken
}

// changed tells memory of a change, once it is committed. Until then what memory has of the instance is not what the
// transaction has.
func (t *tx) changed(c change) {
	t.changes = append(t.changes, c)
	t.db.memory.touch(c.next.ID, t.notes.turn)
}

// settle writes what is noted: that of earlier functions as if it had been written at once, that of this one behind its
// savepoint. What fails then, or is not possible after all, ends the transaction: nobody can be told any more.
func (t *tx) settle() error {
	n := t.notes
	if n == nil || len(n.moves) == 0 || t.broken != nil {
		return nil
	}
	if t.broken = n.write(t.c, n.moves[:t.mark]); t.broken != nil {
		t.others = true
		return t.broken
	}
	n.written(t.mark)
	t.mark = 0
	if len(n.moves) == 0 {
		return nil
	}
	if err := t.save(); err != nil {
		return err
	}
	if t.broken = n.write(t.c, n.moves); t.broken != nil {
		return t.broken
	}
	n.written(len(n.moves))
	return nil
}

// written forgets the first moves, which the file has now.
func (n *notes) written(first int) { n.moves = slices.Delete(n.moves, 0, first) }

// write writes moves, with what belongs to them.
func (n *notes) write(c *connection, moves []noted) error {
	clear(n.owed)
	for i := range moves {
		m := &moves[i]
		if err := c.writeMove(m); err != nil {
			return fmt.Errorf("move of %s: %w", m.Next.ID, fault(err))
		}
		n.owed[m.Next.User] += m.bytes
	}
	for user, bytes := range n.owed {
		if _, err := c.exec(chargeOwner, 0, bytes, user); err != nil {
			return fmt.Errorf("charge a user: %w", fault(err))
		}
	}
	return nil
}

// errNotFree is when memory had an instance otherwise than the file.
var errNotFree = errors.New("the instance is not as it was known")

func (c *connection) writeMove(m *noted) error {
	n, err := c.exec(compareAndSet, append(movedColumns(m.Move, m.bytes), m.number, m.From)...)
	if err != nil {
		return err
	}
	if n != 1 {
		return errNotFree
	}
	reach("mid-move")
	for _, s := range m.Steps {
		if err := c.insertStep(m.number, s); err != nil {
			return err
		}
	}
	return nil
}
