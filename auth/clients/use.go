package clients

import (
	"iter"
	"strings"
	"sync"
	"sync/atomic"

	"prax/auth"
)

// Use is a token that was used, and whose it was.
type Use struct {
	Client     string
	Credential auth.Credential
}

// Uses are the tokens that were presented and admitted, by requests and by streams that are judged again, since
// they were asked for last: whoever takes one out of the sequence is the only one who hears of it. To note them costs a
// request neither a lock nor the time; one that is being answered while another generation comes into force may be
// missed.
func (r *Registry) Uses() iter.Seq[Use] {
	return func(yield func(Use) bool) {
		for _, u := range r.gone.take() {
			if !yield(u) {
				return
			}
		}
		s := r.current.Load().at(r.now)
		for i := range s.used.take() {
			if !yield(s.useOf(i)) {
				return
			}
		}
	}
}

// NoteUse notes that the client of this name was used by what it lent: a signed token. That counts for the one of its
// tokens that lasts longest, as in ByName.
func (r *Registry) NoteUse(name string) {
	s := r.current.Load().at(r.now)
	first, known := s.find(name)
	if !known {
		return
	}
	if last := s.lasting(clientAt(s.rows, int(first)), r.now); last != nil {
		i, _ := s.byToken.find(s.rows, last.credential)
		s.used.note(i)
	}
}

// useOf keeps nothing of the snapshot.
func (s *snapshot) useOf(i uint32) Use { return Use{strings.Clone(s.nameOf(i)), s.rows[i].credential} }

// used are the rows of a snapshot that were used: a bit each.
type used []atomic.Uint32

func newUsed(rows int) used { return make(used, (rows+31)/32) }

// note writes only what does not stand there: all requests of a minute but the first read alone.
func (u used) note(i uint32) {
	if word, bit := &u[i/32], uint32(1)<<(i%32); word.Load()&bit == 0 {
		word.Or(bit)
	}
}

// take takes out the rows, one after the other.
func (u used) take() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for w := range u {
			if u[w].Load() == 0 {
				continue
			}
			bits := u[w].Swap(0)
			for b := range uint32(32) {
				if bits&(1<<b) != 0 && !yield(uint32(w)*32+b) {
					return
				}
			}
		}
	}
}

// inherit takes over what was used of the snapshot before: into the rows of the same client and token, and else
// into gone.
func (s *snapshot) inherit(before *snapshot, gone *departed) {
	for i := range before.used.take() {
		j, known := s.byToken.find(s.rows, before.rows[i].credential)
		if known && s.nameOf(j) == before.nameOf(i) {
			s.used.note(j)
		} else {
			gone.add(before.useOf(i))
		}
	}
}

// departed are tokens that were used and are in force no more.
type departed struct {
	mu   sync.Mutex
	list []Use
}

// mostDeparted bounds how many are kept for who asks.
const mostDeparted = 1 << 17

func (d *departed) add(u Use) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.list) < mostDeparted {
		d.list = append(d.list, u)
	}
}

func (d *departed) take() []Use {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := d.list
	d.list = nil
	return list
}
