package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/go-json-experiment/json"

	"prax/server/control"
	"prax/store"
	"prax/store/sqlite"
)

// keptSettings are those that say what a backup is made of, and where a restore puts it.
var keptSettings = []string{"PRAX_DATA", "MCP_CLIENTS_PATH", "PRAX_CONFIG"}

// backup writes a backup of everything that prax keeps.
func (p *program) backup(args []string) error {
	f := p.flags("backup", "DIR [--unverified] [flags]",
		"Writes a backup into DIR, which must not exist or be empty: the database, the keys, the archived audit events, clients.json and\n"+
			"the definitions, with a manifest. A server may go on running: the backup is one moment, and has all that was acknowledged before\n"+
			"the command began. It is verified before the command says that it is done. It holds the keys and everything that users keep: guard\n"+
			"it as you guard the data directory. config.env is not in it. Without a server, none can start until it is done.").withSettings(keptSettings...)
	unverified := f.Bool("unverified", false, "go on when the audit chain is not whole")
	positional, err := f.parse(args, 1, 1)
	if err != nil {
		return err
	}
	s, _, err := p.loadSettings(f)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	extra, err := s.keptFiles()
	if err != nil {
		return err
	}
	at := p.progress("backup")
	m, sum, err := sqlite.WriteBackup(ctx, sqlite.BackupConfig{
		Data: s.Data, Dir: positional[0], Extra: extra, Version: readBuild().Version, Now: p.now, Unverified: *unverified, Tell: at.say,
	})
	at.end()
	if err != nil {
		return explainBackup(positional[0], err)
	}
	p.recordBackup(s, sum)
	return p.printBackup(s, positional[0], m, sum)
}

// keptFiles are the files beside the data that there are, by their names in a backup. One of which it cannot be
// told whether it is there is an error: a backup must not be without it for that.
func (s *settings) keptFiles() (map[string]string, error) {
	kept := map[string]string{}
	for name, path := range map[string]string{sqlite.ClientsName: s.ClientsPath, s.definitionsName(): s.Config} {
		_, err := os.Lstat(path)
		switch {
		case path == "" || errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		default:
			kept[name] = path
		}
	}
	return kept, nil
}

// definitionsName is what the definitions are called in a backup: a folder of them, or a file that keeps its
// ending, by which it is read.
func (s *settings) definitionsName() string {
	if info, err := os.Stat(s.Config); err == nil && info.IsDir() {
		return sqlite.DefinitionsName
	}
	switch ending := filepath.Ext(s.Config); ending {
	case ".json", ".yml":
		return sqlite.DefinitionName + ending[1:]
	}
	return sqlite.DefinitionName + "yaml"
}

func explainBackup(dir string, err error) error {
	parent := filepath.Dir(filepath.Clean(dir))
	switch failedAt := (*fs.PathError)(nil); {
	case errors.Is(err, store.ErrNotWhole):
		return failed("prax audit verify says what is wrong with the chain\n--unverified goes on all the same, and the manifest says so", "%w", err)
	case errors.Is(err, sqlite.ErrNotEmpty), errors.Is(err, fs.ErrExist):
		return failed("name a directory that does not exist", "%w", err)
	case errors.Is(err, store.ErrFull), errors.Is(err, syscall.ENOSPC):
		return failed("the disk is full: nothing was left of the backup; make room, or name another disk", "%w", err)
	case errors.As(err, &failedAt) && failedAt.Path == dir && !exists(parent):
		return failed(makeHint(parent), "%w", err)
	case errors.Is(err, context.Canceled):
		return failed("", "interrupted: nothing was left of the backup")
	}
	return err
}

// recordBackup puts into the audit that a backup was taken. The backup is done and does not depend on it:
// what goes wrong is a note.
func (p *program) recordBackup(s *settings, sum string) {
	ctx, cancel := context.WithTimeout(context.Background(), tellPatience)
	defer cancel()
	c, err := control.Dial(filepath.Join(s.Data, control.SocketName))
	if err == nil {
		err = c.BackedUp(ctx, sum)
		c.Close()
	} else if errors.Is(err, control.ErrNoServer) {
		err = p.recordBackupAlone(ctx, s, sum)
	}
	if err != nil {
		p.noteOf("the audit has no event of this backup: %v", err)
	}
}

func (p *program) recordBackupAlone(ctx context.Context, s *settings, sum string) error {
	detail, err := json.Marshal(map[string]any{"backup": sum, "uid": os.Getuid()}, json.Deterministic(true))
	if err != nil {
		return err
	}
	return p.record(ctx, s, store.Event{Kind: control.EventOperator, Method: "backup", Detail: string(detail)}, nil)
}

func (p *program) printBackup(s *settings, dir string, m sqlite.Manifest, sum string) error {
	size, clients, definitions := int64(0), false, false
	for _, file := range m.Files {
		size += file.Size
		clients = clients || file.Name == sqlite.ClientsName
		definitions = definitions || strings.HasPrefix(file.Name, sqlite.DefinitionsName)
	}
	_, err := fmt.Fprintf(p.stdout, "backup of %s in %s: %s, %d bytes, up to audit event %d\n",
		formatTime(m.At), printable(dir), count(len(m.Files), "file"), size, m.Head.Count)
	if err == nil {
		_, err = fmt.Fprintf(p.stdout, "SHA-256 of its manifest: %s\n", sum)
	}
	if !clients {
		p.noteOf("there was no file of clients to back up")
	}
	if !definitions && s.definitionFile() != "" {
		p.noteOf("there were no definitions to back up: %s does not exist", s.Config)
	}
	for _, problem := range m.Problems {
		p.noteOf("the audit chain is not whole: %s", problem)
	}
	return err
}
