// Package bench measures a server that answers JSON-RPC over HTTP, one of prax or a barer one, by callers that each send
// the next request when the last is answered (a closed loop). `prax bench` is its command.
//
// Two things make its figures worth something. It is light: it writes HTTP/1.1 itself and reads an answer in full only
// when it differs from one that was read, because on one machine it takes from the server what it uses. And it believes
// nothing: each answer is compared with what was asked, to the version of a workflow that must rise by one; a server that
// is fast because it is wrong is found out.
package bench

import (
	"context"
	"fmt"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// Config is one measurement.
type Config struct {
	URL      *url.URL // http or https
	Tokens   []string // bearer tokens, one or more; see Works for who takes which
	Protocol string   // of MCP: 2025-11-25 or 2026-07-28
	Callers  int      // connections, each with one request at a time
	Warm     time.Duration
	Time     time.Duration // measured, after Warm
	Requests int64         // measured, of all callers together, after which it ends early; 0: no bound
	Rate     float64       // requests a second of all callers together, at most; 0: as fast as answers come

	// Works are taken in turn by each caller. One with Get or Move among them has an instance of its own, which it starts
	// before Warm, and is one client: caller i has token i modulo their number. Others take the next token with each request.
	Works []Share
	Asked Asked

	PID      int            // of the server, on this machine: its processor time and memory are reported; 0: they are not
	Begun    func()         // is called when every caller is connected and has its instance; nil: nothing is
	Progress func(Progress) // is told once a second how far it is; nil: nobody is
}

// Share is one kind of work and how often it is done among the others.
type Share struct {
	Work   Work
	Weight int
}

// Work is a kind of request.
type Work string

// The kinds.
const (
	Call  Work = "call"  // the tool echo; it must answer the text
	List  Work = "list"  // tools/list; there must be tools
	Start Work = "start" // a new instance of the definition, in the version 1
	Get   Work = "get"   // the caller's instance; it must be as the caller knows it
	Move  Work = "move"  // the transition of the caller's instance; the version must rise by one
	Body  Work = "body"  // the given body; there must be a result
)

// owns tells whether a caller needs an instance for this.
func (w Work) owns() bool { return w == Get || w == Move }

// Asked is what the works ask for.
type Asked struct {
	Text       string // of Call
	Definition string // of Start, Get and Move
	Transition string // of Move
	Arguments  string // of Move, as JSON
	Body       string // of Body, with IDPlace once
}

// Progress is how far a run is.
type Progress struct {
	Elapsed  time.Duration
	Requests int64 // answered since the last one was told
	Errors   int64 // so far
	Warm     bool  // not measured yet
}

// grace is how long answers are waited for after the end.
const grace = 10 * time.Second

// phase is where a run is; an answer counts for the phase in which it arrives.
type phase = int32

const (
	warming phase = iota
	measuring
	over
)

// run is one measurement under way.
type run struct {
	Config
	phase   atomic.Int32
	over    chan struct{} // closed when phase is over
	callers []*caller
}

// Run measures. Its error says why nothing was measured: no connection, or no instance. What was answered wrongly stands
// in the report. When ctx ends, the report is about the time until then.
func Run(ctx context.Context, c Config) (*Report, error) {
	if _, err := processOf(c.PID); err != nil {
		return nil, err
	}
	r := newRun(c)
	defer r.interrupt()
	if err := r.open(ctx); err != nil {
		return nil, err
	}
	if r.Begun != nil {
		r.Begun()
	}
	return r.measure(ctx), nil
}

func newRun(c Config) *run {
	r := &run{Config: c, over: make(chan struct{})}
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"+
		"Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: %s\r\n", c.URL.RequestURI(), c.URL.Host, c.Protocol)
	for i := range c.Callers {
		r.callers = append(r.callers, newCaller(r, i, head))
	}
	return r
}

// measure lets the callers work, and looks at the clocks at both ends of the measured time.
func (r *run) measure(ctx context.Context) *Report {
	var done <-chan struct{}
	if r.Warm > 0 {
		done = r.begin()
		r.wait(ctx, done, r.Warm)
	}
	before, _ := processOf(r.PID) // a server that has ended shows by errors of another kind
	own, began := ownTime(), time.Now()
	r.phase.Store(measuring)
	if done == nil {
		done = r.begin()
	}
	r.wait(ctx, done, r.Time)
	r.phase.Store(over)
	report := &Report{Seconds: time.Since(began).Seconds(), LoadCPU: ownTime() - own}
	after, _ := processOf(r.PID)
	close(r.over)
	late := time.AfterFunc(grace, r.interrupt)
	<-done
	late.Stop()
	report.fill(r, before, after)
	return report
}

// begin has the callers loop; the channel is closed when they all have ended.
func (r *run) begin() <-chan struct{} {
	done := make(chan struct{})
	var callers sync.WaitGroup
	for _, c := range r.callers {
		callers.Go(c.loop)
	}
	go func() { callers.Wait(); close(done) }()
	return done
}

// open connects every caller, and has each start the instance that it needs, until ctx ends.
func (r *run) open(ctx context.Context) error {
	stop := context.AfterFunc(ctx, r.interrupt)
	faults := make(chan error, len(r.callers))
	for _, c := range r.callers {
		go func() { faults <- c.open() }()
	}
	var first error
	for range r.callers {
		if err := <-faults; err != nil && first == nil {
			first = err
		}
	}
	if !stop() {
		first = fmt.Errorf("ended before every caller could begin: %w", ctx.Err())
	}
	if first != nil {
		return fmt.Errorf("%s: %w", r.URL.Redacted(), first)
	}
	return nil
}

func (r *run) interrupt() {
	for _, c := range r.callers {
		c.wire.interrupt()
	}
}

// wait lets the callers run for d, or until they are done or nobody waits any more.
func (r *run) wait(ctx context.Context, done <-chan struct{}, d time.Duration) {
	end := time.NewTimer(d)
	defer end.Stop()
	second := time.NewTicker(time.Second)
	defer second.Stop()
	began, answered := time.Now(), r.answered()
	for {
		select {
		case <-ctx.Done():
			return
		case <-done:
			return
		case <-end.C:
			return
		case <-second.C:
			if r.Progress == nil {
				continue
			}
			now := r.answered()
			r.Progress(Progress{time.Since(began), now - answered, r.failed(), r.phase.Load() == warming})
			answered = now
		}
	}
}

func (r *run) answered() (n int64) {
	for _, c := range r.callers {
		n += c.answered.Load()
	}
	return n
}

func (r *run) failed() (n int64) {
	for _, c := range r.callers {
		n += c.failed.Load()
	}
	return n
}
