package server

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"prax/auth/watch"
)

// Certificate is the pair that handshakes get, kept in step with its two files: a renewal is in force for the next
// handshake, and connections that are open stay. Files that cannot be used, because one is missing or they do not
// belong together, as in the midst of a renewal, leave the last good pair in force. It is safe for concurrent use.
type Certificate struct {
	cert, key string
	log       *slog.Logger
	now       func() time.Time
	watchers  [2]*watch.Watcher
	pair      atomic.Pointer[Pair]
	broken    atomic.Bool

	mu      sync.Mutex // one reading at a time
	failing string     // why the files could not be used; "": they could
	changed func(reason string, p Pair, err error)
}

// remindEvery is how often the log says again that a certificate ends soon.
const remindEvery = 24 * time.Hour

// OpenCertificate reads the files for the first time: an error says why there is no certificate.
func OpenCertificate(certFile, keyFile string, log *slog.Logger, now func() time.Time) (*Certificate, error) {
	c := &Certificate{cert: certFile, key: keyFile, log: log, now: now}
	for i, file := range []string{certFile, keyFile} {
		c.watchers[i] = watch.New(file, watch.Options{Log: log})
	}
	if err := c.Reload(watch.Start); err != nil {
		return nil, err
	}
	return c, nil
}

// Run keeps the pair in step with the files until ctx ends. changed, which may be nil, is told of each pair that comes
// into force, and of files that cannot be used. An error is one that makes watching impossible.
func (c *Certificate) Run(ctx context.Context, changed func(reason string, p Pair, err error)) error {
	c.mu.Lock()
	c.changed = changed
	c.mu.Unlock()
	ctx, end := context.WithCancel(ctx)
	defer end()
	var (
		group  sync.WaitGroup
		failed [len(c.watchers)]error
	)
	for i, w := range c.watchers {
		group.Go(func() {
			defer end()
			failed[i] = w.Run(ctx, func(reason string) bool { return c.Reload(reason) == nil })
		})
	}
	group.Go(func() { c.remind(ctx) })
	group.Wait()
	return errors.Join(failed[:]...)
}

// Force has the files read again soon although they look the same, as an operator asks for with SIGHUP. The channel is
// closed when that is over.
func (c *Certificate) Force() (done <-chan struct{}) { return c.watchers[0].Force() }

// Reload reads the files now. The reason is for the log.
func (c *Certificate) Reload(reason string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, err := ReadPair(c.cert, c.key)
	if err != nil {
		c.fail(reason, err)
		return err
	}
	back := c.failing != ""
	c.failing = ""
	c.broken.Store(false)
	old := c.pair.Load()
	switch {
	case old == nil || back || old.Digest != p.Digest || old.Loose != p.Loose:
		c.pair.Store(&p)
		c.say(reason, p)
		c.tell(reason, p, nil)
	case reason == watch.Forced:
		c.say(reason, p)
	}
	return nil
}

// fail leaves what is in force. The same failure is said once, unless the operator asked.
func (c *Certificate) fail(reason string, err error) {
	news := c.failing != err.Error()
	c.failing = err.Error()
	c.broken.Store(true)
	if c.pair.Load() == nil || !news && reason != watch.Forced {
		return
	}
	c.log.Error("the files of the certificate cannot be used: the last good pair stays in force",
		slog.String("reason", reason), slog.Any("error", err))
	if news {
		c.tell(reason, Pair{}, err)
	}
}

func (c *Certificate) say(reason string, p Pair) {
	c.log.Info("certificate in force", slog.String("reason", reason), slog.Any("names", p.Names),
		slog.Time("until", p.Until), slog.String("sha256", p.Digest))
	if p.Loose {
		c.log.Warn("the key of the certificate can be read or written by others than its owner: chmod 600", slog.String("file", c.key))
	}
	c.warn(p)
}

func (c *Certificate) warn(p Pair) {
	if concern := p.Concern(c.now()); concern != "" {
		c.log.Warn(concern, slog.String("file", c.cert))
	}
}

func (c *Certificate) tell(reason string, p Pair, err error) {
	if c.changed != nil {
		c.changed(reason, p, err)
	}
}

// remind says each day what there is to say of the certificate's end.
func (c *Certificate) remind(ctx context.Context) {
	tick := time.NewTicker(remindEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			c.warn(c.Pair())
		}
	}
}

// Pair is what handshakes get now.
func (c *Certificate) Pair() Pair { return *c.pair.Load() }

// Broken tells whether the files cannot be used, so that the pair in force is an older one.
func (c *Certificate) Broken() bool { return c.broken.Load() }

// Concern is what an operator should see to, as [Pair.Concern] has it, or that the files cannot be used.
func (c *Certificate) Concern(now time.Time) string {
	if c.Broken() {
		return "the files of the certificate cannot be used, the last good pair is in force: see the log, or prax check"
	}
	return c.Pair().Concern(now)
}

// config is TLS as it is served. Sessions are not resumed: each handshake proves the key that is in force.
func (c *Certificate) config() *tls.Config {
	return &tls.Config{
		MinVersion:             tls.VersionTLS12, // RFC 9325 3.1.1
		SessionTicketsDisabled: true,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return &c.pair.Load().certificate, nil
		},
	}
}
