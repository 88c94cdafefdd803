package server

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	library "github.com/VictoriaMetrics/metrics"
)

// Sources are what a scrape asks for beside what was counted. A nil function leaves its series out.
type Sources struct {
	Version, Commit, Go string // of the build
	Started             time.Time

	Registry    func(context.Context) (RegistryFacts, error)
	Definitions func(context.Context) (DefinitionsFact, error)
	Store       func(context.Context) (StoreFacts, error)
	Waiting     func(context.Context) (WaitingFacts, error)
	Writable    func(context.Context) (WritableFact, error) // it may write: asked every 10 seconds at most
	Certificate *Certificate                                // nil: plaintext
	Handlers    func() (active, strayed int)
	Known       func(client string) bool // whether there is a client of this name: others make room
}

// scraper answers scrapes.
type scraper struct {
	s       *Server
	m       *Metrics
	guard   *guard
	sources Sources

	asked []asked

	one sync.Mutex // scrape at a time
}

// asked are the sources that there are.
func (from *Sources) asked(log *slog.Logger) (all []asked) {
	all = ask(all, "registry", 0, from.Registry, log)
	all = ask(all, "definitions", 0, from.Definitions, log)
	all = ask(all, "store", 0, from.Store, log)
	all = ask(all, "waiting", waitingFor, from.Waiting, log)
	return ask(all, "writable", probeFor, from.Writable, log)
}

// scrape is the text of all series. It comes in time, whatever the sources do.
func (c *scraper) scrape() []byte {
	c.one.Lock()
	defer c.one.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), sourceTimeout)
	defer cancel()
	for _, s := range c.asked {
		s.begin()
	}
	if c.sources.Known != nil {
		c.m.requests.clients.forget(c.sources.Known)
	}
	t := &text{}
	c.writeProcess(t)
	c.m.writeCounted(t)
	c.writeNow(t)
	c.writeSources(t, ctx.Done())
	c.writeRuntime(t)
	return t.buf
}

// writeRuntime has the library write what it knows of Go and of the process. It may panic where it does not know the
// system: then its series are missing.
func (c *scraper) writeRuntime(t *text) {
	defer func() {
		if cause := recover(); cause != nil {
			c.s.cfg.Log.Warn("metrics: those of the process are not known", "cause", fmt.Sprint(cause))
		}
	}()
	var b bytes.Buffer
	library.WriteProcessMetrics(&b)
	t.buf = append(t.buf, b.Bytes()...)
}

func (c *scraper) writeProcess(t *text) {
	from := &c.sources
	t.open(&buildInfo)
	t.sample(buildInfo.name, 1, "version", from.Version, "commit", from.Commit, "go", from.Go)
	t.only(&startTime, float64(from.Started.UnixMilli())/1000)
	t.only(&uptime, time.Since(from.Started).Seconds())
}

// writeNow is what goes on at this moment.
func (c *scraper) writeNow(t *text) {
	t.only(&requestsInFlight, float64(c.s.running.Load()))
	t.only(&streamsOpen, float64(c.s.cfg.Edge.Streams()))
	if c.sources.Handlers != nil {
		active, strayed := c.sources.Handlers()
		t.only(&callsRunning, float64(active))
		t.only(&callsLeft, float64(strayed))
	}
	if cert := c.sources.Certificate; cert != nil {
		t.only(&certificateExpires, float64(cert.Pair().Until.Unix()))
		t.only(&certificateFilesOK, truth(!cert.Broken()))
	}
}

// writeSources waits for what the sources say, and tells of which this scrape has the series.
func (c *scraper) writeSources(t *text, timeUp <-chan struct{}) {
	up := make([]bool, len(c.asked))
	for n, s := range c.asked {
		up[n] = s.write(t, timeUp)
	}
	t.open(&sourceUp)
	for n, s := range c.asked {
		t.sample(sourceUp.name, truth(up[n]), "source", s.name())
	}
}
