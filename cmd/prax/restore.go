package main

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"prax/store"
	"prax/store/sqlite"
)

// restore puts a backup back.
func (p *program) restore(args []string) error {
	f := p.flags("restore", "DIR [--unverified] [flags]",
		"Puts the backup in DIR back: into the data directory, which must not exist or be empty, and clients.json and the definitions where\n"+
			"they belong, unless something stands there. Every file is compared with the manifest and the audit chain is verified, before\n"+
			"anything is in its place; the audit tells of the restore. Look at clients.json afterwards: clients that were revoked since the\n"+
			"backup are in it again.").withSettings(keptSettings...)
	unverified := f.Bool("unverified", false, "go on when the audit chain is not whole")
	positional, err := f.parse(args, 1, 1)
	if err != nil {
		return err
	}
	s, _, err := p.loadSettings(f)
	if err != nil {
		return err
	}
	if err := refuseRunning(s); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	b, err := sqlite.OpenBackup(positional[0])
	if err != nil {
		return explainRestore(err)
	}
	defer func() { _ = b.Close() }()
	return p.restoreBackup(ctx, s, b, *unverified)
}

func refuseRunning(s *settings) error {
	_, end, running, err := dial(s)
	if err != nil || !running {
		return err
	}
	_ = end()
	return failed("stop it, and move its data directory away; or name another with --data", "a server runs with %s", s.Data)
}

func (p *program) restoreBackup(ctx context.Context, s *settings, b *sqlite.Backup, unverified bool) error {
	at := p.progress("restore")
	r, err := b.Restore(ctx, sqlite.RestoreConfig{Data: s.Data, Now: p.now, Unverified: unverified, Tell: at.say})
	at.end()
	if err != nil {
		return explainRestore(err)
	}
	defer r.Abandon()
	placed, err := s.putBack(ctx, b)
	if err != nil {
		return explainRestore(err)
	}
	if err := r.Finish(); err != nil {
		return err
	}
	for _, problem := range r.Report.Problems {
		p.noteOf("the audit chain is not whole: %s", problem)
	}
	m := b.Manifest
	_, err = fmt.Fprintf(p.stdout, "restored the backup of %s into %s, up to audit event %d\nSHA-256 of its manifest: %s\n",
		formatTime(m.At), printable(s.Data), m.Head.Count, b.SHA256)
	if err != nil {
		return err
	}
	return p.printPlaced(placed)
}

// putBack puts back what lies beside the data.
func (s *settings) putBack(ctx context.Context, b *sqlite.Backup) (placed []sqlite.Placed, err error) {
	names := map[string]string{sqlite.ClientsName: s.ClientsPath}
	for _, name := range b.Extra() {
		if top, _, _ := strings.Cut(name, "/"); top != sqlite.ClientsName {
			names[top] = s.Config
		}
	}
	for name, to := range names {
		put, err := b.Put(ctx, name, to)
		if err != nil {
			return nil, fmt.Errorf("put back %s: %w", name, err)
		}
		placed = append(placed, put...)
	}
	slices.SortFunc(placed, func(a, b sqlite.Placed) int { return strings.Compare(a.Name, b.Name) })
	return placed, nil
}

func (p *program) printPlaced(placed []sqlite.Placed) error {
	left := false
	for _, at := range placed {
		said := "put back"
		switch at.Left {
		case sqlite.LeftSame:
			said = "is there already, and is the same"
		case sqlite.LeftOther:
			said, left = "is there already, and was left as it is", true
		case sqlite.LeftFolder:
			said, left = "was not put back: its folder is there already, and was left as it is", true
		}
		if _, err := fmt.Fprintf(p.stdout, "%s %s\n", printable(at.Path), said); err != nil {
			return err
		}
	}
	if left {
		fmt.Fprintln(p.stderr, "prax: hint: what the backup has instead lies in its directory: compare, and copy by hand what you want")
	}
	fmt.Fprintln(p.stderr, "prax: hint: prax client list shows who may call now: a client that was revoked since the backup may be there again")
	return nil
}

func explainRestore(err error) error {
	switch {
	case errors.Is(err, sqlite.ErrNotEmpty):
		return failed("move what is there away, or name another directory with --data", "%w", err)
	case errors.Is(err, store.ErrNotWhole):
		return failed("another backup may be whole; --unverified goes on all the same, and the audit says so", "%w", err)
	case errors.Is(err, store.ErrNewer):
		return failed("restore it with the prax that wrote it, or a newer one", "%w", err)
	case errors.Is(err, store.ErrFull), errors.Is(err, syscall.ENOSPC):
		return failed("make room, and restore again: the data directory is as it was", "%w", err)
	case errors.Is(err, context.Canceled):
		return failed("", "interrupted: the data directory is as it was")
	}
	return err
}
