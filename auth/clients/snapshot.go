package clients

import (
	"slices"
	"strings"
	"time"
	"unsafe"

	"prax/auth"
)

// snapshot is one registry generation, immutable once sealed. Nothing in it that grows with the number
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
	byName     []uint32 // rows with a name of their own, by name
}

// span is a string in the arena.
type span struct{ start, size uint32 }

// row is one client.
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
)

// out are the flags of a row that admits nobody.
const out = refused | disabled | lapsed

func (f flags) has(any flags) bool { return f&any != 0 }

func (s *snapshot) text(p span) string { return s.arena[p.start : p.start+p.size] }

// lookup is the principal that presents the credential. The clock is read only if it matters.
func (s *snapshot) lookup(c auth.Credential, now func() time.Time) (auth.Principal, bool) {
	i, known := s.byToken.find(s.rows, c)
	if !known || !s.admits(&s.rows[i], now) {
		return auth.Principal{}, false
	}
	return s.principal(&s.rows[i]), true
}

// named is the principal of the client with this name.
func (s *snapshot) named(name string, now func() time.Time) (auth.Principal, bool) {
	i, known := s.find(name)
	if !known || !s.admits(&s.rows[i], now) {
		return auth.Principal{}, false
	}
	return s.principal(&s.rows[i]), true
}

// find is the row with this name, admitted or not, unless it was refused.
func (s *snapshot) find(name string) (i uint32, known bool) {
	at, known := slices.BinarySearchFunc(s.byName, name, func(i uint32, name string) int {
		return strings.Compare(s.text(s.rows[i].name), name)
	})
	if !known {
		return 0, false
	}
	return s.byName[at], true
}

// admits tells whether the row lets anybody in at this time. Exactly at its expiry it does not.
func (s *snapshot) admits(r *row, now func() time.Time) bool {
	if r.flags.has(out) {
		return false
	}
	return !r.flags.has(expires) || now().Before(s.expiry(r))
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
	return p
}

// live counts the clients that are admitted at now.
func (s *snapshot) live(now time.Time) (n int) {
	at := func() time.Time { return now }
	for i := range s.rows {
		if s.admits(&s.rows[i], at) {
			n++
		}
	}
	return n
}

// bytes is about how much memory the snapshot takes. Its few sets of names are not counted.
func (s *snapshot) bytes() int {
	return len(s.arena) + cap(s.rows)*int(unsafe.Sizeof(row{})) + cap(s.terms)*int(unsafe.Sizeof(terms{})) +
		4*(cap(s.byToken.slots)+cap(s.byName))
}

// only is a snapshot of the rows that keep says, without a generation yet: what is left of
// this one when the file does not read.
func (s *snapshot) only(keep func(*row) bool) *snapshot {
	left := &snapshot{arena: s.arena, names: s.names, terms: s.terms}
	for i := range s.rows {
		if r := &s.rows[i]; keep(r) {
			n := uint32(len(left.rows))
			left.rows = append(left.rows, *r)
			left.byToken.add(left.rows, n)
			left.byName = append(left.byName, n)
		}
	}
	slices.SortFunc(left.byName, func(a, b uint32) int { return strings.Compare(left.nameOf(a), left.nameOf(b)) })
	return left
}
