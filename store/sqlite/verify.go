package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"slices"

	"prax/store"
)

// verifyStep is how many events are read in one snapshot: a long walk must not hold one. A block has up
// to blockBytes.
const verifyStep = 64

// Verify walks the whole chain, the calls in blocks included, and compares it with the signed head.
// The error is about reading; what does not fit is in the report.
func (db *DB) Verify(ctx context.Context) (store.Report, error) {
	var report store.Report
	// The head is read first: what is added meanwhile lies behind it.
	if problem := db.headProblem(); problem != "" {
		report.Problem("%s", problem)
	}
	report.Head, _ = db.readHead() // unreadable: a problem already
	walk := link{}
	for {
		var stored []storedEvent
		err := db.View(ctx, func(s store.Tx) (err error) {
			t, ours := s.(*tx)
			if !ours {
				return errNotOurs
			}
			stored, err = t.storedEvents(walk.seq, verifyStep)
			return err
		})
		if err != nil {
			return report, fmt.Errorf("verify after event %d: %w", walk.seq, err)
		}
		if len(stored) == 0 {
			break
		}
		for _, s := range stored {
			walk = s.verify(walk, &report)
		}
	}
	report.LastHash = walk.hash
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
	if again, err := e.Link(e.Seq, e.Prev); err != nil || again.Hash != s.hash {
		problems = append(problems, "was changed: its hash does not fit")
	}
	if rows, err := callRows(e); err != nil || !slices.Equal(rows, s.rows) {
		problems = append(problems, "is not led to by the right users")
	}
	if e.Outcome == outcomeBroken {
		problems = append(problems, "records that the chain did not match its signed head: "+e.Detail)
	}
	return problems
}

// verifyLeftovers finds calls that belong to no event.
func (db *DB) verifyLeftovers(ctx context.Context, report *store.Report) error {
	return db.View(ctx, func(s store.Tx) error {
		t, ours := s.(*tx)
		if !ours {
			return errNotOurs
		}
		return t.list(func(rows *sql.Rows) error {
			var seq, count int64
			if err := rows.Scan(&seq, &count); err != nil {
				return err
			}
			report.Problem("%d rows of calls belong to event %d, which is missing", count, seq)
			return nil
		}, `SELECT seq, count(*) FROM block_user b WHERE NOT EXISTS
			(SELECT 1 FROM event e WHERE e.chain = b.chain AND e.seq = b.seq) GROUP BY seq LIMIT ?`, store.MaxProblems)
	})
}

// Export writes the events after a number as lines of JSON, oldest first, each in its canonical
// form with its hash, and as the last line the signed head when there is one. Whoever takes the
// member "hash" out of a line and canonicalizes the rest (RFC 8785) has what the hash is over.
func (db *DB) Export(ctx context.Context, w io.Writer, after int64) error {
	head, err := db.readHead()
	if err != nil {
		return err
	}
	for {
		var events []store.Event
		err := db.View(ctx, func(t store.Tx) (err error) {
			events, err = t.EventsAfter(after, verifyStep)
			return err
		})
		if err != nil {
			return fmt.Errorf("export after event %d: %w", after, err)
		}
		if len(events) == 0 {
			break
		}
		for _, e := range events {
			line, err := store.EncodeEvent(e)
			if err != nil {
				return err
			}
			if _, err := w.Write(append(line, '\n')); err != nil {
				return fmt.Errorf("export event %d: %w", e.Seq, err)
			}
			after = e.Seq
		}
	}
	if head == nil {
		return nil
	}
	_, err = w.Write(store.EncodeHead(*head))
	return err
}
