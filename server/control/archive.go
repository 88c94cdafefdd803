package control

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"

	"prax/store"
	"prax/tools"
)

// Archiver moves the oldest events out of the store.
type Archiver interface {
	Archive(ctx context.Context, to string, before time.Time) (store.Archived, error)
}

var errNoArchive = errors.New("events cannot be archived here")

// Archive moves the events before a moment, the zero time for all, to a new file: to names it, or the
// directory for it, by an absolute path. The server writes it, as the user that it runs as.
func (o *Operator) Archive(ctx context.Context, to string, before time.Time) (done store.Archived, err error) {
	act := o.begin("archive", "", "")
	switch {
	case o.cfg.Archive == nil:
		err = errNoArchive
	case !filepath.IsAbs(to):
		err = &badRequest{fmt.Errorf("%s is no absolute path", store.SafeString(to))}
	default:
		done, err = o.cfg.Archive.Archive(ctx, to, before)
	}
	outcome := tools.OutcomeOK
	if err != nil {
		outcome = tools.OutcomeError
	}
	o.end(act, outcome, "")
	return done, err
}

// BackedUp records that the operator took a backup, which holds every secret, and which one it is: the
// SHA-256 of its manifest in hex.
func (o *Operator) BackedUp(_ context.Context, sum string) error {
	act := o.begin("backup", "", "")
	text, err := json.Marshal(struct {
		Backup string `json:"backup"`
		UID    int    `json:"uid"`
	}{store.SafeString(sum), o.uid}, json.Deterministic(true))
	if err != nil {
		return err
	}
	act.Detail = string(text)
	o.end(act, tools.OutcomeOK, "")
	return nil
}

type archiveRequest struct {
	To     string    `json:"to"`
	Before time.Time `json:"before,omitzero"`
}

type backupRequest struct {
	SHA256 string `json:"sha256"`
}

func archive(ctx context.Context, o *Operator, body []byte) (any, error) {
	var asked archiveRequest
	if err := decode(body, &asked); err != nil {
		return nil, err
	}
	return o.Archive(ctx, asked.To, asked.Before)
}

func backedUp(ctx context.Context, o *Operator, body []byte) (any, error) {
	var asked backupRequest
	if err := decode(body, &asked); err != nil {
		return nil, err
	}
	return struct{}{}, o.BackedUp(ctx, asked.SHA256)
}

// Archive is [Operator.Archive].
func (c *Client) Archive(ctx context.Context, to string, before time.Time) (done store.Archived, err error) {
	err = c.ask(ctx, "POST", "/archive", archiveRequest{to, before}, &done)
	return done, err
}

// BackedUp is [Operator.BackedUp].
func (c *Client) BackedUp(ctx context.Context, sum string) error {
	return c.ask(ctx, "POST", "/backup", backupRequest{sum}, &struct{}{})
}
