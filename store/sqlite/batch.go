package sqlite

import (
	"errors"
	"fmt"
	"time"
)

// together runs requests in one transaction. An error means that nothing of it was kept; then
// culprit is the request that the transaction died of, or nil when that is nobody in particular, as in the commit.
func (w *writer) together(next func() *request) (culprit *request, err error) {
	clear(w.events) // their strings
	w.events, w.changes, w.dirty = w.events[:0], w.changes[:0], false
	w.notes.begin()
	defer func() {
		if err != nil {
			w.db.suspect(err)
			w.db.trouble.Store(&err)
			w.rollback()
			w.db.memory.forget()
			w.db.config.Observe.Failed()
		}
	}()
	if err := w.begin(); err != nil {
		for next() != nil { // whoever waits is answered too
		}
		return nil, err
	}
	functions := 0
	for r := next(); r != nil; r = next() {
		if blamed, err := w.apply(r); err != nil {
			return blamed, err
		}
		if r.err == nil {
			functions++
		}
	}
	return nil, w.commit(functions)
}

// begin opens the transaction. A connection that cannot is replaced once: what a dying transaction
// left behind must not outlive it.
func (w *writer) begin() error {
	reach("before-begin")
	_, err := w.c.exec("BEGIN IMMEDIATE")
	if err != nil {
		if err = w.reconnect(); err == nil {
			_, err = w.c.exec("BEGIN IMMEDIATE")
		}
	}
	if err != nil {
		return fmt.Errorf("begin transaction: %w", fault(err))
	}
	reach("after-begin")
	return nil
}

func (w *writer) reconnect() error {
	fresh, err := connect(w.dsn)
	if err != nil {
		return err
	}
	_ = w.c.close()
	w.c = fresh
	return errors.Join(fresh.keepLog(true), w.limitPages())
}

// limitPages bounds the database: the setting is the connection's.
func (w *writer) limitPages() error {
	if w.db.maxPages.Load() == 0 {
		return nil
	}
	return w.c.script(fmt.Sprintf("PRAGMA max_page_count = %d", w.db.maxPages.Load()))
}

// apply runs one function. An error means that the transaction is dead, of the request that is returned, or of nobody in
// particular when there is none; what the function itself says is in the request.
func (w *writer) apply(r *request) (blamed *request, err error) {
	if !r.starts() {
		return nil, nil
	}
	t := &tx{db: w.db, ctx: background, c: w.c, events: w.events, changes: w.changes, notes: w.notes, mark: len(w.notes.moves)}
	w.current = r
	r.err = w.call(r, t)
	w.current = nil
	t.over = true
	reach("after-function")
	switch {
	case t.others:
		return nil, t.broken
	case t.broken != nil:
		return r, t.broken
	case r.err == nil:
		r.err = t.misuse
	}
	if r.err != nil {
		return r, w.undo(t)
	}
	return r, w.keep(t)
}

// keep keeps what one function did.
func (w *writer) keep(t *tx) error {
	if t.saved {
		if _, err := w.c.exec("RELEASE f"); err != nil {
			return fault(err)
		}
	}
	w.dirty = w.dirty || t.saved || len(t.events) > len(w.events) || len(w.notes.moves) > t.mark
	w.events, w.changes = t.events, t.changes
	return nil
}

// undo takes back what one function did.
func (w *writer) undo(t *tx) error {
	w.notes.cut(t.mark)
	if !t.saved {
		return nil
	}
	clear(w.notes.kept)
	for _, text := range []string{"ROLLBACK TO f", "RELEASE f"} {
		if _, err := w.c.exec(text); err != nil {
			return fault(err)
		}
	}
	return nil
}

// commit adds the events of those of the functions that succeeded and makes everything durable.
func (w *writer) commit(functions int) error {
	if !w.dirty {
		w.rollback()
		return nil
	}
	if err := w.notes.write(w.c, w.notes.moves); err != nil {
		return err
	}
	w.notes.written(len(w.notes.moves))
	reach("before-events")
	events := w.gathered()
	head, err := w.c.appendEvents(w.head, events)
	if err != nil {
		return fmt.Errorf("append events: %w", fault(err))
	}
	w.db.memory.begin(w.changes)
	reach("before-commit")
	began := time.Now()
	if _, err := w.c.exec("COMMIT"); err != nil {
		return fmt.Errorf("commit: %w", fault(err))
	}
	w.db.config.Observe.Committed(functions, time.Since(began))
	w.db.memory.commit(w.changes)
	clear(w.changes)
	w.db.keeper.runs.Add(leadRuns(events))
	moved := head != w.head
	w.head, w.folded = head, false
	w.db.committed.Store(&head)
	if moved {
		signal(w.db.keeper.moved)
	}
	w.db.trouble.Store(nil)
	w.db.lastCommit.Store(int64(time.Since(w.db.born)))
	reach("after-commit")
	return nil
}

// rollback ends the transaction if there still is one.
func (w *writer) rollback() {
	clear(w.notes.kept)
	_, _ = w.c.exec("ROLLBACK")
}
