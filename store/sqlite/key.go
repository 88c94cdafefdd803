package sqlite

import (
	"database/sql"
	"errors"
	"strings"

	"prax/auth"
	"prax/store"
)

// bareColumns are documentColumns without the body.
var bareColumns = strings.Replace(documentColumns, " body,", " '',", 1)

// byKey reads one document by its key. Its last two conditions are those of the index document_key:
// without them SQLite does not use it.
const byKey = `SELECT ` + documentColumns + ` FROM document WHERE ` + ownDocument + ` AND kind = ? AND namespace = ? AND key = ?
	AND key <> '' AND kind <> 'conversation'`

// KeyedDocument implements [store.Documents].
func (t *tx) KeyedDocument(s auth.Scope, k store.Kind, namespace, key string) (store.Document, error) {
	o, err := t.owner(s.User())
	if err != nil {
		return store.Document{}, err
	}
	d, err := scanDocument(func(into ...any) error {
		return t.row(byKey, []any{o.number, string(k), namespace, key}, into...)
	}, s.User())
	if errors.Is(err, sql.ErrNoRows) {
		return store.Document{}, store.ErrNotFound
	}
	return d, err
}
