package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"

	"prax/server"
	"prax/server/control"
	"prax/store"
)

// serve runs the server until a signal ends it.
func (p *program) serve(args []string) error {
	f := p.flags("serve", "[--dev] [flags]",
		"Serves tools over MCP to the clients of clients.json. --dev is a trial server with sample data: it prints two new tokens and\n"+
			"lines to use them. SIGHUP reads clients.json and the definitions again; SIGTERM or SIGINT finishes what runs and stops; another\n"+
			"one, half a second later or more, stops at once.").withSettings()
	f.Lookup("dev").Usage = "serve ./" + devDir + " with sample data, and print two new tokens and lines to use them"
	if _, err := f.parse(args, 0, 0); err != nil {
		return err
	}
	if err := hideEnvironment(); err != nil {
		return err
	}
	sig := p.signals(context.Background(), p.now)
	defer sig.end()
	s, warnings, err := p.loadSettings(f)
	if err != nil {
		return err
	}
	if err := server.CheckBind(s.Addr, s.tls(), s.InsecureBind); err != nil {
		return badConfig("", "PRAX_ADDR: %w", err)
	}
	if s.Publish {
		if err := server.CheckPublic(s.PublicURL); err != nil {
			return badConfig("", "PRAX_PUBLISH: %w", err)
		}
	}
	if err := s.checkMetrics(); err != nil {
		return badConfig("", "PRAX_METRICS_ADDR: %w", err)
	}
	l := launch{settings: s, out: p.output(s.Log), dev: f.isDev()}
	for _, warning := range warnings {
		l.out.log.Warn(warning)
	}
	if l.certificate, err = s.openCertificate(l.out.log, p.now); err != nil {
		return err
	}
	if l.supervisor, err = supervisorOf(environment(p.environ), os.Getpid(), l.out.log); err != nil {
		return badConfig("a service manager sets these", "%w", err)
	}
	return p.untilStopped(sig, l)
}

// launch is what a server starts with.
type launch struct {
	settings    *settings
	out         output
	dev         bool
	certificate *server.Certificate // nil: plaintext
	supervisor  *supervisor         // nil: no service manager asked
	scrapes     net.Listener        // of the metrics; nil: there are none
}

// untilStopped serves until it fails, or a signal ends it: the first politely, a later one at once.
func (p *program) untilStopped(sig *signals, l launch) error {
	done := make(chan error, 1)
	go func() { done <- p.listen(sig, l) }()
	select {
	case err := <-done:
		if err == nil {
			l.out.stopped()
		}
		return err
	case <-sig.atOnce:
		return failed("", "stopped at the second signal, without finishing what ran")
	}
}

// listen takes the ports, before anything is opened or changed for a server that cannot have them.
func (p *program) listen(sig *signals, l launch) error {
	ln, err := net.Listen("tcp", l.settings.Addr)
	if err != nil {
		return failed("--addr HOST:PORT listens elsewhere; port 0 picks a free one", "%w", err)
	}
	if l.scrapes, err = l.settings.listenMetrics(); err == nil {
		err = errors.Join(p.runApp(sig, l, ln), closeListener(l.scrapes))
	}
	return errors.Join(err, closeListener(ln))
}

// closeListener closes one that may be closed already, as it is once it was served; nil is none.
func closeListener(ln net.Listener) error {
	if ln == nil {
		return nil
	}
	if err := ln.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// runApp opens everything, serves, and closes it again in the opposite order.
func (p *program) runApp(sig *signals, l launch, ln net.Listener) (err error) {
	s := l.settings
	at := p.progress("opening the data, and bringing it up to date")
	a, err := openApp(sig.stop, s, l.out, p.now)
	at.end()
	if err != nil {
		return explainOpen(err)
	}
	defer func() { err = errors.Join(err, a.close()) }()
	a.addr, a.certificate, a.supervisor, a.scrapes = ln.Addr().String(), l.certificate, l.supervisor, l.scrapes
	a.early.begin()
	if l.dev {
		tokens, err := a.prepareDev(sig.stop)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(p.stdout, tokens.text(s.endpoint(a.addr), s.Data)); err != nil {
			return fmt.Errorf("print the new tokens: %w", err)
		}
	}
	if err := a.openClients(); err != nil {
		return err
	}
	socket, err := control.Listen(filepath.Join(s.Data, control.SocketName))
	if err != nil {
		return err
	}
	a.announce()
	return a.run(sig, ln, socket)
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
