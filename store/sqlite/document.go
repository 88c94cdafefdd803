package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"prax/auth"
	"prax/store"
)

const documentColumns = `id, kind, namespace, key, title, body, tags, source, source_type, importance, status, version, created, updated`

// scanDocument reads a row of documentColumns.
func scanDocument(scan func(...any) error, user string) (store.Document, error) {
	d := store.Document{User: user}
	var tags string
	var created, updated int64
	err := scan(&d.ID, &d.Kind, &d.Namespace, &d.Key, &d.Title, &d.Body, &tags, &d.Source,
		&d.SourceType, &d.Importance, &d.Status, &d.Version, &created, &updated)
	if err != nil {
		return d, err
	}
	if err := json.Unmarshal([]byte(tags), &d.Tags); err != nil {
		return d, fmt.Errorf("tags of document %s: %w", d.ID, err)
	}
	if len(d.Tags) == 0 {
		d.Tags = nil
	}
	d.Created, d.Updated = time.UnixMilli(created).UTC(), time.UnixMilli(updated).UTC()
	return d, nil
}

func encodeTags(tags []string) (string, error) {
	if len(tags) == 0 {
		return "[]", nil
	}
	text, err := json.Marshal(tags)
	if err != nil {
		return "", fmt.Errorf("tags: %w", err)
	}
	return string(text), nil
}

// owner is a user's row.
type owner struct {
	number, documents, bytes int64
}

// owner finds the row of a scope's user; ErrNotFound when the user keeps nothing.
func (t *tx) owner(user string) (owner, error) {
	var o owner
	err := t.row(`SELECT id, documents, bytes FROM owner WHERE user = ?`, []any{user}, &o.number, &o.documents, &o.bytes)
	if errors.Is(err, sql.ErrNoRows) {
		return o, store.ErrNotFound
	}
	return o, err
}

// newOwner finds the row, or makes it.
func (t *tx) newOwner(user string) (owner, error) {
	o, err := t.owner(user)
	if !errors.Is(err, store.ErrNotFound) {
		return o, err
	}
	if _, err := t.exec(`INSERT INTO owner (user) VALUES (?)`, user); err != nil {
		return o, err
	}
	return t.owner(user)
}

// room tells whether the quota lets a user keep so much more.
func (t *tx) room(o owner, documents, bytes int64) error {
	quota := t.db.quota
	if documents > 0 && o.documents+documents > quota.Documents {
		return fmt.Errorf("%w: a user keeps at most %d documents", store.ErrQuota, quota.Documents)
	}
	if bytes > 0 && o.bytes+bytes > quota.Bytes {
		return fmt.Errorf("%w: a user's documents have at most %d bytes together", store.ErrQuota, quota.Bytes)
	}
	return nil
}

// charge counts a change of what a user keeps. It comes after the change: one that is refused, because
// the key is taken, must leave no trace even if the caller's function goes on.
func (t *tx) charge(o owner, documents, bytes int64) error {
	_, err := t.exec(`UPDATE owner SET documents = documents + ?, bytes = bytes + ? WHERE id = ?`, documents, bytes, o.number)
	return err
}

// PutDocument implements [store.Documents].
func (t *tx) PutDocument(d store.Document) (store.Document, error) {
	if !t.writable() {
		return store.Document{}, store.ErrReadOnly
	}
	if err := d.Check(); err != nil {
		return store.Document{}, err
	}
	d = t.normalDocument(d)
	var err error
	if d.Version == 0 {
		d, err = t.createDocument(d)
	} else {
		d, err = t.replaceDocument(d)
	}
	switch {
	case err == nil:
		return d, nil
	case unique(err):
		return store.Document{}, fmt.Errorf("%w: the key is taken", store.ErrConflict)
	default:
		return store.Document{}, err
	}
}

// normalDocument is the document as it is read back.
func (t *tx) normalDocument(d store.Document) store.Document {
	now := t.db.now()
	if d.Created.IsZero() {
		d.Created = now
	}
	if d.Version > 0 {
		d.Updated = now
	} else if d.Updated.IsZero() {
		d.Updated = d.Created
	}
	d.Created = time.UnixMilli(d.Created.UnixMilli()).UTC()
	d.Updated = time.UnixMilli(d.Updated.UnixMilli()).UTC()
	if len(d.Tags) == 0 {
		d.Tags = nil
	}
	return d
}

func (t *tx) createDocument(d store.Document) (store.Document, error) {
	o, err := t.newOwner(d.User)
	if err != nil {
		return d, err
	}
	if err := t.room(o, 1, int64(len(d.Body))); err != nil {
		return d, err
	}
	if d.ID == "" {
		d.ID = store.NewID()
	}
	d.Version = 1
	tags, err := encodeTags(d.Tags)
	if err != nil {
		return d, err
	}
	seq, err := t.nextDocument()
	if err != nil {
		return d, err
	}
	_, err = t.exec(`INSERT INTO document (seq, owner, `+documentColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		seq, o.number, d.ID, string(d.Kind), d.Namespace, d.Key, d.Title, d.Body, tags, d.Source, d.SourceType,
		d.Importance, d.Status, d.Version, d.Created.UnixMilli(), d.Updated.UnixMilli())
	if err != nil {
		return d, err
	}
	if err := t.charge(o, 1, int64(len(d.Body))); err != nil {
		return d, err
	}
	return d, t.indexDocument(seq, o.number, d)
}

// nextDocument is the place of the document that is written now: after all others.
func (t *tx) nextDocument() (int64, error) {
	var seq int64
	err := t.row(`SELECT coalesce(max(seq), 0) + 1 FROM document`, nil, &seq)
	return seq, err
}

func (t *tx) replaceDocument(d store.Document) (store.Document, error) {
	o, err := t.owner(d.User)
	if err != nil {
		return d, err
	}
	old, err := t.keptDocument(o, d.ID)
	if err != nil {
		return d, err
	}
	if old.version != d.Version {
		return d, fmt.Errorf("%w: the document has version %d, not %d", store.ErrConflict, old.version, d.Version)
	}
	grown := int64(len(d.Body)) - old.bytes
	if err := t.room(o, 0, grown); err != nil {
		return d, err
	}
	d.Version++
	d.Created = time.UnixMilli(old.created).UTC()
	tags, err := encodeTags(d.Tags)
	if err != nil {
		return d, err
	}
	seq, err := t.nextDocument()
	if err != nil {
		return d, err
	}
	_, err = t.exec(`UPDATE document SET seq = ?, kind = ?, namespace = ?, key = ?, title = ?, body = ?, tags = ?, source = ?,
		source_type = ?, importance = ?, status = ?, version = ?, updated = ? WHERE seq = ?`,
		seq, string(d.Kind), d.Namespace, d.Key, d.Title, d.Body, tags, d.Source, d.SourceType, d.Importance,
		d.Status, d.Version, d.Updated.UnixMilli(), old.seq)
	if err != nil {
		return d, err
	}
	if err := t.charge(o, 0, grown); err != nil {
		return d, err
	}
	if _, err := t.exec(`DELETE FROM document_word WHERE rowid = ?`, old.seq); err != nil {
		return d, err
	}
	return d, t.indexDocument(seq, o.number, d)
}

// kept is what a change needs to know about the document that it changes.
type kept struct {
	seq, version, bytes, created int64
}

func (t *tx) keptDocument(o owner, id string) (kept, error) {
	var k kept
	err := t.row(`SELECT seq, version, octet_length(body), created FROM document WHERE `+ownDocument+` AND id = ?`,
		[]any{o.number, id}, &k.seq, &k.version, &k.bytes, &k.created)
	if errors.Is(err, sql.ErrNoRows) {
		return k, store.ErrNotFound
	}
	return k, err
}

// DeleteDocument implements [store.Documents].
func (t *tx) DeleteDocument(s auth.Scope, id string) error {
	if !t.writable() {
		return store.ErrReadOnly
	}
	o, err := t.owner(s.User())
	if err != nil {
		return err
	}
	old, err := t.keptDocument(o, id)
	if err != nil {
		return err
	}
	if err := t.charge(o, -1, -old.bytes); err != nil {
		return err
	}
	if _, err := t.exec(`DELETE FROM document WHERE seq = ?`, old.seq); err != nil {
		return err
	}
	_, err = t.exec(`DELETE FROM document_word WHERE rowid = ?`, old.seq)
	return err
}

// Document implements [store.Documents].
func (t *tx) Document(s auth.Scope, id string) (store.Document, error) {
	o, err := t.owner(s.User())
	if err != nil {
		return store.Document{}, err
	}
	d, err := scanDocument(func(into ...any) error {
		return t.row(`SELECT `+documentColumns+` FROM document WHERE `+ownDocument+` AND id = ?`, []any{o.number, id}, into...)
	}, s.User())
	if errors.Is(err, sql.ErrNoRows) {
		return store.Document{}, store.ErrNotFound
	}
	return d, err
}
