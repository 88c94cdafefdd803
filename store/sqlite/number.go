package sqlite

import (
	"prax/auth"
	"prax/store"
)

// NextNumber implements [store.Numbers].
func (t *tx) NextNumber(s auth.Scope, k store.Kind) (int64, error) {
	if !t.writable() {
		return 0, store.ErrReadOnly
	}
	if err := (store.Document{User: s.User(), Kind: k}).Check(); err != nil {
		return 0, err
	}
	o, err := t.newOwner(s.User())
	if err != nil {
		return 0, err
	}
	if _, err := t.exec(`INSERT INTO counter (owner, kind, last) VALUES (?, ?, 1)
		ON CONFLICT (owner, kind) DO UPDATE SET last = last + 1`, o.number, string(k)); err != nil {
		return 0, err
	}
	var last int64
	err = t.row(`SELECT last FROM counter WHERE `+ownDocument+` AND kind = ?`, []any{o.number, string(k)}, &last)
	return last, err
}
