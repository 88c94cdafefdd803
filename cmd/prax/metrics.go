package main

import (
	"context"
	stdlog "log"
	"log/slog"
	"net"

	"prax/auth"
	"prax/server"
	"prax/server/mcp"
	"prax/store"
)

func (s *settings) checkMetrics() error {
	if s.MetricsAddr == "" {
		return nil
	}
	return server.CheckMetricsBind(s.MetricsAddr, s.InsecureBind)
}

// newMetrics is what counts; nil when nothing is to be.
func (s *settings) newMetrics() *server.Metrics {
	if s.MetricsAddr == "" {
		return nil
	}
	return server.NewMetrics(server.Protocol{Name: "mcp", Route: "/mcp", Methods: mcp.Methods()})
}

// listenMetrics takes the address of the metrics; nil when there are none.
func (s *settings) listenMetrics() (net.Listener, error) {
	if s.MetricsAddr == "" {
		return nil, nil
	}
	ln, err := net.Listen("tcp", s.MetricsAddr)
	if err != nil {
		return nil, failed("PRAX_METRICS_ADDR or --metrics-addr HOST:PORT has metrics elsewhere; off has none", "metrics: %w", err)
	}
	return ln, nil
}

// serveMetrics answers scrapes until ctx ends. Callers are served without them, too: that they cannot be is for the log.
func (a *app) serveMetrics(ctx context.Context) error {
	if a.scrapes == nil {
		return nil
	}
	// Into which the library says what of the process it cannot read, as who is not root may not.
	stdlog.SetFlags(0)
	stdlog.SetOutput(slog.NewLogLogger(a.out.log.Handler(), slog.LevelInfo).Writer())
	if err := a.server.ServeMetrics(ctx, a.scrapes, a.metricsSources()); err != nil {
		a.out.log.Error("metrics cannot be read any more", slog.Any("error", err))
	}
	return nil
}

func (a *app) metricsSources() server.Sources {
	b := readBuild()
	from := server.Sources{
		Version: b.Version, Commit: b.Commit, Go: b.Go, Started: a.since,
		Registry:    a.registryFacts,
		Store:       func(context.Context) (server.StoreFacts, error) { return server.StoreFacts(a.db.Stats()), nil },
		Waiting:     a.waitingFacts,
		Writable:    func(ctx context.Context) (server.WritableFact, error) { return a.db.Health(ctx) == nil, nil },
		Certificate: a.certificate,
		Handlers:    a.tools.Running,
		Known: func(client string) bool {
			_, known := a.clients.ByName(client)
			return known
		},
	}
	if a.defined != nil {
		from.Definitions = func(context.Context) (server.DefinitionsFact, error) {
			return server.DefinitionsFact(a.defined.Status().OK), nil
		}
	}
	return from
}

func (a *app) registryFacts(context.Context) (server.RegistryFacts, error) {
	s := a.clients.Status()
	return server.RegistryFacts{
		Generation: s.Generation, Clients: s.Clients, Expiring: len(a.clients.Expiring(auth.Soon)), FileOK: s.OK, Loaded: s.Loaded,
	}, nil
}

// unsettled are the statuses in which attempts wait for something.
var unsettled = []store.AttemptStatus{store.AttemptRunning, store.AttemptUnknown, store.AttemptKept}

func (a *app) waitingFacts(ctx context.Context) (f server.WaitingFacts, err error) {
	f.Attempts = map[string]int{}
	err = a.db.View(ctx, func(tx store.Tx) (err error) {
		for _, status := range unsettled {
			if f.Attempts[string(status)], err = tx.CountAttempts(status); err != nil {
				return err
			}
		}
		f.Approvals, f.Oldest, err = tx.CountApprovals(a.now())
		return err
	})
	return f, err
}
