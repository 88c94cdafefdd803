package clients

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
)

// Identity tells one client of a name from another: it changes with the client's user and with its tokens, and
// with nothing else. known is false when no entry has the name that could be admitted, switched off or expired as
// it may be now.
func (r *Registry) Identity(name string) (id [sha256.Size]byte, known bool) {
	s := r.current.Load().at(r.now)
	i, known := s.find(name)
	if !known {
		return id, false
	}
	h := sha256.New()
	for _, r := range clientAt(s.rows, int(i)) {
		s.identify(h, &r)
	}
	h.Sum(id[:0])
	return id, true
}

// identify writes who a row is: each part with its length before it.
func (s *snapshot) identify(h hash.Hash, r *row) {
	for _, part := range [][]byte{[]byte(s.text(r.user)), r.credential[:]} {
		_, _ = h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		_, _ = h.Write(part)
	}
}
