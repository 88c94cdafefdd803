package sqlite

import (
	"bytes"
	"database/sql"
	"errors"
	"slices"

	"github.com/go-json-experiment/json"

	"prax/auth"
	"prax/store"
)

// Traces implements [store.Events]. f must not use the store.
func (t *tx) Traces(s auth.Scope, f func(store.Trace) bool) error {
	return t.traces(s, traceWalk{f: f})
}

// Observed implements [store.Events]. f must not use the store.
func (t *tx) Observed(s auth.Scope, f func(store.Event) bool) error {
	return t.traces(s, traceWalk{workflow: true, f: func(trace store.Trace) bool { return f(trace.Event) }})
}

// The ways from a user to its calls, and to what it did in workflows, newest first, where they have rows of their own;
// and to a row that users share.
const (
	callsOf     = leadsOf + ` AND b.pos < 4294967296` + leadsEnd
	workflowsOf = leadsOf + ` AND b.pos >= 4294967296 AND b.pos < 8589934592` + leadsEnd
	sharedRow   = `SELECT calls FROM block_user WHERE chain = ? AND seq = ? AND pos = ?`

	leadsOf = `SELECT b.seq, e.hash, b.calls, coalesce(json_array_length(b.calls), 1), CASE WHEN b.calls IS NULL THEN e.body ELSE '' END
		FROM block_user b JOIN event e ON e.chain = b.chain AND e.seq = b.seq WHERE ` + ownCalls + ` AND b.chain = ?`
	leadsEnd = ` ORDER BY b.seq DESC LIMIT ?`
)

// traceWalk is a walk from a user to its traces, newest first.
type traceWalk struct {
	t        *tx
	user     string
	workflow bool   // along what the user did in workflows; else along its calls
	needle   []byte // what has not these bytes in it is not decoded, but counts; nil: everything is
	f        func(store.Trace) bool
	leads    []lead // to the shared rows that are to come
	left     int    // of store.MaxTraces
	over     bool
}

// traces goes along rows of the user's own and leads to shared ones at once.
func (t *tx) traces(s auth.Scope, w traceWalk) (err error) {
	if s.User() == "" {
		return nil
	}
	if err := t.turn(s.User()); err != nil {
		return err
	}
	w.t, w.user, w.left = t, s.User(), store.MaxTraces
	if w.leads, err = t.leadsTo(w.user, w.workflow); err != nil {
		return err
	}
	way := callsOf
	if w.workflow {
		way = workflowsOf
	}
	err = t.list(func(rows *sql.Rows) error {
		var r callText
		if err := rows.Scan(&r.seq, &r.hash, &r.calls, &r.count, &r.body); err != nil {
			return err
		}
		if err := w.sharedAfter(r.seq); err != nil {
			return err
		}
		return w.take(r)
	}, way, w.user, store.MainChain, store.MaxTraces)
	if err != nil || w.over {
		return err
	}
	if err = w.sharedAfter(0); errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// sharedAfter takes the shared rows of events after this one.
func (w *traceWalk) sharedAfter(seq int64) error {
	for len(w.leads) > 0 && w.leads[0].seq > seq {
		l := w.leads[0]
		w.leads = w.leads[1:]
		if err := w.t.ctx.Err(); err != nil {
			return w.t.ended(err)
		}
		var text string
		err := w.t.row(sharedRow, []any{store.MainChain, l.seq, sharedPos + l.place}, &text)
		if errors.Is(err, sql.ErrNoRows) {
			continue // archived: its run also leads to others
		}
		if err != nil {
			return err
		}
		r := callText{seq: l.seq, shared: true}
		if r.calls.String, r.count, err = store.CallsOf([]byte(text), w.user); err != nil {
			return err
		}
		r.calls.Valid = true
		if err := w.take(r); err != nil {
			return err
		}
	}
	return nil
}

// take hands on the calls of a row; errEnough when none are wanted any more.
func (w *traceWalk) take(r callText) error {
	calls, err := r.traces(w.needle)
	if err != nil {
		return err
	}
	if r.shared && len(calls) > 0 && (calls[0].Kind == store.EventWorkflow) != w.workflow {
		return nil // a row of the other way, to which a lead with the same key leads
	}
	for _, call := range calls {
		if w.left--; w.left < 0 || !w.f(call) {
			w.over = true
			return errEnough
		}
	}
	if w.left -= r.skipped(calls); w.left <= 0 {
		w.over = true
		return errEnough
	}
	return nil
}

// callText is a row that leads to calls of one user.
type callText struct {
	seq   int64
	hash  string
	calls sql.NullString
	count int
	body  string

	shared bool // it stands among those of others: all that such a row has is of one way
}

func (r callText) skipped(calls []store.Trace) int { return r.count - len(calls) }

// traces are the calls of the row, newest first.
func (r callText) traces(needle []byte) ([]store.Trace, error) {
	text := []byte(r.calls.String)
	if !r.calls.Valid {
		text = []byte(r.body)
	}
	if needle != nil && !bytes.Contains(text, needle) {
		return nil, nil
	}
	if !r.calls.Valid {
		e, err := store.DecodeEvent(text)
		e.Hash = r.hash
		return []store.Trace{{Event: e}}, err
	}
	calls, err := store.DecodeCalls(text)
	if err != nil {
		return nil, err
	}
	slices.Reverse(calls)
	traces := make([]store.Trace, len(calls))
	for i, call := range calls {
		traces[i] = store.Trace{Event: call, Block: r.seq}
	}
	return traces, nil
}

// Trace implements [store.Events]. It finds what Traces would come by.
func (t *tx) Trace(s auth.Scope, requestID string) (store.Trace, error) {
	id := store.SafeString(requestID)
	needle, err := json.Marshal(id)
	if err != nil || id == "" {
		return store.Trace{}, store.ErrNotFound
	}
	var found *store.Trace
	err = t.traces(s, traceWalk{needle: needle, f: func(trace store.Trace) bool {
		if trace.RequestID == id {
			found = &trace
		}
		return found == nil
	}})
	switch {
	case err != nil:
		return store.Trace{}, err
	case found == nil:
		return store.Trace{}, store.ErrNotFound
	}
	return *found, nil
}
