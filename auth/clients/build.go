package clients

import (
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
	rows    []row
	origins []origin // of each row
	byToken map[auth.Credential]uint32
	claims  []claim
}

// origin is where a row was written: its entry and the offset of that; entry -1 is the settings.
type origin struct{ entry, at int32 }

// claim is a name that a row goes by. A row has several when its entry says its name twice.
type claim struct {
	name span
	row  uint32
}

func newBuilder() *builder {
	return &builder{names: auth.NewNameTable(), byToken: map[auth.Credential]uint32{}}
}

func (b *builder) intern(s string) span {
	p := span{uint32(b.arena.Len()), uint32(len(s))}
	b.arena.WriteString(s)
	return p
}

func (b *builder) text(p span) string { return b.arena.String()[p.start : p.start+p.size] }

// add takes an entry that was judged. One that claims neither a name nor a token leaves no row.
func (b *builder) add(e *entry) bool {
	if len(e.names) == 0 && len(e.tokens) == 0 {
		return false
	}
	i := uint32(len(b.rows))
	r := e.row
	r.user = b.intern(e.user)
	for _, c := range e.tokens {
		r.credential = c
		if !b.claimToken(c, i) {
			r.flags |= sharesToken
		}
	}
	for _, name := range e.names {
		r.name = b.intern(name)
		b.claims = append(b.claims, claim{r.name, i})
	}
	b.rows = append(b.rows, r)
	b.origins = append(b.origins, origin{int32(e.index), int32(e.at)})
	return true
}

// claimToken notes that row i has the token, and tells whether it alone has it.
func (b *builder) claimToken(c auth.Credential, i uint32) bool {
	if owner, taken := b.byToken[c]; taken && owner != i {
		b.rows[owner].flags |= sharesToken
		return false
	}
	b.byToken[c] = i
	return true
}

// shareNames marks every row whose name another row claims as well.
func (b *builder) shareNames() {
	byName := func(a, c claim) int { return strings.Compare(b.text(a.name), b.text(c.name)) }
	slices.SortFunc(b.claims, byName)
	for i := 1; i < len(b.claims); i++ {
		if last, this := b.claims[i-1], b.claims[i]; byName(last, this) == 0 && last.row != this.row {
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
	_, known := b.byToken[auth.HashToken(b.text(p))]
	return known
}

// seal refuses whoever shares a name or a token or shows one, telling each through shared, and makes the
// snapshot.
func (b *builder) seal(shared func(*row, origin)) *snapshot {
	b.shareNames()
	b.showTokens()
	s := &snapshot{arena: b.arena.String(), names: b.names, rows: b.rows, byToken: b.byToken}
	for i := range s.rows {
		r := &s.rows[i]
		if r.flags.has(sharesName | sharesToken | showsToken) {
			shared(r, b.origins[i])
			r.flags |= refused
		}
		if !r.flags.has(refused) {
			s.byName = append(s.byName, uint32(i))
		}
	}
	s.sortNames()
	return s
}
