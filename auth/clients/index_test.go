package clients

import (
	"encoding/binary"
	"testing"

	"prax/auth"
)

// TestIndex: every credential is found in its row while the table grows, no other one is, and of two rows
// with one credential the first is.
func TestIndex(t *testing.T) {
	t.Parallel()
	credential := func(i int) (c auth.Credential) {
		binary.BigEndian.PutUint64(c[24:], uint64(i)) // all begin alike
		return c
	}
	const n = 5000
	var x index
	var rows []row
	if _, known := x.find(rows, credential(0)); known {
		t.Error("something is found where nothing is")
	}
	for i := range n {
		rows = append(rows, row{credential: credential(i)})
		x.add(rows, uint32(i))
	}
	rows = append(rows, row{credential: credential(7)})
	x.add(rows, n)
	for i := range n {
		if at, known := x.find(rows, credential(i)); !known || at != uint32(i) {
			t.Fatalf("row %d is found at %d, %t", i, at, known)
		}
	}
	if at, known := x.find(rows, credential(n)); known {
		t.Errorf("what nobody has is found at %d", at)
	}
	if len(x.slots) > 4*n {
		t.Errorf("%d slots for %d rows", len(x.slots), n)
	}
}
