package sqlite

import (
	"database/sql"
	"fmt"
	"time"

	"prax/auth"
	"prax/store"
)

const (
	epochsAll  = `SELECT client, number, seal FROM epoch ORDER BY client`
	revokedAll = `SELECT id, until FROM revoked_token WHERE until > ? ORDER BY id`
)

// Epochs implements [store.Epochs].
func (t *tx) Epochs() (all []store.Epoch, err error) {
	err = t.list(func(rows *sql.Rows) error {
		var e store.Epoch
		if err := rows.Scan(&e.Client, &e.Number, &e.Seal); err != nil {
			return err
		}
		all = append(all, e)
		return nil
	}, epochsAll)
	return all, err
}

// PutEpoch implements [store.Epochs].
func (t *tx) PutEpoch(e store.Epoch) error {
	if !t.writable() {
		return store.ErrReadOnly
	}
	if err := e.Check(); err != nil {
		return err
	}
	n, err := t.exec(`INSERT INTO epoch (client, number, seal) VALUES (?, ?, ?)
		ON CONFLICT (client) DO UPDATE SET number = excluded.number, seal = excluded.seal WHERE excluded.number >= number`, e.Client, e.Number, e.Seal)
	if err == nil && n == 0 {
		err = fmt.Errorf("%w: the epoch of the client is higher than %d", store.ErrConflict, e.Number)
	}
	return err
}

// RaiseEpochs implements [store.Epochs].
func (t *tx) RaiseEpochs(client string, now time.Time) (int64, error) {
	if !t.writable() {
		return 0, store.ErrReadOnly
	}
	return t.exec(`UPDATE epoch SET number = max(number + 1, ?1), seal = '' WHERE ?2 IN ('', client)`, auth.NextEpoch(0, now), client)
}

// RevokeToken implements [store.Epochs].
func (t *tx) RevokeToken(r store.RevokedToken, now time.Time) error {
	if !t.writable() {
		return store.ErrReadOnly
	}
	if err := r.Check(); err != nil {
		return err
	}
	if _, err := t.exec(`DELETE FROM revoked_token WHERE until <= ?`, now.UnixMilli()); err != nil {
		return err
	}
	// Rounded up: not one moment too short.
	_, err := t.exec(`INSERT INTO revoked_token (id, until) VALUES (?, ?)
		ON CONFLICT (id) DO UPDATE SET until = max(until, excluded.until)`, r.ID, r.Until.Add(time.Millisecond-1).UnixMilli())
	return t.whole(err)
}

// RevokedTokens implements [store.Epochs].
func (t *tx) RevokedTokens(now time.Time) (all []store.RevokedToken, err error) {
	err = t.list(func(rows *sql.Rows) error {
		var r store.RevokedToken
		var until int64
		if err := rows.Scan(&r.ID, &until); err != nil {
			return err
		}
		r.Until = moment(until)
		all = append(all, r)
		return nil
	}, revokedAll, now.UnixMilli())
	return all, err
}
