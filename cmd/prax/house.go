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
	"prax/server"
	"prax/server/control"
	"prax/server/edge"
	"prax/server/mcp"
	"prax/store/sqlite"
	"prax/tools"
	"prax/tools/builtin"
)

// house is a running prax, put together.
type house struct {
	settings *settings
	out      output
	now      func() time.Time

	db      *sqlite.DB
	tools   *tools.Registry
	clients *clients.Registry
	mcp     *mcp.Server
	server  *server.Server
	control *control.Server

	addr  string    // where it listens; set before anybody can ask
	since time.Time // the start

	unread bool // there was no clients.json at the start, and none was needed

	first atomic.Pointer[clients.Change] // what the first reading of clients.json gave
	live  atomic.Bool                    // a client has been live since the start
}

// openHouse opens the store and fills the registry of tools. openClients comes next: between the two
// nobody can call.
func openHouse(ctx context.Context, s *settings, out output, now func() time.Time) (*house, error) {
	db, err := sqlite.Open(ctx, sqlite.Config{Dir: s.Data, Log: out.log, Now: now})
	if err != nil {
		return nil, err
	}
	h := &house{settings: s, out: out, now: now, db: db, since: now()}
	h.tools = tools.NewRegistry(tools.Config{
		Store: db, Log: out.log, Now: now, Timeout: s.CallTimeout, HMAC: db.Key().MAC, AuditReads: s.AuditReads,
	})
	if err := h.tools.Set("builtin", builtin.Tools(builtin.Config{HalfLife: s.HalfLife, Now: now})); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return h, nil
}

// instructions are what a caller is told when it connects.
const instructions = "The tools listed here are those that you were granted; no other exists for you. " +
	"What you remember or find belongs to the one user that you act for. " +
	"The list can change while you are connected: ask for it again when a tool is unknown."

// openClients reads clients.json for the first time and builds what serves it.
func (h *house) openClients() (err error) {
	config := h.settings.clientsConfig(h.reloaded)
	h.unread = config.Path == ""
	h.clients, err = clients.Open(config, h.tools, h.out.log, h.now)
	if err != nil {
		return err
	}
	h.mcp = mcp.New(mcp.Config{
		Registry: h.tools, Info: mcp.Info{Name: "prax", Version: readBuild().Version},
		Instructions: instructions, Log: h.out.log, Now: h.now,
	})
	h.server = server.New(h.serverConfig())
	h.control = control.New(h.controlConfig())
	return nil
}

func (h *house) serverConfig() server.Config {
	s := h.settings
	c := server.Config{
		Addr: s.Addr, AllowedHosts: s.AllowedHosts, AllowedOrigins: s.AllowedOrigins, TrustedProxies: s.TrustedProxies,
		Authenticators: []edge.Authenticator{h.clients},
		Edge:           edge.New(edge.Config{MaxInFlight: s.MaxInflight, Now: h.now}),
		MCP:            h.mcp.Serve,
		Drain:          []func(){h.mcp.Drain},
		Enabled:        h.enabled,
		Ready:          h.ready,
		MaxBody:        s.MaxBody,
		Log:            h.out.log,
		Access:         h.out.access,
		AccessText:     h.out.text,
		Denied:         h.denied,
	}
	if s.PublicURL != nil {
		c.PublicURL = s.PublicURL.String()
	}
	return c
}

func (h *house) controlConfig() control.Config {
	return control.Config{Clients: h.clients, Tools: h.tools, Audit: h.db, Status: h.status, Now: h.now, Log: h.out.log}
}

func (h *house) status() control.Status {
	return control.Status{
		Version: readBuild().Version, PID: os.Getpid(), Addr: h.addr, Started: h.since,
		Enabled: h.enabled(), Draining: h.server.Draining(), Registry: h.clients.Status(),
	}
}

// enabled tells whether /mcp exists: not before a first client has been live.
func (h *house) enabled() bool { return h.settings.Enabled && h.live.Load() }

// serve answers on ln until a signal says stop, and drains. The registry of clients is kept in step
// until the last call is answered.
func (h *house) serve(sig *signals, ln, socket net.Listener) error {
	serving, stop := context.WithCancel(sig.stop)
	defer stop()
	beside, end := context.WithCancel(context.Background())
	var (
		wait     sync.WaitGroup
		failures = make(chan error, 2)
	)
	wait.Go(func() {
		// Without the watch an edit would not be obeyed: better not to serve at all.
		if err := h.clients.Run(beside); err != nil {
			failures <- err
			stop()
		}
	})
	wait.Go(func() {
		if err := h.control.Serve(beside, socket); err != nil {
			failures <- err
			stop()
		}
	})
	wait.Go(func() { h.reloadOn(beside, sig.reload) })
	h.started(ln.Addr().String())
	err := h.server.Serve(serving, ln)
	end()
	wait.Wait()
	h.stopped()
	close(failures)
	for failure := range failures {
		err = errors.Join(err, failure)
	}
	return err
}

// reloadOn reads clients.json again at each SIGHUP, and says what came of it.
func (h *house) reloadOn(ctx context.Context, signals <-chan struct{}) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-signals:
			r := h.clients.Reload("SIGHUP")
			h.out.log.Info("clients file was read at SIGHUP", "ok", r.OK, "unchanged", r.Unchanged,
				"clients", r.Clients, "errors", r.Errors, "warnings", r.Warnings)
		}
	}
}

// closeTimeout bounds how long handlers are waited for that outlived their callers.
const closeTimeout = 5 * time.Second

// close waits for handlers and closes the store.
func (h *house) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	return errors.Join(h.tools.Close(ctx), h.db.Close())
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
