package main

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"prax/auth/clients"
	"prax/auth/jwt"
	"prax/server"
	"prax/server/control"
	"prax/server/edge"
	"prax/server/mcp"
	"prax/store/sqlite"
	"prax/tools"
	"prax/tools/builtin"
	"prax/tools/definition"
	"prax/tools/lexicon"
	"prax/tools/praxec"
	"prax/tools/runner"
	"prax/tools/workflow"
)

// app is a running prax, put together.
type app struct {
	settings *settings
	out      output
	now      func() time.Time

	db      *sqlite.DB
	tools   *tools.Registry
	defined *definition.Source             // nil: there is no file of definitions
	set     atomic.Pointer[definition.Set] // what is in force of it; nil: nothing yet
	lexicon *lexicon.Lexicon
	runner  *runner.Runner
	clients *clients.Registry
	limits  *edge.Edge          // how much each client may ask for, whichever way it comes
	tokens  *jwt.Authority      // of signed tokens; nil: nothing may be written
	mac     func([]byte) string // under the installation's key; nil: nothing may be written
	mcp     *mcp.Server
	server  *server.Server
	control *control.Server

	certificate *server.Certificate // nil: plaintext
	supervisor  *supervisor         // nil: no service manager asked
	metrics     *server.Metrics     // nil: nothing is counted
	scrapes     net.Listener        // where they are told; nil: nowhere

	addr  string    // where it listens; set before anybody can ask
	since time.Time // the start

	quiet  bool // no server: what is read of clients.json comes into force for nobody
	unread bool // there was no clients.json at the start, and none was needed

	early early                          // what the chain is told of the start
	first atomic.Pointer[clients.Change] // what the first reading of clients.json gave

	edited chan struct{} // holds one: clients.json was read, and something of it changed
}

// openApp opens the store and fills the registry of tools. openClients comes next: between the two
// nobody can call.
func openApp(ctx context.Context, s *settings, out output, now func() time.Time) (*app, error) {
	config, m := sqlite.Config{Dir: s.Data, Log: out.log, Now: now}, s.newMetrics()
	if m != nil {
		config.Observe = m
	}
	db, err := sqlite.Open(ctx, config)
	if err != nil {
		return nil, err
	}
	return newApp(s, db, out, now, db.Key().MAC, m)
}

// openAppReadOnly is an app that changes nothing and records nothing, for a command that reads while no server runs.
func openAppReadOnly(s *settings, out output, now func() time.Time) (*app, error) {
	db, err := sqlite.OpenReadOnly(s.Data)
	if err != nil {
		return nil, err
	}
	return newApp(s, db, out, now, nil, nil)
}

// newApp has db closed when it fails.
func newApp(s *settings, db *sqlite.DB, out output, now func() time.Time, mac func([]byte) string, m *server.Metrics) (*app, error) {
	a := &app{settings: s, out: out, now: now, db: db, mac: mac, since: now(), metrics: m, edited: make(chan struct{}, 1)}
	config := tools.Config{Store: db, Log: out.log, Now: now, Timeout: s.CallTimeout, HMAC: mac, AuditReads: s.AuditReads}
	if m != nil {
		config.Observe = m
	}
	a.tools = tools.NewRegistry(config)
	if err := a.tools.Set("builtin", builtin.Tools(builtin.Config{HalfLife: s.HalfLife, Now: now})); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if err := a.openWorkflows(); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return a, nil
}

// instructions are what a caller is told when it connects.
const instructions = "The tools listed here are those that you were granted; no other exists for you. " +
	"What you remember or find belongs to the one user that you act for. " +
	"The list can change while you are connected: ask for it again when a tool is unknown. " + praxec.Instructions

// openClients reads the definitions and then clients.json, which grants their tools, for the first time and
// builds what serves them.
func (a *app) openClients() (err error) {
	a.openDefinitions()
	config := a.settings.clientsConfig(a.reloaded)
	a.unread = config.Path == ""
	a.clients, err = clients.Open(config, a.tools, a.out.log, a.now)
	if err != nil {
		return err
	}
	if err := a.openTokens(context.Background()); err != nil {
		return err
	}
	a.mcp = mcp.New(mcp.Config{
		Registry: a.tools, Info: mcp.Info{Name: "prax", Version: readBuild().Version},
		Instructions: instructions, Log: a.out.log, Now: a.now,
	})
	a.limits = edge.New(edge.Config{
		MaxInFlight: a.settings.MaxInflight, PerSecond: a.settings.Rate.PerSecond, Burst: a.settings.Rate.Burst, Now: a.now,
	})
	a.server = server.New(a.serverConfig())
	a.control = control.New(a.controlConfig())
	return nil
}

func (a *app) serverConfig() server.Config {
	s := a.settings
	c := server.Config{
		Addr: s.Addr, AllowedHosts: s.AllowedHosts, AllowedOrigins: s.AllowedOrigins, TrustedProxies: s.TrustedProxies,
		Certificate:    a.certificate,
		Authenticators: a.authenticators(),
		Edge:           a.limits,
		MCP:            a.mcp.Serve,
		Drain:          []func(){a.mcp.Drain},
		Enabled:        a.enabled,
		Ready:          a.ready,
		Metrics:        a.metrics,
		MaxBody:        s.MaxBody,
		Log:            a.out.log,
		Access:         a.out.access,
		AccessText:     a.out.text,
		Denied:         a.denied,
	}
	if s.PublicURL != nil {
		c.PublicURL = s.PublicURL.String()
	}
	if s.Publish {
		c.Card = &server.Card{
			Title: "prax", Description: "Tools and workflows of an operator, for agents that hold a bearer token.",
			Version: readBuild().Version, Revisions: mcp.Revisions(),
		}
	}
	return c
}

func (a *app) controlConfig() control.Config {
	return control.Config{
		Clients: a.clients, Tools: a.tools, Limits: a.limits, Audit: a.db, Archive: a.db, Lexicon: a.lexicon, Runner: a.runner,
		Tokens:      a.tokens,
		Definitions: func(id string) *workflow.Definition { return a.definitionSet().Definition(id) },
		NoteUses:    a.noteUses,
		Status:      a.status, Now: a.now, Log: a.out.log,
	}
}

func (a *app) status() control.Status {
	return control.Status{
		Version: readBuild().Version, PID: os.Getpid(), Addr: a.addr, Started: a.since,
		Enabled: a.enabled(), Draining: a.server.Draining(), Registry: a.clients.Status(),
	}
}

// enabled tells whether /mcp exists: not before a first client has been live.
func (a *app) enabled() bool { return a.settings.Enabled && a.clients.EverLive() }

// run answers on ln and on the operator's socket until a signal says stop, and drains both at once: one
// after the other, they could take twice what a container gives. What runs outside of prax has the rest of
// their grace. The registry of clients is kept in step until the last of it is over.
func (a *app) run(sig *signals, ln, socket net.Listener) error {
	serving, stop := context.WithCancel(sig.stop)
	defer stop()
	beside, end := context.WithCancel(context.Background())
	var (
		wait     sync.WaitGroup
		drained  sync.WaitGroup
		failures = make(chan error, 9)
	)
	// Without a watch an edit would not be obeyed: better not to serve at all.
	for _, watch := range []func(context.Context) error{
		a.clients.Run, a.watchDefinitions, a.watchCertificate, a.runner.Run, a.archiveOld, a.feedWatchdog, a.keepUses, a.serveMetrics,
	} {
		wait.Go(func() {
			if err := watch(beside); err != nil {
				failures <- err
				stop()
			}
		})
	}
	drained.Go(func() {
		if err := a.control.Serve(serving, socket); err != nil {
			failures <- err
			stop()
		}
	})
	wait.Go(func() { a.reloadOn(beside, sig.reload) })
	wait.Go(func() { _ = a.runner.Deliver(serving) }) // what is not told by then, the next start tells
	wait.Go(func() { a.tellOfClients(serving) })
	a.started(ln.Addr().String())
	wait.Go(func() { a.tellSupervisor(serving) })
	draining := make(chan time.Time, 1)
	context.AfterFunc(serving, func() { draining <- time.Now() })
	err := a.server.Serve(serving, ln)
	stop() // a listener that failed ends the operator's socket too
	drained.Wait()
	err = errors.Join(err, a.stopEffects((<-draining).Add(server.DefaultGrace)))
	end()
	wait.Wait()
	a.stopped()
	close(failures)
	for failure := range failures {
		err = errors.Join(err, failure)
	}
	return err
}

// reloadOn has the definitions, the certificate and clients.json read again at each SIGHUP; the log says what came of it.
func (a *app) reloadOn(ctx context.Context, signals <-chan struct{}) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-signals:
			a.supervisor.reloading()
			if !a.reload(ctx) {
				return
			}
			a.supervisor.ready()
		}
	}
}

// reload waits until all of it was read; false when ctx ended before.
func (a *app) reload(ctx context.Context) bool {
	var readings []<-chan struct{}
	if a.defined != nil {
		readings = append(readings, a.defined.Force())
	}
	if a.certificate != nil {
		readings = append(readings, a.certificate.Force())
	}
	if clients := a.clients.Force(); clients != nil {
		readings = append(readings, clients)
	}
	for _, over := range readings {
		select {
		case <-over:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// closeTimeout bounds how long handlers are waited for that outlived their callers. They were told to end
// at the end of the drains' grace at the latest: with it, this is below the ten seconds after which
// containers are killed.
const closeTimeout = time.Second

// close ends what still runs outside of prax, waits for handlers and closes the store.
func (a *app) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	a.write(a.early.end()...) // of a start that failed
	return errors.Join(a.stopEffects(time.Now()), a.tools.Close(ctx), a.db.Close())
}

// clientsConfig is where the clients come from. A clients.json that nobody asked for by name is no
// fault when it is missing and not needed.
func (s *settings) clientsConfig(hook func(clients.Change)) clients.Config {
	c := clients.Config{Path: s.ClientsPath, IgnoreExpiry: !s.ExpiryEnabled, Spelling: s.ToolNames, OnReload: hook}
	if s.KeepOnError {
		c.OnError = clients.Keep
	}
	if s.BearerToken != "" {
		c.Single = &clients.Single{Token: s.BearerToken, UserID: s.UserID, Allowlist: s.Allowlist, ExpiresAt: s.ExpiresAt}
	}
	needed := s.Enabled && s.BearerToken == ""
	if !needed && s.values["MCP_CLIENTS_PATH"].source == sourceDefault && !exists(s.ClientsPath) {
		c.Path = ""
	}
	return c
}
