package main

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"prax/cmd/prax/bench"
)

// printBegun says that the load is on, for who waits for that: a person, or a program that measures something else meanwhile.
func (p *program) printBegun(c bench.Config) {
	end := c.Time.String()
	if c.Requests > 0 {
		end += " or " + count(int(c.Requests), "request")
	}
	fmt.Fprintf(p.stderr, "%s: %v to warm up, then %s\n", count(c.Callers, "caller"), c.Warm, end)
}

// benchProgress shows on a terminal how far it is; nil where there is none.
func (p *program) benchProgress() func(bench.Progress) {
	at, ok := p.stderr.(*screen)
	if !ok || !p.obeys(at) {
		return nil
	}
	return func(now bench.Progress) {
		doing := "measuring"
		if now.Warm {
			doing = "warming up"
		}
		at.show(fmt.Sprintf("%s, %.0f s: %d requests a second, %d errors", doing, now.Elapsed.Seconds(), now.Requests, now.Errors))
	}
}

// printBench prints what was measured. An answer that was wrong, or none at all, fails the command.
func (p *program) printBench(r *bench.Report, asJSON bool) error {
	if at, ok := p.stderr.(*screen); ok {
		at.show("")
	}
	if asJSON {
		if err := p.printJSON(r); err != nil {
			return err
		}
	} else {
		p.printBenchText(r)
	}
	switch {
	case r.Errors > 0 && asJSON:
		return &failure{code: exitFailed, err: errShown}
	case r.Errors > 0:
		return failed("", "%s not answered rightly", count(int(r.Errors), "request"))
	case r.Requests == 0:
		return failed("", "nothing was answered while it was measured")
	}
	return nil
}

func (p *program) printBenchText(r *bench.Report) {
	fmt.Fprintf(p.stdout, "requests  %d in %.2f s: %.0f a second\n", r.Requests, r.Seconds, r.PerSecond)
	if r.Requests > 0 {
		p.printLatency("latency", r.Latency)
	}
	if r.Requests > 0 && len(r.Works) > 1 {
		for _, work := range slices.Sorted(maps.Keys(r.Works)) {
			p.printLatency("  "+string(work), r.Works[work].Latency)
		}
	}
	fmt.Fprintf(p.stdout, "longest   %s, those in flight at the end included\n", microseconds(r.Longest))
	if s := r.Server; s != nil {
		fmt.Fprintf(p.stdout, "server    %.2f CPU seconds for 100,000 requests, %.1f MB resident, %.1f MB at its peak\n", s.CPUPer, s.RSS, s.PeakRSS)
	}
	for _, kind := range slices.Sorted(maps.Keys(r.ByKind)) {
		of := r.ByKind[kind]
		fmt.Fprintf(p.stdout, "errors    %d %s, the first: %s\n", of.Count, kind, printable(of.First))
	}
}

func (p *program) printLatency(name string, l bench.Latency) {
	fmt.Fprintf(p.stdout, "%-9s p50 %s, p90 %s, p99 %s, p99.9 %s, max %s\n", name,
		microseconds(l.P50), microseconds(l.P90), microseconds(l.P99), microseconds(l.P999), microseconds(l.Max))
}

// microseconds is a duration as a person reads it, with four digits at most.
func microseconds(us float64) string {
	d := time.Duration(us * float64(time.Microsecond))
	last := time.Nanosecond
	for d >= 10_000*last {
		last *= 10
	}
	return d.Round(last).String()
}
