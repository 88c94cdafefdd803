package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"prax/store"
)

// maxArchives bounds how many archives are read at once.
const maxArchives = 100_000

// joinArchives reads archives and adds to the report what keeps them and the chain from being one.
func joinArchives(ctx context.Context, s *settings, o operator, r *store.Report, paths []string) ([]store.Piece, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	key, err := readRegular(filepath.Join(s.Data, "keys", "audit.pub"), maxFile)
	if err != nil {
		return nil, failed("keys/audit.pub in the data directory is the key that archives are signed with", "%w", err)
	}
	files, err := archiveFiles(paths)
	if err != nil {
		return nil, err
	}
	joints, err := jointsOf(files, r)
	if err != nil {
		return nil, err
	}
	var pieces []store.Piece
	for _, file := range files {
		piece, err := readArchive(ctx, file, strings.TrimSpace(string(key)), joints)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			r.Problem("%s: %v", file, err)
			continue
		}
		pieces = append(pieces, piece)
	}
	r.Join(pieces, joints)
	return pieces, compareEnd(ctx, o, r, pieces)
}

// archiveFiles are the files themselves, and those of directories.
func archiveFiles(paths []string) (files []string, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, failed("--archive takes a file that prax audit archive wrote, or a directory of such files", "%w", err)
		}
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, path)
			continue
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			if strings.HasSuffix(entry.Name(), ".jsonl") && !strings.HasPrefix(entry.Name(), ".") {
				files = append(files, filepath.Join(path, entry.Name()))
			}
		}
	}
	if len(files) > maxArchives {
		return nil, fmt.Errorf("more than %d archives", maxArchives)
	}
	return files, nil
}

// jointsOf looks at where each archive begins and ends.
func jointsOf(files []string, r *store.Report) (*store.Joints, error) {
	var at []int64
	if r.Anchor != nil {
		at = append(at, r.Anchor.Count)
	}
	for _, file := range files {
		f, err := openArchive(file)
		if err != nil {
			return nil, err
		}
		first, last, err := store.SpanOfArchive(f)
		_ = f.Close()
		if err == nil { // what is wrong with it is told when it is read
			at = append(at, first-1, last)
		}
	}
	return store.NewJoints(at), nil
}

func readArchive(ctx context.Context, file, publicKey string, j *store.Joints) (store.Piece, error) {
	f, err := openArchive(file)
	if err != nil {
		return store.Piece{}, err
	}
	defer f.Close()
	defer context.AfterFunc(ctx, func() { _ = f.Close() })() // which ends the reading
	piece, err := store.ReadArchive(f, publicKey, j.Note)
	piece.Name = file
	return piece, err
}

// openArchive never waits, whatever stands there.
func openArchive(file string) (*os.File, error) {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return nil, errors.Join(err, fmt.Errorf("%s is not a regular file", file))
	}
	return f, nil
}

// errFound ends a reading of events at the first.
var errFound = errors.New("found")

// compareEnd holds an archive that reaches into what is left of the chain to the event at which it ends: it
// may be of another branch, from before a restore.
func compareEnd(ctx context.Context, o operator, r *store.Report, pieces []store.Piece) error {
	for _, piece := range pieces {
		if r.Anchor != nil && piece.Last <= r.Anchor.Count {
			continue
		}
		var there store.Event
		err := o.Events(ctx, piece.Last-1, false, func(events []store.Event) error {
			there = events[0]
			return errFound
		})
		switch {
		case err != nil && !errors.Is(err, errFound):
			return err
		case there.Seq > piece.Last: // archived meanwhile
		case there.Seq != piece.Last || there.Hash != piece.Hash:
			r.Problem("%s has an event %d that is not the chain's", piece.Name, piece.Last)
		}
	}
	return nil
}
