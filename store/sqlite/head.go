package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"prax/store"
	"prax/store/digest"
)

// signHead signs the newest event and writes that to the head file and the log. Called from one
// goroutine at a time.
func (db *DB) signHead() error {
	newest := *db.committed.Load()
	head := store.SignHead(db.key, newest.seq, newest.hash, db.now())
	reach("before-head")
	if err := digest.Replace(db.path(headName), store.EncodeHead(head)); err != nil {
		return fmt.Errorf("write audit head: %w", err)
	}
	reach("after-head")
	if head.Count == 0 {
		return nil // nothing yet that somebody could take away
	}
	db.log.Info("audit head signed", "count", head.Count, "hash", head.Hash, "signature", head.Signature)
	return nil
}

// readHead is the signed head in the directory; nil when there is none.
func (db *DB) readHead() (*store.Head, error) {
	text, err := os.ReadFile(db.path(headName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read audit head: %w", err)
	}
	head, err := store.DecodeHead(text)
	return &head, err
}

// checkHead compares the chain with its signed head before anything is added to it. Where they do
// not fit, the head that was found is kept aside, and the finding becomes an event: the next head
// is signed over it, so that it cannot be made to disappear by starting once more.
func (db *DB) checkHead() {
	problem := db.headProblem()
	if problem != "" {
		db.log.Error("audit chain does not match its signed head", "problem", problem)
		err := os.Rename(db.path(headName), db.path("audit-head.mismatch.json"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			db.log.Error("the head that does not match could not be kept", "error", err)
		}
		err = db.writer.insist(func(t store.Tx) error {
			t.AddEvent(store.Event{Kind: store.EventServer, Outcome: outcomeBroken, Detail: detail("problem", problem)})
			return nil
		})
		if err != nil {
			db.log.Error("audit mismatch could not be recorded", "error", err)
		}
	}
	if err := db.signHead(); err != nil {
		db.log.Error("audit head could not be signed", "error", err)
	}
}

// outcomeBroken marks the event that records a chain which did not match its head.
const outcomeBroken = "chain_mismatch"

// headProblem says why the chain does not fit its signed head, or nothing.
func (db *DB) headProblem() string {
	head, err := db.readHead()
	if err != nil {
		return err.Error()
	}
	newest, hash, err := db.vouched(head)
	if err != nil {
		return "the chain cannot be read: " + err.Error()
	}
	if head == nil {
		if newest > 0 {
			return "there are events but no signed head"
		}
		return ""
	}
	if db.key == nil {
		return "the signature cannot be checked without the installation key"
	}
	if !head.Genuine(db.key.Public()) {
		return "the head was not signed by this installation"
	}
	if head.Count > newest {
		return fmt.Sprintf("the head vouches for %d events, the chain has %d: its tail is missing", head.Count, newest)
	}
	if hash != head.Hash {
		return fmt.Sprintf("event %d has another hash than the one that was signed", head.Count)
	}
	return ""
}

// vouched reads, after the head, the number of the newest event, and the hash of the event that
// the head vouches for.
func (db *DB) vouched(head *store.Head) (newest int64, hash string, err error) {
	err = db.View(background, func(s store.Tx) error {
		t, ours := s.(*tx)
		if !ours {
			return errNotOurs
		}
		c, err := t.reader(false)
		if err != nil {
			return err
		}
		last, err := c.lastLink()
		newest = last.seq
		if err != nil || head == nil || head.Count == 0 {
			return err
		}
		err = c.row(`SELECT hash FROM event WHERE chain = ? AND seq = ?`, []any{store.MainChain, head.Count}, &hash)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	return newest, hash, err
}
