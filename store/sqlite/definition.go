package sqlite

import (
	"database/sql"
	"errors"
	"fmt"

	"prax/store"
	"prax/store/digest"
)

const definitionColumns = `id, version, hash, text, created`

const (
	definitionByHash    = `SELECT ` + definitionColumns + ` FROM definition WHERE id = ? AND hash = ?`
	definitionByVersion = `SELECT hash FROM definition WHERE id = ? AND version = ?`
	lastDefinition      = `SELECT coalesce(max(version), 0) FROM definition WHERE id = ?`
	definitionIDs       = `SELECT DISTINCT id FROM definition`
	openDefinitions     = `SELECT DISTINCT definition, hash FROM instance INDEXED BY instance_open WHERE status = 'open' ORDER BY definition, hash`
)

// PutDefinition implements [store.Definitions].
func (t *tx) PutDefinition(d store.Definition) (store.Definition, error) {
	if !t.writable() {
		return store.Definition{}, store.ErrReadOnly
	}
	if err := d.Check(); err != nil {
		return store.Definition{}, err
	}
	if digest.Hex(d.Text) != d.Hash {
		return store.Definition{}, errors.New("the hash of the definition is not that of its text")
	}
	if err := t.sameContent(d); err != nil {
		return store.Definition{}, err
	}
	kept, err := t.Definition(d.ID, d.Hash)
	if !errors.Is(err, store.ErrNotFound) {
		return kept, err
	}
	return t.createDefinition(d)
}

// sameContent tells whether a declared version is still free, or this content's.
func (t *tx) sameContent(d store.Definition) error {
	if d.Version == 0 {
		return nil
	}
	var hash string
	err := t.row(definitionByVersion, []any{d.ID, d.Version}, &hash)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return err
	case hash != d.Hash:
		return fmt.Errorf("%w: version %d of the definition is stored with another content", store.ErrConflict, d.Version)
	default:
		return nil
	}
}

func (t *tx) createDefinition(d store.Definition) (store.Definition, error) {
	d.Created = store.Milliseconds(stamped(d.Created, t.db.now()))
	if d.Version == 0 {
		if err := t.row(lastDefinition, []any{d.ID}, &d.Version); err != nil {
			return store.Definition{}, err
		}
		d.Version++
	}
	_, err := t.exec(`INSERT INTO definition (`+definitionColumns+`) VALUES (?, ?, ?, ?, ?)`,
		d.ID, d.Version, d.Hash, string(d.Text), d.Created.UnixMilli())
	if err != nil {
		return store.Definition{}, err
	}
	return d, nil
}

// Definition implements [store.Definitions].
func (t *tx) Definition(id, hash string) (store.Definition, error) {
	var d store.Definition
	var created int64
	err := t.row(definitionByHash, []any{id, hash}, &d.ID, &d.Version, &d.Hash, (*[]byte)(&d.Text), &created)
	if err != nil {
		return store.Definition{}, missing(err)
	}
	d.Created = moment(created)
	return d, nil
}

// OpenDefinitions implements [store.Instances].
func (t *tx) OpenDefinitions() ([]store.Definition, error) {
	var all []store.Definition
	err := t.list(func(rows *sql.Rows) error {
		var d store.Definition
		if err := rows.Scan(&d.ID, &d.Hash); err != nil {
			return err
		}
		all = append(all, d)
		return nil
	}, openDefinitions)
	return all, err
}
