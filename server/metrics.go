package server

import (
	"strings"
	"sync/atomic"
	"time"

	"prax/store"
)

// Metrics counts what an operator watches, and is told of it: as an observer of the store, of the tools and of workflows,
// and by a server whose Config has it. Make one with [NewMetrics]; it is safe for concurrent use. What it keeps is bounded,
// and holds nothing that a caller chose: labels are of fixed sets, names of clients and of tools.
type Metrics struct {
	requests  requestCounts
	responses responseCounts
	denials   denialCounts
	calls     labelled[callCounts]

	started, moved [len(statuses)]atomic.Uint64
	refused        labelled[atomic.Uint64]
	reloads        [len(reloadOutcomes)]atomic.Uint64

	commits, batches histogram
	failed           atomic.Uint64
}

// mostCodes bounds the codes of refusals that are told apart. They are fixed, and fewer.
const mostCodes = 200

var (
	statuses       = [...]store.Status{store.Open, store.Completed, store.Cancelled}
	reloadOutcomes = [...]string{"ok", "error"}

	commitTimes = seconds(100*time.Microsecond, 250*time.Microsecond, 500*time.Microsecond, time.Millisecond, 2500*time.Microsecond, 5*time.Millisecond,
		10*time.Millisecond, 25*time.Millisecond, 50*time.Millisecond, 100*time.Millisecond, 250*time.Millisecond, 500*time.Millisecond, time.Second, 5*time.Second)
	batchSizes = pieces(1, 2, 4, 8, 16, 32, 64, 128, 256)
)

// NewMetrics is a Metrics that has counted nothing yet. Requests of other protocols than these are counted together.
func NewMetrics(protocols ...Protocol) *Metrics {
	m := &Metrics{commits: newHistogram(commitTimes), batches: newHistogram(batchSizes)}
	m.requests.init(protocols)
	m.calls.init(mostTools, newCallCounts)
	m.refused.init(mostCodes, func() *atomic.Uint64 { return new(atomic.Uint64) })
	return m
}

// answered counts a request that has ended. A nil Metrics counts nothing.
func (m *Metrics) answered(x *exchange) {
	if m == nil {
		return
	}
	m.responses.add(x.route, x.status)
	if x.edge != nil {
		m.requests.add(x)
	}
}

func (m *Metrics) denied(reason Reason) {
	if m != nil {
		m.denials.add(reason)
	}
}

// Committed implements sqlite.Observer.
func (m *Metrics) Committed(functions int, took time.Duration) {
	m.commits.add(int64(max(took, 0)))
	m.batches.add(int64(functions))
}

// Failed implements sqlite.Observer.
func (m *Metrics) Failed() { m.failed.Add(1) }

// Started implements runner.Observer.
func (m *Metrics) Started(s store.Status) { m.started[placeOf(s)].Add(1) }

// Moved implements runner.Observer.
func (m *Metrics) Moved(s store.Status) { m.moved[placeOf(s)].Add(1) }

func placeOf(s store.Status) int {
	for at, one := range statuses {
		if one == s {
			return at
		}
	}
	return 0
}

// Refused counts a refusal of a workflow by its code, as praxec.Config has it.
func (m *Metrics) Refused(code string) {
	if !isCode(code) {
		code = otherLabel
	}
	m.refused.at(code).Add(1)
}

// isCode tells whether a text has the form of a code: what has another is none of ours.
func isCode(code string) bool {
	return code != "" && len(code) <= 64 && strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == ""
}

// Reloaded counts a reading of clients.json that changed something, or found it unreadable.
func (m *Metrics) Reloaded(ok bool) {
	at := 0
	if !ok {
		at = 1
	}
	m.reloads[at].Add(1)
}

// writeCounted writes all that was counted.
func (m *Metrics) writeCounted(t *text) {
	m.requests.write(t)
	m.responses.write(t)
	m.denials.write(t)
	m.writeCalls(t)
	m.writeWorkflows(t)
	t.open(&reloadsTotal)
	for at := range m.reloads {
		t.sample(reloadsTotal.name, float64(m.reloads[at].Load()), "outcome", reloadOutcomes[at])
	}
	t.open(&commitSeconds)
	m.commits.write(t, commitSeconds.name)
	t.open(&commitFunctions)
	m.batches.write(t, commitFunctions.name)
	t.only(&failedTransactionsTotal, float64(m.failed.Load()))
}

func (m *Metrics) writeWorkflows(t *text) {
	for _, c := range []struct {
		of     *family
		counts *[len(statuses)]atomic.Uint64
	}{{&startsTotal, &m.started}, {&movesTotal, &m.moved}} {
		t.open(c.of)
		for at := range c.counts {
			t.sample(c.of.name, float64(c.counts[at].Load()), "status", string(statuses[at]))
		}
	}
	t.open(&refusalsTotal)
	m.refused.each(func(code string, n *atomic.Uint64) {
		if n.Load() > 0 {
			t.sample(refusalsTotal.name, float64(n.Load()), "code", code)
		}
	})
}
