package sqlite

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"prax/store"
)

// TestMemory does random reads, changes and deaths of transactions in any order, reads that end long after they began
// among them: what memory tells is what the file holds, and what it holds is within its bounds.
func TestMemory(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		const room = 8 << 10
		w := &remembered{memory: newMemory(2 * room), file: map[string]store.Instance{}}
		r.Repeat(map[string]func(*rapid.T){
			"look":   w.look,
			"learn":  w.endRead,
			"begin":  w.beginChange,
			"commit": w.endChange,
			"die": func(*rapid.T) {
				w.memory.forget()
				w.pending = nil
			},
			"": func(r *rapid.T) {
				bytes, kept := int64(0), map[string]bool{}
				for _, generation := range []map[string]*recalled{w.memory.young, w.memory.old} {
					for id, i := range generation {
						if kept[id] {
							r.Fatalf("%s is kept twice", id)
						}
						kept[id] = true
						bytes += i.bytes
					}
				}
				if bytes > 2*room || w.memory.bytes > room {
					r.Fatalf("%d bytes, %d of them young", bytes, w.memory.bytes)
				}
			},
		})
	})
}

// remembered is a memory beside a file that tells the truth.
type remembered struct {
	memory  *memory
	file    map[string]store.Instance // committed
	pending []change                  // begun
	reads   []openRead
}

// openRead is a look into the file whose end memory has not been told.
type openRead struct {
	number int64
	id     string
	found  *store.ListedInstance
}

func (w *remembered) look(r *rapid.T) {
	id := drawID(r)
	got, known, number := w.memory.instance(id)
	want, exists := w.file[id]
	if known {
		if !exists || string(got.Context) != string(want.Context) || got.Version != want.Version || got.Client != want.Client {
			r.Fatalf("memory has %+v, the file %+v", got, want)
		}
		for _, c := range w.pending {
			if c.next.ID == id {
				r.Fatalf("memory tells of %s while it changes", id)
			}
		}
		return
	}
	read := openRead{number: number, id: id}
	if exists {
		read.found = &store.ListedInstance{Instance: want}
	}
	w.reads = append(w.reads, read)
}

func (w *remembered) endRead(r *rapid.T) {
	if len(w.reads) == 0 {
		r.Skip("no read")
	}
	n := rapid.IntRange(0, len(w.reads)-1).Draw(r, "which")
	read := w.reads[n]
	w.reads = append(w.reads[:n:n], w.reads[n+1:]...)
	w.memory.learn(read.id, read.number, read.found)
}

func (w *remembered) beginChange(r *rapid.T) {
	if w.pending != nil {
		r.Skip("one transaction at a time")
	}
	now := map[string]store.Instance{}
	for range rapid.IntRange(1, 4).Draw(r, "changes") {
		id := drawID(r)
		was, exists := now[id]
		if !exists {
			was, exists = w.file[id]
		}
		next := was
		next.ID, next.Version = id, was.Version+1
		next.Client = fmt.Sprintf("starter of %d", next.Version)
		next.Context = []byte(fmt.Sprintf(`{"n":%d,"x":%*d}`, next.Version, rapid.IntRange(1, 9000).Draw(r, "size"), 1))
		w.pending = append(w.pending, change{next: next, from: was.Version})
		if exists {
			next.Client = was.Client // a move does not change it
		}
		now[id] = next
	}
	w.memory.begin(w.pending)
}

// endChange commits, perhaps with reads on either side of the moment at which the file changes.
func (w *remembered) endChange(r *rapid.T) {
	for _, c := range w.pending {
		next := c.next
		if was, exists := w.file[next.ID]; exists {
			now := recalled{ListedInstance: store.ListedInstance{Instance: was}}
			now.move(&next)
			next = now.Instance
		}
		w.file[next.ID] = next
	}
	if rapid.Bool().Draw(r, "read meanwhile") && w.pending != nil {
		id := w.pending[0].next.ID
		if _, known, number := w.memory.instance(id); known || number != 0 {
			r.Fatalf("memory tells of %s, or wants to learn of it, while it changes", id)
		}
	}
	w.memory.commit(w.pending)
	w.pending = nil
}

func drawID(r *rapid.T) string {
	return rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f"}).Draw(r, "id")
}

// BenchmarkMemory is what a batch of moves costs to remember, an instance.
func BenchmarkMemory(b *testing.B) {
	m := newMemory(16 << 20)
	changes := make([]change, 64)
	for n := range changes {
		changes[n].next = store.Instance{ID: fmt.Sprintf("wf_%026d", n), Version: 1, Context: []byte(`{"n":1}`), Memo: []byte(`{}`)}
	}
	m.commit(changes)
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		if n%len(changes) != 0 {
			continue
		}
		for n := range changes {
			changes[n].from = changes[n].next.Version
			changes[n].next.Version++
		}
		m.begin(changes)
		m.commit(changes)
	}
}
