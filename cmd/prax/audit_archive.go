package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"prax/store"
)

// auditArchive moves the oldest events to a file.
func (p *program) auditArchive(args []string) error {
	f := p.flags("audit archive", "FILE|DIR [--keep SPAN] [flags]",
		"Verifies the oldest audit events, writes them to a new file, or into a directory under a name of their own, and takes them out of\n"+
			"the database, in which a signed anchor then stands for them. Users no longer find the calls that were archived. Without --keep and\n"+
			"PRAX_KEEP it is every event that there is. prax audit verify --archive FILE proves that the file and the rest are one chain: keep\n"+
			"the file. With a server running it is the server that writes it.").withSettings("PRAX_DATA", "PRAX_KEEP")
	positional, err := f.parse(args, 1, 1)
	if err != nil {
		return err
	}
	s, _, err := p.loadSettings(f)
	if err != nil {
		return err
	}
	to, err := archivePlace(positional[0])
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	o, end, err := p.archiver(ctx, s)
	if err != nil {
		return err
	}
	at := p.progress("verifying and archiving the audit")
	done, err := o.Archive(ctx, to, s.archiveBefore(p.now()))
	at.end()
	if err = errors.Join(err, end()); err != nil {
		return explainArchive(ctx, to, err)
	}
	return p.printArchived(done)
}

// archivePlace is the absolute path of what the operator named. A name that ends as one of a directory has to
// be one: a file would get it otherwise.
func archivePlace(name string) (string, error) {
	if strings.HasSuffix(name, string(filepath.Separator)) {
		if info, err := os.Stat(name); err != nil || !info.IsDir() {
			return "", failed("make it first, or leave the slash out to name a file", "%s is no directory", name)
		}
	}
	return filepath.Abs(name)
}

// archiveBefore is the moment up to which events are archived: the zero time for all.
func (s *settings) archiveBefore(now time.Time) time.Time {
	if s.Keep == 0 {
		return time.Time{}
	}
	return now.Add(-s.Keep)
}

func explainArchive(ctx context.Context, to string, err error) error {
	switch {
	case ctx.Err() != nil:
		return failed("prax audit archive goes on from there; prax audit verify --archive tells what is where",
			"interrupted: each event is in the database, in an archive, or in both")
	case errors.Is(err, store.ErrNotWhole):
		return failed("prax audit verify says what is wrong: a chain that is not whole stays as it is", "%w", err)
	case errors.Is(err, fs.ErrExist):
		return failed("name a file that does not exist, or a directory", "%w", err)
	case errors.Is(err, store.ErrFull), errors.Is(err, syscall.ENOSPC):
		return failed("make room, or name another disk: no event is lost", "%w", err)
	case !exists(filepath.Dir(to)):
		return failed(makeHint(filepath.Dir(to)), "%w", err)
	}
	return err
}

func (p *program) printArchived(done store.Archived) (err error) {
	if done.Last == 0 {
		_, err = fmt.Fprintln(p.stdout, "no event is old enough: nothing was archived")
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "events %d to %d are in %s\nits SHA-256: %s\n", done.First, done.Last, printable(done.File), done.SHA256)
	return err
}

// archiveEvery is how often a server looks for old events, unless PRAX_KEEP is less than that. Each time may
// make a file, and a backup has all of them.
const archiveEvery = 24 * time.Hour

// archiveOld archives what is older than PRAX_KEEP until ctx ends. That it fails is for the log: the events
// stay where they are.
func (a *app) archiveOld(ctx context.Context) error {
	keep := a.settings.Keep
	if keep == 0 {
		<-ctx.Done()
		return nil
	}
	tick := time.NewTicker(min(keep, archiveEvery))
	defer tick.Stop()
	for {
		done, err := a.db.ArchiveOld(ctx, keep)
		switch {
		case err != nil && ctx.Err() == nil:
			a.out.log.Error("audit events could not be archived, they stay in the database", slog.Any("error", err))
		case err == nil && done.Last > 0:
			a.out.log.Info("audit events archived", slog.String("file", done.File), slog.Int64("first", done.First),
				slog.Int64("last", done.Last), slog.String("sha256", done.SHA256))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
