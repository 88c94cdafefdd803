package clients

import (
	"iter"
	"slices"
	"strings"
	"time"
	"unsafe"

	"prax/auth"
)

// snapshot is one registry generation, immutable once sealed but for what notes its use. Nothing in it that grows with the number
// of clients holds a pointer (rows are flat, strings are offsets into one arena, the index is numbers), so
// that 100,000 clients cost the garbage collector nothing to look through.
type snapshot struct {
	generation uint64
	digest     string // of the file, in hex; "" when it is of no file
	arena      string
	names      *auth.NameTable
	terms      []terms
	rows       []row
	byToken    index    // of every row, refused or not
	byName     []uint32 // the first rows of clients with a name of their own, by name
	starts     map[auth.Credential]moment
	rates      map[span]auth.Rate // of the few clients that have one of their own, by their names
	used       used               // rows whose token was presented; all else is immutable
	opens      time.Time          // when the first token that is not good yet will be; zero when none will
}

// moment is a time without a pointer: since 1970.
type moment struct {
	seconds int64
	nanos   uint32
}

func momentOf(t time.Time) moment { return moment{t.Unix(), uint32(t.Nanosecond())} }

func (m moment) time() time.Time { return time.Unix(m.seconds, int64(m.nanos)).UTC() }

// span is a string in the arena.
type span struct{ start, size uint32 }

// row is one token of a client, with all that the client is. Those of one client stand together; most have
// only one.
type row struct {
	credential auth.Credential
	name       span
	user       span
	terms      uint32 // index in the snapshot's terms
	flags      flags
}

// terms are what a client was granted and until when. Most clients have theirs in common with many, so
// that they stand apart from the rows.
type terms struct {
	seconds     int64 // of the expiry, since 1970
	nanos       uint32
	allow       uint32 // ids in names
	workflows   uint32
	roles       uint32
	permissions uint32
	oversees    uint32
}

type flags uint16

const (
	refused      flags = 1 << iota // for an error in it
	disabled                       // switched off
	lapsed                         // its expiry cannot be read
	expires                        // seconds and nanos say when
	allWorkflows                   // workflows is every definition
	allUsers                       // oversees is every user
	underscore                     // sees tool names with underscores
	single                         // is the client of the settings
	sharesName                     // another row has its name
	sharesToken                    // another row has its token
	showsToken                     // its name or user id is the token of a row
	further                        // is of the same client as the row before
	starts                         // is not good before a time, which stands in the snapshot's starts
	rated                          // has a rate, which stands in the snapshot's rates
)

// out are the flags of a row that admits nobody.
const out = refused | disabled | lapsed

func (f flags) has(any flags) bool { return f&any != 0 }

func (s *snapshot) text(p span) string { return s.arena[p.start : p.start+p.size] }

// lookup is the principal that presents the credential. The clock is read only if it matters.
func (s *snapshot) lookup(c auth.Credential, now func() time.Time) (auth.Principal, bool) {
	i, ok := s.holder(c, now)
	if !ok {
		return auth.Principal{}, false
	}
	return s.principal(&s.rows[i]), true
}

// present is lookup, noted.
func (s *snapshot) present(c auth.Credential, now func() time.Time) (auth.Principal, bool) {
	i, ok := s.holder(c, now)
	if !ok {
		return auth.Principal{}, false
	}
	s.used.note(i)
	return s.principal(&s.rows[i]), true
}

// holder is the row that the credential admits.
func (s *snapshot) holder(c auth.Credential, now func() time.Time) (i uint32, ok bool) {
	i, known := s.byToken.find(s.rows, c)
	return i, known && s.admits(&s.rows[i], now)
}

// named is the principal of the client with this name.
func (s *snapshot) named(name string, now func() time.Time) (auth.Principal, bool) {
	i, known := s.find(name)
	if !known {
		return auth.Principal{}, false
	}
	r := s.lasting(clientAt(s.rows, int(i)), now)
	if r == nil {
		return auth.Principal{}, false
	}
	return s.principal(r), true
}

// find is the first row of the client with this name, admitted or not, unless it was refused.
func (s *snapshot) find(name string) (i uint32, known bool) {
	at, known := slices.BinarySearchFunc(s.byName, name, func(i uint32, name string) int {
		return strings.Compare(s.text(s.rows[i].name), name)
	})
	if !known {
		return 0, false
	}
	return s.byName[at], true
}

// firstStart is when the first row begins to admit somebody that does not yet; zero when none will.
func (s *snapshot) firstStart(now time.Time) (first time.Time) {
	for i := range s.rows {
		r := &s.rows[i]
		if !r.flags.has(starts) || r.flags.has(out) {
			continue
		}
		if w := s.window(r); w.comes(now) && (first.IsZero() || w.from.Before(first)) {
			first = w.from
		}
	}
	return first
}

// lasting is the row, of those of one client, that admits it now and does so the longest; of several the
// last, which is the newest. It is nil when none does.
func (s *snapshot) lasting(rows []row, now func() time.Time) (found *row) {
	for i := range rows {
		r := &rows[i]
		if s.admits(r, now) && (found == nil || !r.flags.has(expires) || found.flags.has(expires) && !s.expiry(r).Before(s.expiry(found))) {
			found = r
		}
	}
	return found
}

// clientAt is the rows of the client whose first is row i.
func clientAt(rows []row, i int) []row {
	n := i + 1
	for n < len(rows) && rows[n].flags.has(further) {
		n++
	}
	return rows[i:n]
}

// clientsOf are the rows of one client after the other, with the place of the first.
func clientsOf(rows []row) iter.Seq2[int, []row] {
	return func(yield func(int, []row) bool) {
		for i := 0; i < len(rows); {
			of := clientAt(rows, i)
			if !yield(i, of) {
				return
			}
			i += len(of)
		}
	}
}

// admits tells whether the row lets anybody in at this time. Exactly at its expiry it does not.
func (s *snapshot) admits(r *row, now func() time.Time) bool {
	switch {
	case r.flags.has(out):
		return false
	case r.flags.has(starts | expires):
		return s.window(r).holds(now())
	}
	return true
}

// window is when the row is good, but for its flags.
func (s *snapshot) window(r *row) window { return window{s.start(r), s.expiry(r)} }

// start is when the row begins to be good; zero when it always was.
func (s *snapshot) start(r *row) time.Time {
	if !r.flags.has(starts) {
		return time.Time{}
	}
	return s.starts[r.credential].time()
}

// expiry is when the row lapses; zero for never.
func (s *snapshot) expiry(r *row) time.Time {
	if !r.flags.has(expires) {
		return time.Time{}
	}
	t := &s.terms[r.terms]
	return time.Unix(t.seconds, int64(t.nanos)).UTC()
}

func (s *snapshot) principal(r *row) auth.Principal {
	t := &s.terms[r.terms]
	p := auth.Principal{
		Client:      s.text(r.name),
		User:        s.text(r.user),
		Allow:       s.names.Set(t.allow),
		Workflows:   s.names.Set(t.workflows),
		Roles:       s.names.Set(t.roles),
		Permissions: s.names.Set(t.permissions),
		Oversees:    s.names.Set(t.oversees),
		Expires:     s.expiry(r),
		Generation:  s.generation,
		Credential:  r.credential,
	}
	if r.flags.has(allWorkflows) {
		p.Workflows = auth.Everything()
	}
	if r.flags.has(allUsers) {
		p.Oversees = auth.Everything()
	}
	if r.flags.has(underscore) {
		p.Spelling = auth.Underscore
	}
	if r.flags.has(rated) {
		p.Rate = s.rates[r.name]
	}
	return p
}

// live counts the clients that are admitted at now.
func (s *snapshot) live(now time.Time) (n int) {
	at := func() time.Time { return now }
	for _, rows := range clientsOf(s.rows) {
		if s.lasting(rows, at) != nil {
			n++
		}
	}
	return n
}

// rateBytes is what one of rates takes, its share of the table included.
const rateBytes = 2 * int(unsafe.Sizeof(span{})+unsafe.Sizeof(auth.Rate{}))

// bytes is about how much memory the snapshot takes. Its few sets of names are not counted.
func (s *snapshot) bytes() int {
	return len(s.arena) + cap(s.rows)*int(unsafe.Sizeof(row{})) + cap(s.terms)*int(unsafe.Sizeof(terms{})) +
		4*(cap(s.byToken.slots)+cap(s.byName)+cap(s.used)) + len(s.rates)*rateBytes
}

// only is a snapshot of the clients of one token whose rows keep says, without a generation yet: what is left
// of this one when the file does not read.
func (s *snapshot) only(keep func(*row) bool) *snapshot {
	left := &snapshot{arena: s.arena, names: s.names, terms: s.terms, rates: s.rates}
	for i := range s.rows {
		if r := &s.rows[i]; keep(r) {
			n := uint32(len(left.rows))
			left.rows = append(left.rows, *r)
			left.byToken.add(left.rows, n)
			left.byName = append(left.byName, n)
		}
	}
	left.used = newUsed(len(left.rows))
	slices.SortFunc(left.byName, func(a, b uint32) int { return strings.Compare(left.nameOf(a), left.nameOf(b)) })
	return left
}
