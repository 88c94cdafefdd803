package clients

import (
	"bytes"
	"slices"
	"strings"

	"prax/auth"
)

// builder collects rows and their claims to names and tokens, aside from what is in force.
//
// An entry that is refused claims its name and its tokens all the same. Otherwise damaging one of two
// entries that share a token would let the other in.
type builder struct {
	arena   strings.Builder
	names   *auth.NameTable
	terms   []terms
	termsOf map[terms]uint32
	rows    []row
	origins []origin // of each row
	byToken index
	further map[auth.Credential]uint32 // the tokens of rows that have several; such a row is refused
	claims  []claim
}

// origin is where a row was written: its entry and the offset of that; entry -1 is the settings.
type origin struct{ entry, at int32 }

// claim is a name that a row goes by. A row has several when its entry says its name twice.
type claim struct {
	name span
	row  uint32
}

// newBuilder has room for what a text like this one has in it.
func newBuilder(text []byte) *builder {
	rows := expected(text)
	b := &builder{
		names: auth.NewNameTable(), termsOf: map[terms]uint32{}, further: map[auth.Credential]uint32{},
		rows: make([]row, 0, rows), origins: make([]origin, 0, rows), claims: make([]claim, 0, rows), byToken: newIndex(rows),
	}
	b.arena.Grow(len(text) / 6) // names and user ids among hashes
	return b
}

// expected is about how many entries a file has: what grows with it is then made once, in its size.
func expected(text []byte) int {
	const shortest = len(`{"user_id":"u","token":"t"},`)
	return 1 + min(bytes.Count(text, []byte(`"user_id"`)), len(text)/shortest, maxEntries)
}

func (b *builder) intern(s string) span {
	p := span{uint32(b.arena.Len()), uint32(len(s))}
	b.arena.WriteString(s)
	return p
}

// internText is intern of the string that a value is, without a copy of its own; see text.
func (b *builder) internText(v value) (p span, ok bool) {
	var buf [128]byte
	s, ok := appendText(buf[:0], v)
	if !ok {
		return p, false
	}
	p = span{uint32(b.arena.Len()), uint32(len(s))}
	b.arena.Write(s)
	return p, true
}

// text is good until the snapshot is sealed: what outlasts it is cloned.
func (b *builder) text(p span) string { return b.arena.String()[p.start : p.start+p.size] }

// add takes an entry that was judged. One that claims neither a name nor a token leaves no row.
func (b *builder) add(e *entry) bool {
	if len(e.names) == 0 && len(e.tokens) == 0 {
		return false
	}
	i := uint32(len(b.rows))
	r := e.row
	r.terms = b.termsID(e.terms)
	if len(e.names) > 0 {
		r.name = e.names[len(e.names)-1]
	}
	for _, name := range e.names {
		b.claims = append(b.claims, claim{name, i})
	}
	b.rows = append(b.rows, r)
	b.origins = append(b.origins, origin{int32(e.index), int32(e.at)})
	b.claimTokens(i, e.tokens)
	return true
}

func (b *builder) termsID(t terms) uint32 {
	id, known := b.termsOf[t]
	if !known {
		id = uint32(len(b.terms))
		b.terms = append(b.terms, t)
		b.termsOf[t] = id
	}
	return id
}

// claimTokens notes that row i has these tokens, and marks it and any row that has one of them already.
func (b *builder) claimTokens(i uint32, tokens []auth.Credential) {
	r := &b.rows[i]
	for n, c := range tokens {
		owner, taken := b.owner(c)
		switch {
		case taken && owner != i:
			b.rows[owner].flags |= sharesToken
			r.flags |= sharesToken
		case n > 0:
			b.further[c] = i
		}
		if n > 0 {
			r.flags |= refused
		}
	}
	if len(tokens) > 0 {
		r.credential = tokens[0]
		b.byToken.add(b.rows, i)
	}
}

// owner is the row that claimed the token first.
func (b *builder) owner(c auth.Credential) (i uint32, taken bool) {
	if i, taken = b.byToken.find(b.rows, c); !taken {
		i, taken = b.further[c]
	}
	return i, taken
}

// shareNames marks every row whose name another row claims as well, and leaves the claims in order.
func (b *builder) shareNames() {
	byName := func(a, c claim) int { return strings.Compare(b.text(a.name), b.text(c.name)) }
	slices.SortFunc(b.claims, byName)
	for i := 1; i < len(b.claims); i++ {
		if last, this := b.claims[i-1], b.claims[i]; last.row != this.row && byName(last, this) == 0 {
			b.rows[last.row].flags |= sharesName
			b.rows[this.row].flags |= sharesName
		}
	}
}

// showTokens marks every row whose name or user id is the token of any row: names stand in logs.
func (b *builder) showTokens() {
	for _, c := range b.claims {
		b.showsToken(&b.rows[c.row], c.name)
	}
	for i := range b.rows {
		b.showsToken(&b.rows[i], b.rows[i].user)
	}
}

func (b *builder) showsToken(r *row, p span) {
	if !r.flags.has(refused) && b.isToken(p) {
		r.flags |= showsToken
	}
}

func (b *builder) isToken(p span) bool {
	_, known := b.owner(auth.HashToken(b.text(p)))
	return known
}

// seal refuses whoever shares a name or a token or shows one, telling each through shared, and makes the
// snapshot.
func (b *builder) seal(shared func(*row, origin)) *snapshot {
	b.shareNames()
	b.showTokens()
	for i := range b.rows {
		if r := &b.rows[i]; r.flags.has(sharesName | sharesToken | showsToken) {
			shared(r, b.origins[i])
			r.flags |= refused
		}
	}
	s := &snapshot{arena: strings.Clone(b.arena.String()), names: b.names, terms: b.terms, rows: b.rows, byToken: b.byToken}
	s.byName = make([]uint32, 0, len(b.claims))
	for _, c := range b.claims {
		if !b.rows[c.row].flags.has(refused) { // which has one name
			s.byName = append(s.byName, c.row)
		}
	}
	return s
}
