package store

import (
	"context"
	"sync"
)

// Turns let every user do one costly thing at a time, so that whoever asks for many at once makes
// nobody else wait for all of them. What several of them share is for whoever has the turn: take the
// turn first. The zero Turns are ready.
type Turns struct {
	mu    sync.Mutex
	users map[string]*turn // of those only who have a turn or wait for one
}

type turn struct {
	taken  chan struct{} // full while somebody has it
	wanted int           // how many have it or wait
}

// Take waits for the user's turn, which lasts until give is called, once. The error is that of ctx,
// when it ends before.
func (t *Turns) Take(ctx context.Context, user string) (give func(), err error) {
	mine := t.join(user)
	select {
	case mine.taken <- struct{}{}:
		return func() {
			<-mine.taken
			t.leave(user)
		}, nil
	case <-ctx.Done():
		t.leave(user)
		return nil, ctx.Err()
	}
}

func (t *Turns) join(user string) *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	mine := t.users[user]
	if mine == nil {
		mine = &turn{taken: make(chan struct{}, 1)}
		if t.users == nil {
			t.users = map[string]*turn{}
		}
		t.users[user] = mine
	}
	mine.wanted++
	return mine
}

// leave forgets the user with the last who has the turn or waits.
func (t *Turns) leave(user string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	mine := t.users[user]
	if mine.wanted--; mine.wanted == 0 {
		delete(t.users, user)
	}
}
