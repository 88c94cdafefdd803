package sqlite_test

import (
	"context"
	"strings"
	"testing"

	"prax/store"
)

func BenchmarkLargeUpdate(b *testing.B) {
	db := benchmarked(b)
	n := 0
	for b.Loop() {
		n++
		var han strings.Builder
		for i := 0; han.Len() < store.MaxDocumentBytes-3; i++ {
			han.WriteRune(rune(0x4e00 + (i+n)*7919%20000))
		}
		err := db.Update(context.Background(), func(t store.Tx) error {
			_, err := t.PutDocument(store.Document{User: "alice", Kind: store.Memory, Body: han.String()})
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLargeMove is a move that changes a context of the largest size.
func BenchmarkLargeMove(b *testing.B) {
	db := benchmarked(b)
	i, err := startInstance(db, "alice", "")
	if err != nil {
		b.Fatal(err)
	}
	large := []byte(`{"x":[` + strings.Repeat(`"some text",`, store.MaxContextBytes/13) + `0]}`)
	b.SetBytes(int64(len(large)))
	for b.Loop() {
		next, m := moved(i)
		next.Context = large
		m.Next = next
		if err := db.Update(context.Background(), func(t store.Tx) error { return t.Move(m) }); err != nil {
			b.Fatal(err)
		}
		i = next
	}
}
