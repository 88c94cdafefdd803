package sqlite

import (
	"cmp"
	"database/sql"
	"encoding/binary"
	"errors"
	"slices"

	"prax/store"
)

// lead says that a shared row of an event holds calls of a user, who is known by a key. Two users may have one: in the
// row itself they are told apart.
type lead struct {
	key   uint32
	seq   int64 // of the event
	place int64 // of the row in it
}

func byLead(a, b lead) int {
	if a.key != b.key { // as most do
		return cmp.Compare(a.key, b.key)
	}
	return cmp.Or(cmp.Compare(a.seq, b.seq), cmp.Compare(a.place, b.place))
}

// leadKey is FNV-1a over the user. What users did in workflows has keys of its own: of a byte before the user that stands in
// no name, so that no user's calls take the room of what another one did.
func leadKey(user string, workflow bool) uint32 {
	key := uint32(2166136261)
	if workflow {
		key = (key ^ 0xff) * 16777619
	}
	for i := range len(user) {
		key = (key ^ uint32(user[i])) * 16777619
	}
	return key
}

// leadPage is how many bytes of leads stand in one row: it fills a page.
const leadPage = 3900

// leadRun is a number of leads, sorted, that were written together.
type leadRun struct {
	number, level, first, last, bytes int64
}

// insertLeads writes a run of leads, which it sorts.
func (c *connection) insertLeads(level int64, leads []lead) error {
	if len(leads) == 0 {
		return nil
	}
	slices.SortFunc(leads, byLead)
	run := leadRun{level: level, first: leads[0].seq, last: leads[0].seq}
	for _, l := range leads {
		run.first, run.last = min(run.first, l.seq), max(run.last, l.seq)
	}
	pages := run.pages(leads)
	for _, page := range pages {
		run.bytes += int64(len(page.leads))
	}
	if err := c.row(`INSERT INTO lead_run (level, first, last, bytes) VALUES (?, ?, ?, ?) RETURNING number`,
		[]any{run.level, run.first, run.last, run.bytes}, &run.number); err != nil {
		return err
	}
	for _, page := range pages {
		if _, err := c.exec(`INSERT INTO lead (run, key, leads) VALUES (?, ?, ?)`, run.number, int64(page.key), page.leads); err != nil {
			return err
		}
		c.worked(len(page.leads))
	}
	return nil
}

// leadsPage is one row of a run.
type leadsPage struct {
	run         int64
	first, last int64 // events of the run
	key         uint32
	leads       []byte
}

// shows tells whether who looks for a lead of the page comes by it there, until its event is archived; after is the row
// behind it, of this run or of another.
func (p leadsPage) shows(l lead, after leadsPage) bool {
	return l.key >= p.key && (p.run != after.run || l.key < after.key) && l.seq <= p.last
}

// pages are the rows of a run. All leads of one key stand in one.
func (r leadRun) pages(leads []lead) []leadsPage {
	var pages []leadsPage
	for i, l := range leads {
		last := len(pages) - 1
		if i == 0 || l.key != leads[i-1].key && len(pages[last].leads) >= leadPage {
			pages = append(pages, leadsPage{key: l.key, leads: make([]byte, 0, leadPage+16)})
			last++
		}
		before := pages[last].key
		if len(pages[last].leads) > 0 {
			before = leads[i-1].key
		}
		pages[last].leads = r.append(pages[last].leads, l, before)
	}
	return pages
}

// append appends a lead behind one of another key, which is not greater.
func (r leadRun) append(b []byte, l lead, before uint32) []byte {
	b = binary.AppendUvarint(b, uint64(l.key-before))
	b = binary.AppendUvarint(b, uint64(l.seq-r.first))
	return binary.AppendUvarint(b, uint64(l.place))
}

var errLeads = errors.New("leads of the audit cannot be read")

// read calls f with the leads, in their order.
func (p leadsPage) read(f func(lead)) error {
	key := uint64(p.key)
	for b := p.leads; len(b) > 0; {
		var parts [3]uint64
		for i := range parts {
			n, size := binary.Uvarint(b)
			if size <= 0 {
				return errLeads
			}
			parts[i], b = n, b[size:]
		}
		key += parts[0]
		f(lead{key: uint32(key), seq: p.first + int64(parts[1]), place: int64(parts[2])})
	}
	return nil
}

// The ways along leads: to the rows that may lead to a key, and through all that lead to some events.
const (
	leadsOfKey = leadsOfRuns + `
		AND l.key = (SELECT max(key) FROM lead WHERE run = r.number AND key <= ?)`
	leadsBetween = leadsOfRuns + ` WHERE r.last >= ? AND r.first <= ? ORDER BY r.number DESC, l.key DESC`
	leadsOfRun   = leadsOfRuns + ` WHERE r.number = ?`

	// One run after the other: by itself SQLite begins with the leads, and goes through all there are.
	leadsOfRuns = `SELECT r.number, r.first, r.last, l.key, l.leads FROM lead_run r CROSS JOIN lead l ON l.run = r.number`
)

// leads calls f with the leads that a way comes by.
func (t *tx) leads(f func(lead), way string, args ...any) error {
	return t.leadPages(func(page leadsPage) error { return page.read(f) }, way, args...)
}

func (t *tx) leadPages(f func(leadsPage) error, way string, args ...any) error {
	return t.list(func(rows *sql.Rows) error {
		var page leadsPage
		if err := rows.Scan(&page.run, &page.first, &page.last, &page.key, &page.leads); err != nil {
			return err
		}
		return f(page)
	}, way, args...)
}

// hasLeads tells whether there are leads in a file of this age: an older one is read as it is.
func (t *tx) hasLeads() (has bool, err error) {
	err = t.row(`SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'lead_run')`, nil, &has)
	return has, err
}

// leadsTo are the newest leads to calls of a user, or to what it did in workflows, newest first: as many as can lead to
// store.MaxTraces of them.
func (t *tx) leadsTo(user string, workflow bool) ([]lead, error) {
	if has, err := t.hasLeads(); !has || err != nil {
		return nil, err
	}
	key := leadKey(user, workflow)
	var all []lead
	err := t.leads(func(l lead) {
		if l.key != key {
			return
		}
		if all = append(all, l); len(all) >= 4*store.MaxTraces {
			all = newestLeads(all)
		}
	}, leadsOfKey, key)
	return newestLeads(all), err
}

// newestLeads are the newest of leads that have one key, each row once: where users have the same key, it is led to for each.
func newestLeads(all []lead) []lead {
	slices.SortFunc(all, func(a, b lead) int {
		return cmp.Or(cmp.Compare(b.seq, a.seq), cmp.Compare(b.place, a.place))
	})
	all = slices.Compact(all)
	return all[:min(len(all), store.MaxTraces)]
}
