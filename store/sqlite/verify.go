package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"prax/store"
)

// verifyStep is how many events are read in one snapshot: a long walk must not hold one. A block has up
// to blockBytes.
const verifyStep = 64

// Verify walks the whole chain, the calls in blocks included, and compares it with the signed head.
// The error is about reading; what does not fit is in the report.
//
// After a server was stopped in order the head vouches for the newest event. While one runs, and after
// one was killed, the head may lag behind by a minute: events that were cut off beyond it are not
// missed. Neither is what followed when the whole directory, head included, is put back to an earlier
// state: to find that out, compare with a head that is kept elsewhere, such as those in the log.
func (db *DB) Verify(ctx context.Context) (store.Report, error) {
	var report store.Report
	// The head is read first: what is added meanwhile lies behind it.
	problem, err := db.headProblem()
	if err != nil {
		return report, fmt.Errorf("verify: %w", err)
	}
	if problem != "" {
		report.Problem("%s", problem)
	}
	report.Head, _ = db.readHead() // not one: a problem already
	stands, err := db.standing(0)
	if err != nil {
		return report, fmt.Errorf("verify: %w", err)
	}
	walk := link{}
	for {
		next, err := db.stretchAfter(ctx, walk.seq)
		if err != nil {
			return report, fmt.Errorf("verify after event %d: %w", walk.seq, err)
		}
		walk = db.anchored(walk, next.anchor, &report)
		for _, s := range next.stored {
			walk = s.verify(walk, &report)
		}
		if len(next.stored) == 0 || walk.seq >= stands.newest {
			break // what was added since would keep it walking for ever
		}
	}
	report.Newest, report.LastHash = walk.seq, walk.hash
	return report, db.verifyLeftovers(ctx, &report)
}

// verify judges one row against the one before it, and returns what the next has to follow.
func (s storedEvent) verify(before link, report *store.Report) link {
	report.Events++
	if s.seq != before.seq+1 {
		report.Problem("events %d to %d are missing", before.seq+1, s.seq-1)
	}
	if s.prev != before.hash {
		report.Problem("event %d does not follow the one before it", s.seq)
	}
	for _, problem := range s.problems(report) {
		report.Problem("event %d %s", s.seq, problem)
	}
	return link{seq: s.seq, hash: s.hash}
}

// problems are what is wrong with a row by itself.
func (s storedEvent) problems(report *store.Report) []string {
	e, err := s.event()
	if err != nil {
		return []string{"cannot be read: " + err.Error()}
	}
	report.Calls += int64(len(e.Calls))
	var problems []string
	if e.Seq != s.seq || e.Prev != s.prev || string(e.Kind) != s.kind || e.At.UnixMilli() != s.at || e.Chain != store.MainChain {
		problems = append(problems, "differs from its columns")
	}
	if e.Link(e.Seq, e.Prev).Hash != s.hash {
		problems = append(problems, "was changed: its hash does not fit")
	}
	if !s.ledTo(e) {
		problems = append(problems, "is not led to by the right users")
	}
	if e.Outcome == outcomeBroken {
		problems = append(problems, "records that the chain did not match its signed head: "+e.Detail)
	}
	return problems
}

// ledTo tells whether the rows of calls are those of the event, and lead to it or are led to.
func (s storedEvent) ledTo(e store.Event) bool {
	leads, fits := fit(s.seq, s.shares, e.Shares())
	slices.SortFunc(leads, byLead)
	slices.SortFunc(s.leads, byLead)
	return fits && slices.Equal(leads, s.leads)
}

// verifyLeftovers finds calls that belong to no event, and leads beyond the last.
func (db *DB) verifyLeftovers(ctx context.Context, report *store.Report) error {
	return db.View(ctx, func(s store.Tx) error {
		t, ours := s.(*tx)
		if !ours {
			return errNotOurs
		}
		err := t.list(func(rows *sql.Rows) error {
			var seq, count int64
			if err := rows.Scan(&seq, &count); err != nil {
				return err
			}
			report.Problem("%d rows of calls belong to event %d, which is missing", count, seq)
			return nil
		}, `SELECT seq, count(*) FROM block_user b WHERE NOT EXISTS
			(SELECT 1 FROM event e WHERE e.chain = b.chain AND e.seq = b.seq) GROUP BY seq LIMIT ?`, store.MaxProblems)
		if err != nil {
			return err
		}
		return t.verifyRuns(report)
	})
}

// verifyRuns finds leads to events that there never were.
func (t *tx) verifyRuns(report *store.Report) error {
	if has, err := t.hasLeads(); !has || err != nil {
		return err
	}
	var count int64
	err := t.row(`SELECT count(*) FROM lead_run WHERE last > (SELECT coalesce(max(seq), 0) FROM event)`, nil, &count)
	if count > 0 {
		report.Problem("%d runs of leads lead to events that are missing", count)
	}
	return err
}
