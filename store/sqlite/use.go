package sqlite

import (
	"database/sql"

	"prax/store"
)

const (
	usesAll  = `SELECT client, token, at FROM client_use ORDER BY client, at DESC, token`
	usesKept = `DELETE FROM client_use WHERE client = ?1
		AND token NOT IN (SELECT token FROM client_use WHERE client = ?1 ORDER BY at DESC, token LIMIT ?2)`
)

// NoteUse implements [store.Uses].
func (t *tx) NoteUse(u store.Use) error {
	if !t.writable() {
		return store.ErrReadOnly
	}
	if err := u.Check(); err != nil {
		return err
	}
	known, err := t.exec(`UPDATE client_use SET at = max(at, ?) WHERE client = ? AND token = ?`, u.At.UnixMilli(), u.Client, u.Token)
	if err != nil || known > 0 {
		return err
	}
	if _, err := t.exec(`INSERT INTO client_use (client, token, at) VALUES (?, ?, ?)`, u.Client, u.Token, u.At.UnixMilli()); err != nil {
		return err
	}
	_, err = t.exec(usesKept, u.Client, store.KeptUses)
	return t.whole(err)
}

// Uses implements [store.Uses]. A file of before there were any has none.
func (t *tx) Uses() (all []store.Use, err error) {
	var has bool
	if err := t.row(`SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'client_use')`, nil, &has); err != nil || !has {
		return nil, err
	}
	err = t.list(func(rows *sql.Rows) error {
		var u store.Use
		var at int64
		if err := rows.Scan(&u.Client, &u.Token, &at); err != nil {
			return err
		}
		u.At = moment(at)
		all = append(all, u)
		return nil
	}, usesAll)
	return all, err
}
