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
	origins []origin           // of each row
	rates   map[span]auth.Rate // by the names of their clients
	byToken index
	starts  map[auth.Credential]moment // of the tokens that are not good from the beginning
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
		names: auth.NewNameTable(), termsOf: map[terms]uint32{}, starts: map[auth.Credential]moment{}, rates: map[span]auth.Rate{},
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

// add takes an entry that was judged: a row for each of its tokens. One that claims neither a name nor a
// token leaves none.
func (b *builder) add(e *entry) bool {
	if len(e.names) == 0 && len(e.tokens) == 0 {
		return false
	}
	first := uint32(len(b.rows))
	if len(e.names) > 0 {
		e.row.name = e.names[len(e.names)-1]
	}
	if e.row.flags.has(rated) {
		b.rates[e.row.name] = e.rate
	}
	for _, name := range e.names {
		b.claims = append(b.claims, claim{name, first})
	}
	for _, t := range e.tokens {
		b.addToken(e, t, first)
	}
	if len(e.tokens) == 0 {
		b.addRow(e, e.row, window{until: e.expiry})
	}
	return true
}

// addToken adds the row of a token of the entry whose first row is first, and marks it and the row of
// another entry that has the same token already.
func (b *builder) addToken(e *entry, t token, first uint32) {
	r, i := e.row, uint32(len(b.rows))
	r.credential = t.credential
	if i > first {
		r.flags |= further
	}
	if t.lapsed {
		r.flags |= lapsed
	}
	switch owner, taken := b.byToken.find(b.rows, t.credential); {
	case taken && owner >= first:
		return // twice in the entry, which is refused for it
	case taken:
		b.rows[owner].flags |= sharesToken
		r.flags |= sharesToken
	}
	b.addRow(e, r, t.within(e.expiry))
	b.byToken.add(b.rows, i)
}

func (b *builder) addRow(e *entry, r row, w window) {
	granted := e.terms
	if !w.until.IsZero() {
		r.flags |= expires
		granted.seconds, granted.nanos = w.until.Unix(), uint32(w.until.Nanosecond())
	}
	if !w.from.IsZero() {
		r.flags |= starts
		b.starts[r.credential] = momentOf(w.from)
	}
	r.terms = b.termsID(granted)
	b.rows = append(b.rows, r)
	b.origins = append(b.origins, origin{int32(e.index), int32(e.at)})
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
	_, known := b.byToken.find(b.rows, auth.HashToken(b.text(p)))
	return known
}

// seal refuses whoever shares a name or a token or shows one, telling each through shared, and makes the
// snapshot.
func (b *builder) seal(shared func(*row, origin)) *snapshot {
	b.shareNames()
	b.showTokens()
	for i, rows := range clientsOf(b.rows) {
		b.refuseSharing(i, rows, shared)
	}
	s := &snapshot{
		arena: strings.Clone(b.arena.String()), names: b.names, terms: b.terms, rows: b.rows, byToken: b.byToken, starts: b.starts, rates: b.rates,
		used: newUsed(len(b.rows)),
	}
	s.byName = make([]uint32, 0, len(b.claims))
	for _, c := range b.claims {
		if !b.rows[c.row].flags.has(refused) { // which has one name
			s.byName = append(s.byName, c.row)
		}
	}
	return s
}

// refuseSharing puts out the client of the rows from i on, if one of them shares or shows what it must not.
func (b *builder) refuseSharing(i int, rows []row, shared func(*row, origin)) {
	var found flags
	for k := range rows {
		found |= rows[k].flags & (sharesName | sharesToken | showsToken)
	}
	if found == 0 {
		return
	}
	rows[0].flags |= found
	shared(&rows[0], b.origins[i])
	for k := range rows {
		rows[k].flags |= refused
	}
}
