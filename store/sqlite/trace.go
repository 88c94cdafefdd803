package sqlite

import (
	"bytes"
	"database/sql"
	"slices"

	"github.com/go-json-experiment/json"

	"prax/auth"
	"prax/store"
)

// Traces implements [store.Events]. f must not use the store.
func (t *tx) Traces(s auth.Scope, f func(store.Trace) bool) error {
	return t.traces(s, callsOf, nil, f)
}

// Observed implements [store.Events]. f must not use the store.
func (t *tx) Observed(s auth.Scope, f func(store.Event) bool) error {
	return t.traces(s, workflowsOf, nil, func(trace store.Trace) bool { return f(trace.Event) })
}

// The ways from a user to its calls, and to what it did in workflows, newest first.
const (
	callsOf     = leadsOf + ` AND b.pos < 4294967296` + leadsEnd
	workflowsOf = leadsOf + ` AND b.pos >= 4294967296` + leadsEnd

	leadsOf = `SELECT b.seq, e.hash, b.calls, coalesce(json_array_length(b.calls), 1), CASE WHEN b.calls IS NULL THEN e.body ELSE '' END
		FROM block_user b JOIN event e ON e.chain = b.chain AND e.seq = b.seq WHERE ` + ownCalls + ` AND b.chain = ?`
	leadsEnd = ` ORDER BY b.seq DESC LIMIT ?`
)

// traces walks one of these ways. With needle, it decodes only what has these bytes in it; the others count
// all the same.
func (t *tx) traces(s auth.Scope, way string, needle []byte, f func(store.Trace) bool) error {
	if s.User() == "" {
		return nil
	}
	if err := t.turn(s.User()); err != nil {
		return err
	}
	left := store.MaxTraces
	return t.list(func(rows *sql.Rows) error {
		var r callText
		if err := rows.Scan(&r.seq, &r.hash, &r.calls, &r.count, &r.body); err != nil {
			return err
		}
		calls, err := r.traces(needle)
		if err != nil {
			return err
		}
		for _, call := range calls {
			if left--; left < 0 || !f(call) {
				return errEnough
			}
		}
		if left -= r.skipped(calls); left <= 0 {
			return errEnough
		}
		return nil
	}, way, s.User(), store.MainChain, store.MaxTraces)
}

// callText is a row that leads to calls of one user.
type callText struct {
	seq   int64
	hash  string
	calls sql.NullString
	count int
	body  string
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
	err = t.traces(s, callsOf, needle, func(trace store.Trace) bool {
		if trace.RequestID == id {
			found = &trace
		}
		return found == nil
	})
	switch {
	case err != nil:
		return store.Trace{}, err
	case found == nil:
		return store.Trace{}, store.ErrNotFound
	}
	return *found, nil
}
