package sqlite

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"prax/auth"
	"prax/store"
)

// The ways to a scope's instances, newest first: each is a walk along one index, and stops at the limit.
const (
	walkAll    = `SELECT number FROM instance WHERE number < ?`
	walkUser   = `SELECT number FROM instance WHERE number < ? AND ` + ownUser
	walkShared = `SELECT number FROM instance WHERE number < ? AND definition = ? AND shared = 1`
	walkEnd    = ` ORDER BY number DESC LIMIT ?`

	instanceByNumber = `SELECT ` + instanceColumns + ` FROM instance WHERE number = ?`
)

// statuses are the parts of a walk along the index by user and status.
var statuses = []store.Status{store.Open, store.Completed, store.Cancelled}

// walk is one way: its rows are the newest of those that it leads to.
type walk struct {
	text string
	args []any // after the number
}

// restrict narrows a walk to rows with a value in a column; "" does not.
func (w walk) restrict(column, value string) walk {
	if value == "" {
		return w
	}
	return walk{w.text + ` AND ` + column + ` = ?`, append(slices.Clone(w.args), value)}
}

// ListInstances implements [store.Instances].
func (t *tx) ListInstances(s auth.Scope, f store.InstanceFilter) ([]store.ListedInstance, error) {
	if s.User() == "" {
		return nil, nil
	}
	if err := t.turn(s.User()); err != nil {
		return nil, err
	}
	walks, err := t.instanceWalks(s, f)
	if err != nil {
		return nil, err
	}
	limit := store.PageSize(f.Limit)
	numbers := newestNumbers{limit: limit, before: f.Before}
	for _, w := range walks {
		if err := t.walk(w, &numbers); err != nil {
			return nil, err
		}
	}
	return t.numbered(s, numbers.all)
}

// instanceWalks are the ways to all that the scope covers and the filter lets through.
func (t *tx) instanceWalks(s auth.Scope, f store.InstanceFilter) ([]walk, error) {
	narrow := func(w walk) walk {
		return w.restrict("definition", f.DefinitionID).restrict("status", string(f.Status))
	}
	if s.Oversees().All() && f.User == "" {
		return []walk{narrow(walk{text: walkAll})}, nil
	}
	var walks []walk
	for user := range seenUsers(s, f.User) {
		for _, status := range statuses {
			if f.Status == "" || f.Status == status {
				w := walk{walkUser, []any{user}}.restrict("status", string(status)).restrict("definition", f.DefinitionID)
				walks = append(walks, w)
			}
		}
	}
	shared, err := t.sharedDefinitions(s, f.DefinitionID)
	for _, id := range shared {
		walks = append(walks, walk{walkShared, []any{id}}.restrict("status", string(f.Status)).restrict("user", f.User))
	}
	return walks, err
}

// seenUsers are the users all of whose instances the scope covers; only one of them when it is named.
func seenUsers(s auth.Scope, only string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		if only != "" {
			if only == s.User() || s.Oversees().Has(only) {
				yield(only)
			}
			return
		}
		if !yield(s.User()) {
			return
		}
		for user := range s.Oversees().Each() {
			if user != s.User() && !yield(user) {
				return
			}
		}
	}
}

// sharedDefinitions are the ids of the stored definitions that the scope may use; only one of them when it
// is named. Patterns are not for SQL.
func (t *tx) sharedDefinitions(s auth.Scope, only string) ([]string, error) {
	if only != "" {
		if store.Granted(s.Definitions(), only) {
			return []string{only}, nil
		}
		return nil, nil
	}
	if !s.Definitions().All() && s.Definitions().Len() == 0 {
		return nil, nil
	}
	var ids []string
	err := t.list(func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		if store.Granted(s.Definitions(), id) {
			ids = append(ids, id)
		}
		return err
	}, definitionIDs)
	return ids, err
}

// newestNumbers gathers the largest numbers of several walks, each once.
type newestNumbers struct {
	limit  int
	before int64 // exclusive; 0: no bound
	all    []int64
}

func (n *newestNumbers) add(more []int64) {
	n.all = append(n.all, more...)
	slices.SortFunc(n.all, func(a, b int64) int { return cmp.Compare(b, a) })
	n.all = slices.Compact(n.all)
	n.all = n.all[:min(len(n.all), n.limit)]
}

func (t *tx) walk(w walk, into *newestNumbers) error {
	before := into.before
	if before <= 0 {
		before = endOfNumbers
	}
	var more []int64
	args := append(append([]any{before}, w.args...), into.limit)
	err := t.list(func(rows *sql.Rows) error {
		var number int64
		err := rows.Scan(&number)
		more = append(more, number)
		return err
	}, w.text+walkEnd, args...)
	into.add(more)
	return err
}

// endOfNumbers is behind the last number there can be.
const endOfNumbers = 1<<63 - 1

// numbered reads the instances with these numbers, as many as fit in one answer.
func (t *tx) numbered(s auth.Scope, numbers []int64) ([]store.ListedInstance, error) {
	var all []store.ListedInstance
	room := pageRoom{}
	for _, number := range numbers {
		i, err := t.instance(s, instanceByNumber, number)
		if err != nil {
			return nil, fmt.Errorf("instance %d: %w", number, err)
		}
		if !room.take(i.Bytes() + i.StartBytes()) {
			break
		}
		all = append(all, i)
	}
	return all, nil
}

const (
	dueInstances = `SELECT ` + instanceColumns + ` FROM instance INDEXED BY instance_due WHERE status = 'open' AND due IS NOT NULL AND due <= ?` + unblocked + ` ORDER BY due, number LIMIT ?`
	nextDue      = `SELECT due FROM instance INDEXED BY instance_due WHERE status = 'open' AND due IS NOT NULL` + unblocked + ` ORDER BY due LIMIT 1`
	unblocked    = ` AND NOT EXISTS (SELECT 1 FROM attempt a WHERE a.instance = instance.number AND a.ended IS NULL)`
)

// DueInstances implements [store.Instances].
func (t *tx) DueInstances(now time.Time, limit int) ([]store.Instance, error) {
	var all []store.Instance
	room := pageRoom{}
	err := t.list(func(rows *sql.Rows) error {
		i, err := scanInstance(rows.Scan)
		if err != nil {
			return err
		}
		if !room.take(i.Bytes() + i.StartBytes()) {
			return errEnough
		}
		all = append(all, i.Instance)
		return nil
	}, dueInstances, now.UnixMilli(), store.PageSize(limit))
	return all, err
}

// NextDue implements [store.Instances].
func (t *tx) NextDue() (time.Time, error) {
	var due sql.NullInt64
	err := t.row(nextDue, nil, &due)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return later(due), err
}
