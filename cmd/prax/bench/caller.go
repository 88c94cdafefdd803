package bench

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"
)

const (
	firstID = 1_000_000_000         // ids have ten digits, so that requests keep their length
	pause   = 10 * time.Millisecond // before a connection that failed is tried again
)

// caller sends one request after the other over its connection.
type caller struct {
	run   *run
	index int
	wire  wire
	turns []int // indexes of Works, in the order in which they are done again and again
	works []work
	own   *instance // nil: none of the works needs one
	sent  int64
	id    []byte

	answered, failed atomic.Int64 // all of them, for the progress
	counts           []histogram  // of the right answers while measuring, by index of Works
	faults           map[Kind]*faults
	longest          time.Duration // wait for any answer, right or wrong, in time or late
}

// faults are those of one kind.
type faults struct {
	count int64
	first string // the detail of the first
}

// newCaller is told the head of every request, up to the headers that differ.
func newCaller(r *run, index int, head string) *caller {
	c := &caller{
		run: r, index: index, wire: wire{url: r.URL, head: head},
		counts: make([]histogram, len(r.Works)), faults: map[Kind]*faults{},
	}
	for i, share := range r.Works {
		if share.Work.owns() && c.own == nil {
			c.own = &instance{config: &r.Config, followed: map[string]string{}}
		}
		for range share.Weight {
			c.turns = append(c.turns, i)
		}
	}
	for _, share := range r.Works {
		c.works = append(c.works, c.newWork(share.Work))
	}
	return c
}

func (c *caller) newWork(w Work) work {
	config := &c.run.Config
	switch w {
	case Call:
		return config.echo()
	case List:
		return config.list()
	case Start:
		return config.start(nil)
	case Get:
		return c.own.get()
	case Move:
		return c.own.move()
	default:
		return config.given()
	}
}

// open connects, and starts the instance of a caller that needs one.
func (c *caller) open() error {
	if err := c.wire.connect(); err != nil {
		return err
	}
	if c.own == nil {
		return nil
	}
	if _, f := c.exchange(c.run.Config.start(c.own)); f != nil {
		return fmt.Errorf("start of %s: %w", c.run.Asked.Definition, f)
	}
	return nil
}

// loop works until the run is over, or until the caller has done its share of the requests.
func (c *caller) loop() {
	quota := c.quota()
	var moments *pace // nil: as fast as answers come
	if c.run.Rate > 0 {
		moments = newPace(c.run.Rate, c.index, c.run.Callers, time.Now())
	}
	for i, done := 0, int64(0); quota == 0 || done < quota; i++ {
		if !c.await(moments) {
			return
		}
		turn := c.turns[(i+c.index)%len(c.turns)]
		took, f := c.exchange(c.works[turn])
		if c.record(turn, took, f) != warming {
			done++
		}
		if f != nil && !c.settle() {
			return
		}
	}
}

// quota is how many of the measured requests are this caller's; 0: no bound.
func (c *caller) quota() int64 {
	callers := int64(c.run.Callers)
	quota := c.run.Requests / callers
	if int64(c.index) < c.run.Requests%callers {
		quota++
	}
	return quota
}

// await waits for the moment of the next request and tells whether there is to be one.
func (c *caller) await(p *pace) bool {
	if c.run.phase.Load() == over {
		return false
	}
	if p == nil {
		return true
	}
	wait := p.next(time.Now())
	return wait <= 0 || c.sleep(wait)
}

// sleep tells whether the run goes on after d.
func (c *caller) sleep(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-c.run.over:
		return false
	}
}

// exchange does one work and tells how long its answer took.
func (c *caller) exchange(w work) (time.Duration, *Fault) {
	if c.wire.conn == nil {
		if err := c.wire.connect(); err != nil {
			return 0, fault(NoConnection, "%v", err)
		}
	}
	c.sent++
	c.id = strconv.AppendInt(c.id[:0], firstID+c.sent, 10)
	asked := w.request()
	began := time.Now()
	status, body, err := c.wire.exchange(asked, c.token(), c.id)
	took := time.Since(began)
	switch {
	case errors.Is(err, errHTTP):
		return took, fault(NotHTTP, "%v", err)
	case err != nil:
		return took, fault(Cut, "%v", err)
	case status != 200:
		return took, fault(Status, "%d %s", status, bytes.TrimSpace(bytes.ToValidUTF8(body, []byte("�"))))
	}
	return took, w.check(body, c.id)
}

func (c *caller) token() string {
	tokens := c.run.Tokens
	if c.own != nil {
		return tokens[c.index%len(tokens)]
	}
	// Callers begin at places far from each other, and all tokens have their turn.
	return tokens[(int64(c.index)*int64(len(tokens))/int64(c.run.Callers)+c.sent)%int64(len(tokens))]
}

// record counts an answer for the phase in which it came. What is wrong counts in each.
func (c *caller) record(turn int, took time.Duration, f *Fault) phase {
	if f != nil {
		c.fail(f)
	}
	c.answered.Add(1)
	now := c.run.phase.Load()
	if now != warming {
		c.longest = max(c.longest, took)
	}
	if now == measuring && f == nil {
		c.counts[turn].add(took)
	}
	return now
}

func (c *caller) fail(f *Fault) {
	c.failed.Add(1)
	of := c.faults[f.Kind]
	if of == nil {
		of = &faults{first: f.Detail}
		c.faults[f.Kind] = of
	}
	of.count++
}

// settle gets ready for the next request after one that failed, and tells whether there is to be one. Whether a move
// without a proper answer was made is asked, not assumed.
func (c *caller) settle() bool {
	if c.own != nil {
		c.own.unsure = true
	}
	for c.wire.conn == nil || c.own != nil && c.own.unsure {
		if !c.sleep(pause) {
			return false
		}
		if c.own == nil {
			return true
		}
		_, f := c.exchange(reread{c.own.get()})
		if f == nil {
			return true
		}
		c.fail(f)
	}
	return true
}
