package sqlite

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"prax/store"
	"prax/store/digest"
)

// signHead signs the newest event and writes that to the head file and the log.
func (db *DB) signHead() error {
	db.signing.Lock()
	defer db.signing.Unlock()
	newest := *db.committed.Load()
	head := store.SignHead(db.key, newest.seq, newest.hash, db.now())
	reach("before-head")
	if err := digest.Replace(db.path(headName), store.EncodeHead(head)); err != nil {
		return fmt.Errorf("write audit head: %w", err)
	}
	reach("after-head")
	db.tell(head)
	return nil
}

// tell has the log know of a head, so that it can be kept elsewhere.
func (db *DB) tell(head store.Head) {
	if head.Count == 0 {
		return // nothing yet that somebody could take away
	}
	db.log.Info("audit head signed", "count", head.Count, "hash", head.Hash, "signature", head.Signature)
}

// fits tells whether a head vouches for the newest event: a start need not sign what an end in order has signed.
func (db *DB) fits(head store.Head) bool {
	newest := *db.committed.Load()
	return head.Count == newest.seq && head.Hash == newest.hash && head.Genuine(db.key.Public())
}

// sign signs the head while the server runs.
func (db *DB) sign() error {
	err := db.signHead()
	if err != nil {
		db.log.Error("audit head could not be signed", "error", err)
	}
	return err
}

// headSoon is how long the first event after a pause waits for its head: what follows a start must
// not be lost without a trace for a minute.
const headSoon = time.Second

// headTimer says when to sign: soon after the chain moves, but no more often than every so often.
type headTimer struct {
	every time.Duration
	timer *time.Timer
	armed bool
	last  time.Time // when the head was signed by it
}

func newHeadTimer(every time.Duration) *headTimer {
	h := &headTimer{every: every, timer: time.NewTimer(every)}
	h.timer.Stop()
	return h
}

// arm sets the timer after an event.
func (h *headTimer) arm() {
	if h.armed {
		return
	}
	h.armed = true
	h.timer.Reset(max(min(headSoon, h.every), time.Until(h.last.Add(h.every))))
}

// rang notes how it went. What could not be signed is tried again.
func (h *headTimer) rang(err error) {
	h.armed, h.last = false, time.Now()
	if err != nil {
		h.arm()
	}
}

// headText is the content of the head file; nil when there is none.
func headText(dir string) ([]byte, error) {
	text, err := digest.Read(filepath.Join(dir, headName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read audit head: %w", err)
	}
	return text, nil
}

// readHead is the signed head in the directory; nil when there is none.
func (db *DB) readHead() (*store.Head, error) {
	text, err := headText(db.dir)
	if err != nil || text == nil {
		return nil, err
	}
	head, err := store.DecodeHead(text)
	if err != nil {
		return nil, err
	}
	return &head, nil
}

// mismatchName is where a head is kept that did not fit the chain.
const mismatchName = "audit-head.mismatch.json"

// keepHead keeps a head that does not fit the chain beside the one that will be signed.
func (db *DB) keepHead() error {
	text, err := headText(db.dir)
	if err == nil && text != nil {
		err = digest.Replace(db.path(mismatchName), text)
	}
	if err != nil {
		return fmt.Errorf("keep the audit head that does not match: %w", err)
	}
	return nil
}

// outcomeBroken marks the event that records a chain which did not match its head.
const outcomeBroken = "chain_mismatch"

// headProblem says why the chain does not fit its signed head, or nothing. The error is about
// reading either: what could not be read is no finding. Neither is a head that was replaced while the
// chain was read: the chain may have been archived beyond it by then.
func (db *DB) headProblem() (problem string, err error) {
	for {
		problem, judged, err := db.judgeHead()
		if err != nil || problem == "" {
			return "", err
		}
		now, err := headText(db.dir)
		if err != nil {
			return "", err
		}
		if bytes.Equal(now, judged) {
			return problem, nil
		}
	}
}

// judgeHead judges the head file as it is at one moment, and returns what it judged.
func (db *DB) judgeHead() (problem string, text []byte, err error) {
	before, err := db.standing(0)
	if err != nil {
		return "", nil, err
	}
	if text, err = headText(db.dir); err != nil {
		return "", nil, err
	}
	var head *store.Head
	vouched := int64(0)
	if text != nil {
		h, err := store.DecodeHead(text)
		if err != nil {
			return err.Error(), text, nil
		}
		head, vouched = &h, h.Count
	}
	after, err := db.standing(vouched)
	if err != nil {
		return "", nil, err
	}
	// Stopped before the head was read and after: it is not one of a server in between.
	after.running = after.running || before.running
	return after.problem(head, db.key), text, nil
}

// standing is where a chain stands.
type standing struct {
	newest   int64
	archived int64  // number of the last event that was archived
	hash     string // of the event that the head vouches for
	running  bool   // a server runs, or did not end by itself

	documents, instances, attempts bool // there are some, and no event
}

// problem says why a chain that stands so does not fit its head.
func (s standing) problem(head *store.Head, key *digest.Key) string {
	switch {
	case s.documents:
		return "there are documents but no events"
	case s.instances:
		return "there are instances but no events"
	case s.attempts:
		return "there are attempts but no events"
	case head == nil && s.newest > 0:
		return "there are events but no signed head"
	case head == nil:
		return ""
	case key == nil:
		return "the signature cannot be checked without the installation key"
	case !head.Genuine(key.Public()):
		return "the head was not signed by this installation"
	case head.Count > s.newest:
		return fmt.Sprintf("the head vouches for %d events, the chain has %d: its tail is missing", head.Count, s.newest)
	case head.Count < s.archived:
		return fmt.Sprintf("the head vouches for %d events, though %d were archived under a later one: the head is an older one", head.Count, s.archived)
	case s.hash != head.Hash:
		return fmt.Sprintf("event %d has another hash than the one that was signed", head.Count)
	case !s.running && head.Count < s.newest:
		return fmt.Sprintf("the head vouches for %d events, the chain has %d, though the server was stopped in order: the head is an older one", head.Count, s.newest)
	}
	return ""
}

// unaccounted finds what there is although the chain has no event.
func (t *tx) unaccounted(now *standing) (err error) {
	if now.newest > 0 {
		return nil
	}
	if err := t.row(`SELECT EXISTS (SELECT 1 FROM document)`, nil, &now.documents); err != nil {
		return err
	}
	if now.instances, err = t.keeps("instance"); err != nil {
		return err
	}
	now.attempts, err = t.keeps("attempt")
	return err
}

// standing reads where the chain stands, in one snapshot. vouched is the number of the event that the head vouches for.
func (db *DB) standing(vouched int64) (now standing, err error) {
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
		if err != nil {
			return t.failed(err)
		}
		now.newest = last.seq
		anchor, err := c.anchorLink()
		if err != nil {
			return t.failed(err)
		}
		now.archived = anchor.seq
		if err := t.row(`SELECT running FROM installation WHERE id = 1`, nil, &now.running); err != nil {
			return err
		}
		if err := t.unaccounted(&now); err != nil {
			return err
		}
		err = t.row(`SELECT hash FROM event WHERE chain = ? AND seq = ?`, []any{store.MainChain, vouched}, &now.hash)
		switch {
		case errors.Is(err, sql.ErrNoRows) && vouched == anchor.seq:
			now.hash = anchor.hash
		case errors.Is(err, sql.ErrNoRows):
		default:
			return err
		}
		return nil
	})
	return now, err
}
