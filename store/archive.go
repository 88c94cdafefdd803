package store

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Archived is what one archiving did.
type Archived struct {
	File   string `json:"file,omitzero"`   // where the events are now
	First  int64  `json:"first,omitzero"`  // number of the first event in it; 0 when none was old enough
	Last   int64  `json:"last,omitzero"`   // and of the last
	SHA256 string `json:"sha256,omitzero"` // of the file, hex
}

// ErrNotWhole refuses to archive, back up or restore a chain that does not verify.
var ErrNotWhole = errors.New("the audit chain is not whole")

// MaxLine bounds one line of an archive, in bytes.
const MaxLine = 16 << 20

// maxAnchor bounds the last line of an archive, in bytes.
const maxAnchor = 4 << 10

// Piece is one archive as it was read: events First to Last, each of which follows the one before it.
type Piece struct {
	Name  string // as problems name it
	First int64
	Prev  string // hash of the event before First
	Last  int64
	Hash  string // of Last
	Calls int64  // within blocks
}

// Events is how many there are.
func (p Piece) Events() int64 { return p.Last - p.First + 1 }

// ReadArchive reads an archive to its end and recomputes every hash. note is called with the number and
// the hash of each event. The error says why this is not a whole archive of the installation with this
// public key: one that was cut off has no signed end.
func ReadArchive(r io.Reader, publicKey string, note func(seq int64, hash string)) (p Piece, err error) {
	lines := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := readLine(lines)
		if errors.Is(err, io.EOF) {
			return p, errors.New("it has no signed end: it was cut off, or its writing was interrupted")
		}
		if err != nil {
			return p, err
		}
		if isAnchor(line) {
			return p, p.end(line, lines, publicKey)
		}
		if err := p.add(line); err != nil {
			return p, err
		}
		note(p.Last, p.Hash)
	}
}

// readLine reads one line without its end; io.EOF when there is none that is whole.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > MaxLine:
			return nil, fmt.Errorf("a line has more than %d bytes", MaxLine)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return nil, err
		}
		return line[:len(line)-1], nil
	}
}

// isAnchor tells the last line from an event: only an event has a number of its own.
func isAnchor(line []byte) bool { return !bytes.Contains(line, []byte(`"seq":`)) }

// add takes the next event.
func (p *Piece) add(line []byte) error {
	e, err := DecodeEvent(line)
	if err != nil {
		return fmt.Errorf("after event %d: %w", p.Last, err)
	}
	if p.First == 0 {
		if e.Seq < 1 {
			return fmt.Errorf("it begins with event %d", e.Seq)
		}
		p.First, p.Prev, p.Last, p.Hash = e.Seq, e.Prev, e.Seq-1, e.Prev
	}
	if e.Seq != p.Last+1 || e.Prev != p.Hash {
		return fmt.Errorf("event %d does not follow event %d", e.Seq, p.Last)
	}
	if e.Link(e.Seq, e.Prev).Hash != e.Hash {
		return fmt.Errorf("event %d was changed: its hash does not fit", e.Seq)
	}
	p.Last, p.Hash = e.Seq, e.Hash
	p.Calls += int64(len(e.Calls))
	return nil
}

// end judges the last line, and that nothing follows it.
func (p *Piece) end(line []byte, rest *bufio.Reader, publicKey string) error {
	a, err := DecodeAnchor(line)
	switch {
	case err != nil:
		return err
	case !a.Genuine(publicKey):
		return errors.New("its end was not signed by this installation")
	case p.First == 0 || a.Count != p.Last || a.Hash != p.Hash:
		return fmt.Errorf("its end vouches for event %d, and it ends with event %d", a.Count, p.Last)
	}
	if _, err := rest.ReadByte(); !errors.Is(err, io.EOF) {
		return errors.New("something follows its signed end")
	}
	return nil
}

// Joints are the hashes that tell whether archives fit each other and what is left of the chain: those of
// the events at which one of them ends, or one of them or the chain goes on.
type Joints struct {
	hashes map[int64]string // "" until an archive has the event
	split  []int64          // where two archives differ
}

// NewJoints are the joints of archives that begin after these events or end with them.
func NewJoints(at []int64) *Joints {
	j := &Joints{hashes: map[int64]string{}}
	for _, seq := range at {
		j.hashes[seq] = ""
	}
	return j
}

// Note remembers the hash of an event if it is that of a joint.
func (j *Joints) Note(seq int64, hash string) {
	switch known, wanted := j.hashes[seq]; {
	case !wanted:
	case known == "":
		j.hashes[seq] = hash
	case known != hash:
		j.split = append(j.split, seq)
	}
}

// Join adds to the report what keeps the archives and what is left of the chain, which begins after
// r.Anchor, from being the one chain that they come from. Pieces may overlap: an archiving that was
// interrupted leaves a whole archive of events that are also in the next.
func (r *Report) Join(pieces []Piece, j *Joints) {
	slices.SortFunc(pieces, func(a, b Piece) int { return cmp.Compare(a.First, b.First) })
	for _, seq := range j.split {
		r.Problem("two archives differ at event %d", seq)
	}
	reached := int64(0)
	for _, p := range pieces {
		switch {
		case p.First > reached+1:
			r.Problem("events %d to %d are in none of the archives", reached+1, p.First-1)
		case p.First == 1 && p.Prev != "" || p.First > 1 && j.hashes[p.First-1] != p.Prev:
			r.Problem("%s does not follow the archive before it", p.Name)
		}
		reached = max(reached, p.Last)
	}
	if r.Anchor == nil {
		return
	}
	switch {
	case reached < r.Anchor.Count:
		r.Problem("the archives end with event %d, the chain goes on after event %d", reached, r.Anchor.Count)
	case j.hashes[r.Anchor.Count] != r.Anchor.Hash:
		r.Problem("the chain does not follow event %d of the archives", r.Anchor.Count)
	}
}

// SpanOfArchive is the numbers of the first and the last event in an archive, as its first and its last line
// have them. What lies between is not read, and no signature is checked.
func SpanOfArchive(r io.ReadSeeker) (first, last int64, err error) {
	line, err := readLine(bufio.NewReader(r))
	if err != nil {
		return 0, 0, err
	}
	e, err := DecodeEvent(line)
	if err != nil {
		return 0, 0, err
	}
	size, err := r.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, 0, err
	}
	if _, err := r.Seek(max(size-maxAnchor, 0), io.SeekStart); err != nil {
		return 0, 0, err
	}
	end, err := io.ReadAll(io.LimitReader(r, maxAnchor))
	if err != nil {
		return 0, 0, err
	}
	end = bytes.TrimSuffix(end, []byte("\n"))
	a, err := DecodeAnchor(end[bytes.LastIndexByte(end, '\n')+1:])
	return e.Seq, a.Count, err
}
