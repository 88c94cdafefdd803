package main

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"sync"

	"prax/server"
	"prax/server/control"
	"prax/store"
)

// serve runs the server until a signal ends it.
func (p *program) serve(args []string) error {
	f := p.flags("serve", "[--dev] [flags]",
		"Serves tools over MCP to the clients of clients.json.\n"+
			"SIGHUP reads clients.json again; SIGTERM or SIGINT finishes what runs and stops, a second one stops at once.").withSettings()
	dev := f.Bool("dev", false, "serve ./"+devDir+" with sample data, and print two new tokens and a curl line")
	if _, err := f.parse(args, 0, 0); err != nil {
		return err
	}
	if *dev {
		f.assume("PRAX_DATA", "./"+devDir)
	}
	s, warnings, err := p.loadSettings(f)
	if err != nil {
		return err
	}
	if err := server.CheckBind(s.Addr, false, s.InsecureBind); err != nil {
		return badConfig("", "PRAX_ADDR: %w", err)
	}
	if *dev {
		s.useDev()
	}
	out := p.output(s.Log)
	for _, warning := range warnings {
		out.log.Warn(warning)
	}
	return p.serveUntil(s, out, *dev)
}

// serveUntil serves until it fails, or a signal ends it: the first politely, the second at once.
func (p *program) serveUntil(s *settings, out output, dev bool) error {
	sig := p.signals(context.Background())
	defer sig.end()
	done := make(chan error, 1)
	go func() { done <- p.serveHouse(sig, s, out, dev) }()
	select {
	case err := <-done:
		return err
	case <-sig.now:
		return failed("", "stopped at the second signal, without finishing what ran")
	}
}

// serveHouse opens everything, serves, and closes it again in the opposite order.
func (p *program) serveHouse(sig *signals, s *settings, out output, dev bool) (err error) {
	h, err := openHouse(sig.stop, s, out, p.now)
	if err != nil {
		return explainOpen(err)
	}
	defer func() { err = errors.Join(err, h.close()) }()
	var tokens devTokens
	if dev {
		if tokens, err = h.prepareDev(sig.stop); err != nil {
			return err
		}
	}
	if err := h.openClients(); err != nil {
		return err
	}
	ln, err := net.Listen("tcp", s.Addr)
	if err != nil {
		return failed("--addr HOST:PORT listens elsewhere; port 0 picks a free one", "%w", err)
	}
	socket, err := control.Listen(filepath.Join(s.Data, control.SocketName))
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	ln = &onceClosed{Listener: ln}
	h.addr = ln.Addr().String()
	h.announce(p.stderr, h.addr)
	if dev {
		tokens.print(p.stdout, s.endpoint(h.addr))
	}
	return h.serve(sig, ln, socket)
}

// onceClosed is a listener that may be closed twice: the drain stops accepting first of all, and the
// shutdown that follows closes whatever it still knows of.
type onceClosed struct {
	net.Listener
	once sync.Once
	err  error
}

// Close closes the listener the first time, and gives the same answer ever after.
func (l *onceClosed) Close() error {
	l.once.Do(func() { l.err = l.Listener.Close() })
	return l.err
}

// explainOpen says what may be done about a data directory that cannot be used.
func explainOpen(err error) error {
	switch {
	case errors.Is(err, store.ErrLocked):
		return failed("one server has one data directory: stop the other, or set PRAX_DATA", "%w", err)
	case errors.Is(err, store.ErrNewer):
		return failed("start the newer prax that wrote it, or restore the prax-before-vN.db that it kept", "%w", err)
	}
	return err
}
