package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"

	"prax/store"
)

// ArchiveName is the folder of a data directory in which a server keeps what it archives by itself.
const ArchiveName = "archive"

// archiveStep is how many events one transaction removes: the writer belongs to everybody.
const archiveStep = 64

var errArchiving = errors.New("an archiving is under way")

// Archive moves the events that lie before a moment out of the database, the zero time for all that there
// are: it verifies them, writes them to a new file, signs the anchor that the rest of the chain follows from
// then on, and removes them, in small transactions. Nothing is removed that is not on the disk before. to is a
// file that does not exist, or a directory, in which the file gets a name by its events. Nothing old enough is
// no error, and no file.
//
// It may be interrupted at any moment: what is left of the chain verifies, and each event is in it, in the
// archive, or in both.
func (db *DB) Archive(ctx context.Context, to string, before time.Time) (done store.Archived, err error) {
	if db.writer == nil {
		return done, store.ErrReadOnly
	}
	if err := db.enter(); err != nil {
		return done, err
	}
	defer db.active.Done()
	select {
	case db.mover <- struct{}{}:
		defer func() { <-db.mover }()
	default:
		return done, errArchiving
	}
	m := &mover{db: db, before: before, newest: db.committed.Load().seq}
	if done, err = m.export(ctx, to); err != nil || done.Last == 0 {
		return done, err
	}
	// A head that vouches for less than the anchor would look like an older one.
	if err := db.signHead(); err != nil {
		return done, err
	}
	return done, m.remove(ctx, done)
}

// mover is one archiving.
type mover struct {
	db     *DB
	before time.Time
	newest int64 // where it ends at the latest

	report store.Report
	first  int64
	walk   link // the last event that was written
}

// export writes the events to a file and names it when it is whole and on the disk.
func (m *mover) export(ctx context.Context, to string) (done store.Archived, err error) {
	problem, err := m.db.headProblem()
	if err != nil {
		return done, fmt.Errorf("archive: %w", err)
	}
	if problem != "" {
		return done, fmt.Errorf("archive: %w: %s", store.ErrNotWhole, problem)
	}
	f, err := createDraft(m.place(to))
	if err != nil {
		return done, fmt.Errorf("archive: %w", err)
	}
	defer f.discard()
	if err := m.copy(ctx, f); err != nil || m.first == 0 {
		return done, err
	}
	if err := f.publish(m.name(to)); err != nil {
		return done, fmt.Errorf("archive: %w", err)
	}
	reach("archive-written")
	return store.Archived{File: f.name, First: m.first, Last: m.walk.seq, SHA256: f.sum()}, nil
}

// place is the directory of the new file.
func (m *mover) place(to string) string {
	if isDirectory(to) {
		return to
	}
	return filepath.Dir(to)
}

// name is the new file, once it is known what is in it.
func (m *mover) name(to string) string {
	if !isDirectory(to) {
		return to
	}
	at := m.db.now().UTC().Format("20060102T150405Z")
	return filepath.Join(to, fmt.Sprintf("audit-%012d-%012d-%s.jsonl", m.first, m.walk.seq, at))
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// copy verifies and writes the events, and after them the anchor.
func (m *mover) copy(ctx context.Context, f *draft) error {
	for more := true; more; {
		next, err := m.db.stretchAfter(ctx, m.walk.seq)
		if err != nil {
			return fmt.Errorf("archive after event %d: %w", m.walk.seq, err)
		}
		m.walk = m.db.anchored(m.walk, next.anchor, &m.report)
		if more, err = m.write(f, next.stored); err != nil {
			return fmt.Errorf("archive after event %d: %w", m.walk.seq, err)
		}
	}
	if m.first == 0 {
		return nil
	}
	_, err := f.Write(store.EncodeAnchor(store.SignAnchor(m.db.key, m.walk.seq, m.walk.hash, m.db.now())))
	return err
}

// write writes those of a step that are to be archived; false when it is the last step.
func (m *mover) write(f *draft, stored []storedEvent) (more bool, err error) {
	for _, s := range stored {
		if s.seq > m.newest || !m.before.IsZero() && s.at >= m.before.UnixMilli() {
			return false, nil
		}
		m.walk = s.verify(m.walk, &m.report)
		if !m.report.OK() {
			return false, fmt.Errorf("%w: %s", store.ErrNotWhole, m.report.Problems[0])
		}
		e, err := s.event()
		if err != nil {
			return false, err
		}
		if err := exportEvent(f, e); err != nil {
			return false, err
		}
		if m.first == 0 {
			m.first = s.seq
		}
		reach("mid-archive")
	}
	return len(stored) == verifyStep, nil
}

// archiveEvent is the detail of the event that tells of an archiving. It stands in the transaction that
// removes the first events.
type archiveEvent struct {
	File   string `json:"file"`
	First  int64  `json:"first"`
	Last   int64  `json:"last"`
	SHA256 string `json:"sha256"`
}

// remove takes the archived events out of the database, a few at a time.
func (m *mover) remove(ctx context.Context, done store.Archived) error {
	text, err := json.Marshal(archiveEvent{store.SafeString(filepath.Base(done.File)), done.First, done.Last, done.SHA256}, json.Deterministic(true))
	if err != nil {
		return err
	}
	told := store.Event{Kind: store.EventArchive, At: m.db.now(), Outcome: "ok", Detail: string(text)}
	for from := done.First; from <= done.Last; from += archiveStep {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("interrupted: %s is whole, events %d to %d of it are also still in the chain: %w", done.File, from, done.Last, err)
		}
		to := min(from+archiveStep-1, done.Last)
		err := m.db.writer.insist(func(s store.Tx) error {
			if from == done.First {
				s.AddEvent(told)
			}
			return m.removeUpTo(s, to)
		})
		if err != nil {
			return fmt.Errorf("remove what %s has, up to event %d: %w", done.File, to, err)
		}
		reach("after-removal")
	}
	return nil
}

// removeUpTo moves the anchor and removes what it now vouches for.
func (m *mover) removeUpTo(s store.Tx, last int64) error {
	t, ours := s.(*tx)
	if !ours {
		return errNotOurs
	}
	var hash string
	if err := t.row(`SELECT hash FROM event WHERE chain = ? AND seq = ?`, []any{store.MainChain, last}, &hash); err != nil {
		return err
	}
	if err := t.setAnchor(store.SignAnchor(m.db.key, last, hash, m.db.now())); err != nil {
		return err
	}
	for _, text := range []string{`DELETE FROM block_user WHERE chain = ? AND seq <= ?`, `DELETE FROM event WHERE chain = ? AND seq <= ?`} {
		if _, err := t.exec(text, store.MainChain, last); err != nil {
			return err
		}
		reach("mid-removal")
	}
	return t.removeLeads(last)
}

// removeLeads removes the runs that lead to nothing else than what was archived.
func (t *tx) removeLeads(last int64) error {
	const gone = `(SELECT number FROM lead_run WHERE last <= ?)`
	for _, text := range []string{`DELETE FROM lead WHERE run IN ` + gone, `DELETE FROM lead_run WHERE last <= ?`} {
		if _, err := t.exec(text, last); err != nil {
			return err
		}
	}
	return nil
}

// ArchiveOld archives, into the data directory, what is older than keep.
func (db *DB) ArchiveOld(ctx context.Context, keep time.Duration) (store.Archived, error) {
	dir := db.path(ArchiveName)
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return store.Archived{}, fmt.Errorf("archive: %w", err)
	}
	return db.Archive(ctx, dir, db.now().Add(-keep))
}
