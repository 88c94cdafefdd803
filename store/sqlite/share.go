package sqlite

import (
	"strings"

	"prax/store"
)

// The place of a row of calls (pos) is the number of its first share in the event, with a mark: of the events of a
// workflow, so that a walk along the calls of a user does not pass them, nor the other way round; or of a row that users
// share. The marks stand as numbers in the indexes and the queries too.
const (
	workflowPos = 1 << 32
	sharedPos   = 1 << 33
	placeMask   = workflowPos - 1
)

const (
	sharedBytes = 8 << 10 // of calls in one row: so many are read to find those of one user
	fewShares   = 8       // have rows of their own sooner than one that leads have to lead to
)

// insertShares writes the shares of an event, and the leads to those that have no row of their own.
func (c *connection) insertShares(seq int64, shares []store.Share) error {
	var leads []lead
	for n := 0; n < len(shares); {
		together := shareable(shares[n:])
		if together < fewShares {
			if err := c.insertShare(seq, int64(n), shares[n]); err != nil {
				return err
			}
			n++
			continue
		}
		row := shares[n : n+together]
		if err := c.insertCalls(seq, sharedPos+int64(n), "", joined(row)); err != nil {
			return err
		}
		leads = appendLeads(leads, seq, int64(n), row)
		n += together
	}
	return c.insertLeads(0, leads)
}

// appendLeads appends those to the users of a shared row.
func appendLeads(leads []lead, seq, place int64, row []store.Share) []lead {
	for _, share := range row {
		if share.User != "" {
			leads = append(leads, lead{leadKey(share.User, share.Workflow), seq, place})
		}
	}
	return leads
}

func (c *connection) insertShare(seq, place int64, share store.Share) error {
	if share.Workflow {
		place += workflowPos
	}
	return c.insertCalls(seq, place, share.User, share.Calls)
}

func (c *connection) insertCalls(seq, pos int64, user, calls string) error {
	var text any // NULL where the event itself is the share
	if calls != "" {
		text = calls
	}
	_, err := c.exec(`INSERT INTO block_user (chain, seq, pos, user, calls) VALUES (?, ?, ?, ?, ?)`, store.MainChain, seq, pos, user, text)
	c.worked(len(calls))
	return err
}

// shareable is how many of the first shares one row can have.
func shareable(shares []store.Share) int {
	bytes := 0
	for n, share := range shares {
		bytes += len(share.Calls)
		if share.Calls == "" || share.Workflow != shares[0].Workflow || bytes > sharedBytes {
			return n
		}
	}
	return len(shares)
}

// joined is the calls of several shares as one JSON array.
func joined(shares []store.Share) string {
	size := len("]")
	for _, share := range shares {
		size += len(share.Calls) - 1
	}
	var b strings.Builder
	b.Grow(size)
	opens := byte('[')
	for _, share := range shares {
		b.WriteByte(opens)
		b.WriteString(share.Calls[1 : len(share.Calls)-1])
		opens = ','
	}
	b.WriteByte(']')
	return b.String()
}

// storedShare is a row of calls: a share, or several.
type storedShare struct {
	place  int64
	shared bool
	store.Share
}

// readShare is the row with this place.
func readShare(pos int64, user, calls string) storedShare {
	return storedShare{
		place: pos & placeMask, shared: pos >= sharedPos,
		Share: store.Share{User: user, Workflow: pos >= workflowPos && pos < sharedPos, Calls: calls},
	}
}

// fit tells whether rows have exactly these shares, and returns the leads that those with several need.
func fit(seq int64, rows []storedShare, shares []store.Share) (leads []lead, fits bool) {
	for _, row := range rows {
		n := row.holds(shares)
		if n == 0 {
			return nil, false
		}
		if row.shared {
			leads = appendLeads(leads, seq, row.place, shares[:n])
		}
		shares = shares[n:]
	}
	return leads, len(shares) == 0
}

// holds is how many of the first shares the row consists of; 0 when it does not.
func (s storedShare) holds(shares []store.Share) int {
	if len(shares) == 0 {
		return 0
	}
	if !s.shared {
		if shares[0] == s.Share {
			return 1
		}
		return 0
	}
	size, n := len("["), 0
	for n < len(shares) && size < len(s.Calls) {
		size += len(shares[n].Calls) - 1
		n++
	}
	if s.User == "" && joined(shares[:n]) == s.Calls {
		return n
	}
	return 0
}
