package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"prax/auth"
	"prax/store"
)

const (
	ownColumns = `number, id, user, client, run_id, trace_id, definition, definition_version, hash, shared, state, version, status,
	due, created, updated, ended, reason, summary, memo, input, context`
	instanceColumns = ownColumns + `, lent`

	instanceReach = `SELECT number, user, definition, shared FROM instance WHERE id = ? AND ` + ownInstance
	instanceByID  = `SELECT ` + instanceColumns + ` FROM instance WHERE id = ? AND ` + ownInstance
	instanceByRun = `SELECT ` + instanceColumns + ` FROM instance WHERE ` + ownUser + ` AND run_id = ? AND run_id <> ''`
)

// scanInstance reads a row of instanceColumns.
func scanInstance(scan func(...any) error) (store.ListedInstance, error) {
	var i store.ListedInstance
	var due, ended sql.NullInt64
	var created, updated int64
	err := scan(&i.Number, &i.ID, &i.User, &i.Client, &i.RunID, &i.TraceID, &i.DefinitionID, &i.DefinitionVersion, &i.DefinitionHash,
		&i.Shared, &i.State, &i.Version, &i.Status, &due, &created, &updated, &ended, &i.Reason, &i.Summary,
		(*[]byte)(&i.Memo), (*[]byte)(&i.Input), (*[]byte)(&i.Context), &i.Grant)
	i.Due, i.Created, i.Updated, i.Ended = later(due), moment(created), moment(updated), later(ended)
	return i, err
}

// Instance implements [store.Store]. What memory has is judged as what is read.
func (db *DB) Instance(ctx context.Context, s auth.Scope, id string) (store.Instance, error) {
	if db.memory == nil {
		i, err := db.readInstance(ctx, s, id)
		return i.Instance, err
	}
	if err := db.enter(); err != nil {
		return store.Instance{}, err
	}
	defer db.active.Done()
	if err := ctx.Err(); err != nil {
		return store.Instance{}, err
	}
	i, known, number := db.memory.instance(id)
	switch {
	case !known:
		return db.learnInstance(ctx, s, id, number)
	case !covers(s, i):
		return store.Instance{}, store.ErrNotFound
	}
	return i, nil
}

// learnInstance reads an instance, for memory too.
func (db *DB) learnInstance(ctx context.Context, s auth.Scope, id string, number int64) (store.Instance, error) {
	var found *store.ListedInstance
	defer func() { db.memory.learn(id, number, found) }()
	i, err := db.readInstance(ctx, s, id)
	if err == nil {
		found = &i
	}
	return i.Instance, err
}

func (db *DB) readInstance(ctx context.Context, s auth.Scope, id string) (i store.ListedInstance, err error) {
	err = db.View(ctx, func(t store.Tx) (err error) {
		i, err = t.(*tx).listedInstance(s, id)
		return err
	})
	return i, err
}

// Instance implements [store.Instances].
func (t *tx) Instance(s auth.Scope, id string) (store.Instance, error) {
	i, err := t.listedInstance(s, id)
	return i.Instance, err
}

func (t *tx) listedInstance(s auth.Scope, id string) (store.ListedInstance, error) {
	return t.instance(s, instanceByID, id, s.User(), oversees(s))
}

// covered tells where the instance with this id is and who may see it, if the scope covers it: for reads of
// what belongs to it.
func (t *tx) covered(s auth.Scope, id string) (i store.ListedInstance, err error) {
	if s.User() == "" {
		return i, store.ErrNotFound
	}
	err = t.row(instanceReach, []any{id, s.User(), oversees(s)}, &i.Number, &i.User, &i.DefinitionID, &i.Shared)
	if err == nil && !covers(s, i.Instance) {
		err = store.ErrNotFound
	}
	return i, missing(err)
}

// oversees tells whether the scope has more users than its own, for ownInstance.
func oversees(s auth.Scope) bool { return s.Oversees().All() || s.Oversees().Len() > 0 }

// RunInstance implements [store.Instances].
func (t *tx) RunInstance(s auth.Scope, runID string) (store.Instance, error) {
	i, err := t.instance(s, instanceByRun, s.User(), runID)
	return i.Instance, err
}

// instance reads one row, and judges it.
func (t *tx) instance(s auth.Scope, text string, args ...any) (store.ListedInstance, error) {
	if s.User() == "" {
		return store.ListedInstance{}, store.ErrNotFound
	}
	i, err := scanInstance(func(into ...any) error { return t.row(text, args, into...) })
	if err != nil {
		return store.ListedInstance{}, missing(err)
	}
	if !covers(s, i.Instance) {
		return store.ListedInstance{}, store.ErrNotFound
	}
	return i, nil
}

// CreateInstance implements [store.Instances].
func (t *tx) CreateInstance(i store.Instance, first store.Step, evidence []store.Evidence) error {
	if !t.writable() {
		return store.ErrReadOnly
	}
	if err := store.CheckStart(i, first, evidence); err != nil {
		return err
	}
	i = i.Normal()
	history := store.Move{Steps: []store.Step{first}, Evidence: evidence}
	kept := i.StartBytes() + i.Bytes() + history.Bytes()
	number, err := t.startable(i, kept)
	if err != nil {
		return err
	}
	err = t.insertInstance(number, i, kept, len(evidence))
	if unique(err) {
		return fmt.Errorf("%w: the run id, or the id, is taken", store.ErrConflict)
	}
	if err != nil {
		return err
	}
	if err := t.keepHistory(number, 0, history); err != nil {
		return t.whole(err)
	}
	if err := t.chargeInstances(i.User, opened(i.Status), kept); err != nil {
		return t.whole(err)
	}
	t.changed(change{next: i, number: number, free: true})
	return nil
}

// startingBy is all that a start needs to know. It is a row for a user without one too.
const startingBy = `SELECT EXISTS (SELECT 1 FROM definition WHERE id = ? AND hash = ?), (SELECT coalesce(max(number), 0) + 1 FROM instance),
	count(*), coalesce(max(instances), 0), coalesce(max(instance_bytes), 0) FROM owner WHERE user = ?`

// startable tells whether a user may start one more instance, of a definition that is there, and which number it gets.
func (t *tx) startable(i store.Instance, kept int64) (number int64, err error) {
	var defined, known bool
	var open, bytes int64
	if err := t.row(startingBy, []any{i.DefinitionID, i.DefinitionHash, i.User}, &defined, &number, &known, &open, &bytes); err != nil {
		return 0, err
	}
	if !defined {
		return 0, fmt.Errorf("definition of the instance: %w", store.ErrNotFound)
	}
	if most := t.db.quota.Instances; open+opened(i.Status) > most {
		return 0, fmt.Errorf("%w: a user has at most %d open instances", store.ErrQuota, most)
	}
	if err := t.instanceRoom(bytes, kept); err != nil || known {
		return number, err
	}
	_, err = t.newOwner(i.User)
	return number, err
}

// opened is what an instance of this status adds to its user's open ones.
func opened(s store.Status) int64 {
	if s == store.Open {
		return 1
	}
	return 0
}

// instancesOf tells how many instances of a user are open, and what all of them keep.
func (t *tx) instancesOf(user string) (open, bytes int64, err error) {
	err = t.row(`SELECT instances, instance_bytes FROM owner WHERE user = ?`, []any{user}, &open, &bytes)
	return open, bytes, err
}

func (t *tx) instanceRoom(kept, more int64) error {
	if most := t.db.quota.InstanceBytes; more > 0 && kept+more > most {
		return fmt.Errorf("%w: a user's instances have at most %d bytes together", store.ErrQuota, most)
	}
	return nil
}

const chargeOwner = `UPDATE owner SET instances = instances + ?, instance_bytes = instance_bytes + ? WHERE user = ?`

func (t *tx) chargeInstances(user string, open, bytes int64) error {
	_, err := t.exec(chargeOwner, open, bytes, user)
	delete(t.notes.kept, user)
	return err
}

func (t *tx) insertInstance(number int64, i store.Instance, kept int64, evidence int) error {
	_, err := t.exec(`INSERT INTO instance (`+ownColumns+`, bytes, evidence)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		number, i.ID, i.User, i.Client, i.RunID, i.TraceID, i.DefinitionID, i.DefinitionVersion, i.DefinitionHash, i.Shared,
		i.State, i.Version, string(i.Status), millis(i.Due), i.Created.UnixMilli(), i.Updated.UnixMilli(), millis(i.Ended),
		i.Reason, i.Summary, string(i.Memo), string(i.Input), string(i.Context), kept, evidence)
	return t.lend(`UPDATE instance SET lent = ? WHERE number = ?`, i.Grant, number, err)
}

// lend adds to a row that was inserted, unless that failed, the grant under which it was: few have one.
func (t *tx) lend(text, grant string, key any, err error) error {
	if err == nil && grant != "" {
		_, err = t.exec(text, grant, key)
		err = t.whole(err)
	}
	return err
}

// keeps tells whether there is a row in a table; a file that is older than the table has none.
func (t *tx) keeps(table string) (some bool, err error) {
	err = t.row(`SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?)`, []any{table}, &some)
	if err != nil || !some {
		return false, err
	}
	err = t.row(`SELECT EXISTS (SELECT 1 FROM `+table+`)`, nil, &some)
	return some, err
}
