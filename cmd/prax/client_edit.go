package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"prax/auth/clients"
	"prax/server/control"
	"prax/store"
	"prax/store/sqlite"
)

// clientSettings is what the commands about clients read.
var clientSettings = []string{"PRAX_DATA", "MCP_CLIENTS_PATH", "PRAX_ADDR", "PRAX_PUBLIC_URL"}

// grantSettings is what those read that judge the names of tools as well.
var grantSettings = append([]string{"PRAX_CONFIG"}, clientSettings...)

// tellPatience bounds what follows an edit.
const tellPatience = 5 * time.Second

// found is the server that an edit of clients.json is for.
type found struct {
	url string // where callers reach it, or would
	up  bool
}

// start is the command that starts a server for what these flags name; "" when one is there.
func (s found) start(f *flags) string {
	if s.up {
		return ""
	}
	line := "MCP_SERVER_ENABLED=true prax serve"
	if f.isDev() {
		line = "prax serve --dev"
	}
	return line + f.settingsGiven()
}

// again is the flags that have another command of clients do its work in the same place.
func (f *flags) again() string {
	if f.isDev() {
		return " --dev" + f.settingsGiven()
	}
	return f.settingsGiven()
}

// settingsGiven is the flags of settings, as they were given, but for --dev.
func (f *flags) settingsGiven() (text string) {
	if *f.env != "" {
		text += " --env " + shellWord(*f.env)
	}
	for _, v := range variables {
		if given := f.given[v.name]; given != "" {
			text += " --" + v.flag + " " + shellWord(given)
		}
	}
	return text
}

// tellServer has the running server read clients.json at once, which puts the edit and the operator
// into its audit, or without one writes that event itself. The edit is done and does not depend on
// any of it: what goes wrong is a note.
func (p *program) tellServer(s *settings, act, name string) found {
	ctx, cancel := context.WithTimeout(context.Background(), tellPatience)
	defer cancel()
	c, err := control.Dial(filepath.Join(s.Data, control.SocketName))
	switch {
	case errors.Is(err, control.ErrNoServer):
		if err := p.recordEdit(ctx, s, act, name); err != nil {
			p.noteOf("the audit has no event of this edit: %v", err)
		}
		return p.lookFor(ctx, s)
	case err != nil:
		p.noteOf("the running server could not be asked whether it obeys: %v", err)
		return found{s.endpoint(s.Addr), true}
	}
	defer c.Close()
	return p.reloadServer(ctx, s, c)
}

func (p *program) reloadServer(ctx context.Context, s *settings, c *control.Client) found {
	report, err := c.Reload(ctx)
	if err != nil {
		p.noteOf("the running server did not read the file: %v", err)
	}
	status, statusErr := c.Status(ctx)
	if err != nil || statusErr != nil {
		return found{s.endpoint(s.Addr), true}
	}
	text, err := os.ReadFile(s.ClientsPath)
	sum := sha256.Sum256(text)
	switch {
	case err != nil || report.Digest != hex.EncodeToString(sum[:]):
		p.noteOf("the server that runs with %s does not read %s, but %s", s.Data, s.ClientsPath, orNothing(report.Path))
	case !status.Enabled && report.Clients > 0:
		p.noteOf("MCP is off in the running server: start it with MCP_SERVER_ENABLED=true")
	}
	return found{s.endpoint(status.Addr), true}
}

func orNothing(path string) string {
	if path == "" {
		return "no file of clients, since there was none at its start: start it again"
	}
	return path
}

// lookFor looks whether somebody answers at the address though no server has our data directory.
func (p *program) lookFor(ctx context.Context, s *settings) found {
	base, port := s.localURL(s.Addr)
	if port == "0" {
		return found{url: s.endpoint(s.Addr)}
	}
	if _, _, err := probe(ctx, base+"/healthz"); err != nil {
		return found{url: s.endpoint(s.Addr)}
	}
	p.noteOf("the server at %s has its data elsewhere than in %s, and may not read %s", s.Addr, s.Data, s.ClientsPath)
	return found{s.endpoint(s.Addr), true}
}

func (p *program) noteOf(format string, args ...any) {
	for i, arg := range args {
		if err, isError := arg.(error); isError {
			args[i] = strings.Join(reasons(err), "; ")
		}
	}
	fmt.Fprintf(p.stderr, "prax: note: %s\n", printable(fmt.Sprintf(format, args...)))
}

// recordEdit writes an event of an edit while no server runs.
func (p *program) recordEdit(ctx context.Context, s *settings, act, name string) error {
	detail, err := json.Marshal(clientEvent{act, name, os.Getuid()}, json.Deterministic(true))
	if err != nil {
		return err
	}
	return p.record(ctx, s, store.Event{Kind: store.EventClient, Detail: string(detail)}, func(tx store.Tx) error {
		_, err := tx.RaiseEpochs(name, p.now()) // of signed tokens: a running server notices by itself
		return err
	})
}

// record writes an event of the operator's own while no server runs, and does also, unless it is nil, in the same
// transaction. Before the first start there is no audit: that start tells who is there. Another user's files are left
// alone, since what is written into them would be ours.
func (p *program) record(ctx context.Context, s *settings, e store.Event, also func(store.Tx) error) (err error) {
	info, err := os.Stat(filepath.Join(s.Data, "prax.db"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); !ok || int(owner.Uid) != os.Getuid() {
		return fmt.Errorf("%s belongs to another user", s.Data)
	}
	db, err := sqlite.Open(ctx, sqlite.Config{Dir: s.Data, Log: slog.New(slog.DiscardHandler), Now: p.now})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	e.At, e.Client, e.Outcome = p.now(), control.Principal(os.Getuid()).Client, "ok"
	return db.Update(ctx, func(tx store.Tx) error {
		tx.AddEvent(e)
		if also == nil {
			return nil
		}
		return also(tx)
	})
}

// clientEvent is the detail of an edit's event.
type clientEvent struct {
	Act  string `json:"act"` // added, rotated or revoked
	Name string `json:"name"`
	UID  int    `json:"uid"`
}

// explainEdit says what may be done when the file at path was left as it is.
func explainEdit(path string, err error) error {
	return failed(editHint(path, err), "%w", err)
}

func editHint(path string, err error) string {
	for cause, hint := range map[error]string{
		clients.ErrExists:   "prax client rotate gives it another token, prax client revoke takes it out",
		clients.ErrNoClient: "prax client list names them",
		clients.ErrChanged:  "look at the file, and try again",
		clients.ErrBusy:     "try again",
		clients.ErrDoubt:    checkHint,
		clients.ErrTokens:   "wait until one of them has ended, or rotate without --overlap, which ends all of them now",
		fs.ErrNotExist:      "make its directory first; --clients FILE names another file",
		syscall.ENOSPC:      "the disk is full: make room, and try again",
		syscall.EROFS:       "the file system is read-only: edit the file where it can be written",
		syscall.EBUSY:       "a file that is mounted by itself cannot be replaced: mount its directory",
	} {
		if errors.Is(err, cause) {
			return hint
		}
	}
	if !readable(path) {
		return checkHint
	}
	return ""
}

const checkHint = "prax check names what is wrong with the file"

// readable tells whether a clients file can be read as one, or is not there.
func readable(path string) bool {
	return !exists(path) || clients.Check(clients.Config{Path: path}, nil, time.Now()).OK
}

// noClientsFile is what a command says that needs the file when there is none.
func noClientsFile(path string) error {
	return failed("prax client add NAME makes it; --clients FILE names another", "%s does not exist", path)
}
