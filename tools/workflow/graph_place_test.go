package workflow

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// tangled is a definition whose states lead anywhere.
func tangledDefinition(seed uint64) *Definition {
	r := rand.New(rand.NewPCG(seed, 3))
	n := 3 + r.IntN(58)
	d := &Definition{ID: "tangled", Initial: "state 0"}
	for i := range n {
		s := &State{Name: fmt.Sprintf("state %d", i)}
		for k := range r.IntN(4) {
			actor := []Actor{Agent, Human, Deterministic}[r.IntN(3)]
			s.Transitions = append(s.Transitions, &Transition{Name: fmt.Sprintf("transition %d", k), Actor: actor, Target: fmt.Sprintf("state %d", r.IntN(n))})
		}
		d.States = append(d.States, s)
	}
	return d
}

// TestNothingLiesOnAnother proves that a picture can be read: states and labels keep apart, and lines go from row to row.
func TestNothingLiesOnAnother(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		l, fits := tangledDefinition(seed).draw().lay()
		if !fits {
			t.Fatalf("seed %d: refused", seed)
		}
		bottom := 0
		for _, row := range l.rows {
			top, next := 1<<30, 0
			for i, b := range row {
				box := l.boxes[b]
				top, next = min(top, box.y-box.height/2), max(next, box.y+box.height/2)
				if box.x-box.left < 0 {
					t.Fatalf("seed %d: box %d begins left of the picture", seed, b)
				}
				if i > 0 {
					if before := l.boxes[row[i-1]]; before.x+before.right >= box.x-box.left {
						t.Fatalf("seed %d: box %d lies on box %d", seed, b, row[i-1])
					}
				}
			}
			if len(row) > 0 && top < bottom {
				t.Fatalf("seed %d: a row lies on the one above", seed)
			}
			bottom = max(bottom, next)
		}
		for _, w := range l.wires {
			for i := 1; i < len(w.path); i++ {
				if l.boxes[w.path[i]].row != l.boxes[w.path[i-1]].row+1 {
					t.Fatalf("seed %d: a line jumps", seed)
				}
			}
			if len(w.path) < 3 {
				t.Fatalf("seed %d: a line without room for its label", seed)
			}
		}
	}
}
