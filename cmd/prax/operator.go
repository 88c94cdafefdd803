package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
	"prax/auth/clients"
	"prax/server/control"
	"prax/store"
	"prax/store/sqlite"
	"prax/tools"
)

// operator is what an operator's command does: in the running server through its socket, or on the
// files when none runs.
type operator interface {
	Call(ctx context.Context, as, tool string, arguments jsontext.Value) (*tools.Result, error)
	Access(ctx context.Context, as, tool string) (control.Access, error)
	Verify(ctx context.Context) (store.Report, error)
	Archive(ctx context.Context, to string, before time.Time) (store.Archived, error)
	Events(ctx context.Context, after int64, follow bool, f func([]store.Event) error) error

	Uses(ctx context.Context) ([]control.Use, error)

	Define(ctx context.Context, d control.Draft) (control.Term, error)
	Accept(ctx context.Context, w control.Word) (control.Term, error)
	Remove(ctx context.Context, w control.Word) (control.Term, error)
	Terms(ctx context.Context) ([]control.Term, error)
	TermHistory(ctx context.Context, w control.Word) ([]control.Term, error)

	Drive(ctx context.Context, r control.Request) (control.Reply, error)
	Instances(ctx context.Context, l control.Listing) (control.Instances, error)
	History(ctx context.Context, p control.Past) ([]control.Step, error)
	Graph(ctx context.Context, d control.Drawing) (control.Graph, error)
	Approval(ctx context.Context, q control.Question) (control.Approval, error)
	Resolve(ctx context.Context, v control.Verdict) (control.Resolved, error)

	Operations(ctx context.Context, f control.OperationFilter) (control.OperationPage, error)
	Operation(ctx context.Context, q control.OneOperation) (control.Operation, error)
	Reconcile(ctx context.Context, d control.Discovery) (control.Settled, error)

	MakeToken(ctx context.Context, o control.TokenOrder) (control.Token, error)
	RevokeToken(ctx context.Context, t control.TokenID) (control.RevokedToken, error)
}

// operate does what a command is for with the operator that open gives, until a signal comes.
func (f *flags) operate(open func(context.Context, *settings) (operator, func() error, error), do func(context.Context, operator) error) (err error) {
	s, _, err := f.p.loadSettings(f)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	o, end, err := open(ctx, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	return do(ctx, o)
}

// dial is the operator of the running server; false when none runs with this data directory.
func dial(s *settings) (operator, func() error, bool, error) {
	c, err := control.Dial(filepath.Join(s.Data, control.SocketName))
	switch {
	case err == nil:
		return c, func() error { c.Close(); return nil }, true, nil
	case errors.Is(err, control.ErrNoServer):
		return nil, nil, false, nil
	}
	return nil, nil, false, failed("the operator's socket is open to the user that the server runs as, and to root", "%w", err)
}

// auditor reads the audit: the store is opened for reading only when no server runs.
func (p *program) auditor(s *settings) (operator, func() error, error) {
	o, end, running, err := dial(s)
	if err != nil || running {
		return o, end, err
	}
	db, err := sqlite.OpenReadOnly(s.Data)
	if err != nil {
		return nil, nil, failed("PRAX_DATA or --data says where the data is", "%w", err)
	}
	return control.NewOperator(control.Config{Audit: db, Now: p.now}, os.Getuid()), db.Close, nil
}

// caller calls tools: without a server it takes the store for itself, as a server would.
func (p *program) caller(ctx context.Context, s *settings) (operator, func() error, error) {
	o, end, running, err := dial(s)
	if err != nil || running {
		return o, end, err
	}
	out := output{log: slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: slog.LevelError}))}
	a, err := openApp(ctx, s, out, p.now)
	if err != nil {
		return nil, nil, explainOpen(err)
	}
	a.quiet = true // reading the clients for one call is no reload of a server's
	if err := a.openClients(); err != nil {
		return nil, nil, errors.Join(err, a.close())
	}
	return control.NewOperator(a.controlConfig(), os.Getuid()), a.finish(ctx), nil
}

// archiver moves events out of the store: without a server it takes the store for itself.
func (p *program) archiver(ctx context.Context, s *settings) (operator, func() error, error) {
	o, end, running, err := dial(s)
	if err != nil || running {
		return o, end, err
	}
	if !exists(filepath.Join(s.Data, "prax.db")) {
		return nil, nil, failed("PRAX_DATA or --data says where the data is", "%s has no database: no server has run with it", s.Data)
	}
	db, err := sqlite.Open(ctx, sqlite.Config{Dir: s.Data, Log: slog.New(slog.DiscardHandler), Now: p.now})
	if err != nil {
		return nil, nil, explainOpen(err)
	}
	return control.NewOperator(control.Config{Audit: db, Archive: db, Now: p.now}, os.Getuid()), db.Close, nil
}

// accessJudge explains access. Without a server it reads clients.json and nothing else.
func (p *program) accessJudge(s *settings) (operator, func() error, error) {
	o, end, running, err := dial(s)
	if err != nil || running {
		return o, end, err
	}
	catalogue := tools.NewRegistry(tools.Config{Store: noStore{}, Now: p.now})
	if err := catalogue.Set("builtin", ownTools()); err != nil {
		return nil, nil, err
	}
	defined, _ := s.define() // what is wrong with the file is for check to tell
	if err := catalogue.Set(definedSource, defined); err != nil {
		return nil, nil, err
	}
	registry, err := clients.Open(s.clientsConfig(nil), catalogue, nil, p.now)
	if err != nil {
		return nil, nil, err
	}
	c := control.Config{Clients: registry, Tools: catalogue, Audit: noStore{}, Now: p.now}
	return control.NewOperator(c, os.Getuid()), func() error { return nil }, nil
}

// noStore stands where nothing is read and nothing is written: it is explained what would be decided, and
// no call is made.
type noStore struct{}

var errNoStore = errors.New("no store is open")

// View refuses.
func (noStore) View(context.Context, func(store.Tx) error) error { return errNoStore }

// Update refuses.
func (noStore) Update(context.Context, func(store.Tx) error) error { return errNoStore }

// Instance refuses.
func (noStore) Instance(context.Context, auth.Scope, string) (store.Instance, error) {
	return store.Instance{}, errNoStore
}

// Verify refuses.
func (noStore) Verify(context.Context) (store.Report, error) { return store.Report{}, errNoStore }

// Record leaves no trace: no server runs whose audit it would be.
func (noStore) Record(store.Event) {}

// Health refuses.
func (noStore) Health(context.Context) error { return errNoStore }

// Close does nothing.
func (noStore) Close() error { return nil }

// asClient adds --as to a command and reads it.
func (f *flags) asClient() *string {
	return f.String("as", "", "the `CLIENT` whose rights are meant; required")
}
