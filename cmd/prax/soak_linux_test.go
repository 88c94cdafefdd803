package main

import (
	"context"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"prax/cmd/prax/bench"
)

// TestSoak runs a server in this process at half of the load that it can take, for as long as the variable SOAK says
// (`make soak`: 15 minutes). What it holds must be flat: over the last two thirds neither memory nor goroutines nor descriptors may
// rise, and the log of the database stays small. The load is in this process too; its share does not change.
func TestSoak(t *testing.T) {
	span, err := time.ParseDuration(os.Getenv("SOAK"))
	if err != nil {
		t.Skip("it takes as long as it is told: SOAK=15m")
	}
	s := newSoak(t)
	defer s.stop()
	full := s.load(min(10*time.Second, span/4), 0)
	s.watch(span, func() { s.load(span, full.PerSecond/2) })
	s.print()
	s.judge()
}

// soak is a server, and what was seen of it.
type soak struct {
	t    *testing.T
	url  *url.URL
	data string
	stop func()
	seen []soakSample
}

// soakSample is what the process held at a moment.
type soakSample struct {
	at                      time.Duration
	memory, log, data       float64 // MB
	goroutines, descriptors float64
}

const (
	soakClients = 8
	mostLog     = 64 // MB: the store folds it from 16 on, and readers may be in the way for a while
)

func newSoak(t *testing.T) *soak {
	c := newCrash(t)
	c.admit(soakClients, "echo", "praxec.query", "praxec.command")
	addr := freeAddress(t)
	ctx, cancel := context.WithCancel(t.Context())
	p, _, stderr := trial("MCP_SERVER_ENABLED=true", "MCP_CLIENTS_PATH="+filepath.Join(c.dir, "clients.json"), "PRAX_DATA="+c.data(),
		"PRAX_CONFIG=../../examples/bench/praxec.yaml", "PRAX_ADDR="+addr, "PRAX_LOG=error")
	p.signals = func(context.Context, func() time.Time) *signals { return &signals{stop: ctx, end: func() {}} }
	ended := make(chan int, 1)
	go func() { ended <- p.run([]string{"serve"}) }()
	c.url = "http://" + addr
	if !c.ready(nil) {
		t.Fatal(stderr)
	}
	return &soak{t: t, url: &url.URL{Scheme: "http", Host: addr, Path: "/mcp"}, data: c.data(), stop: func() {
		cancel()
		if code := <-ended; code != 0 {
			t.Errorf("the server ended with %d: %s", code, stderr)
		}
	}}
}

// load asks for this long, at most so many times a second; 0: as often as there are answers.
func (s *soak) load(span time.Duration, rate float64) *bench.Report {
	s.t.Helper()
	var tokens []string
	for i := range soakClients {
		tokens = append(tokens, crashToken(i))
	}
	report, err := bench.Run(s.t.Context(), bench.Config{
		URL: s.url, Tokens: tokens, Protocol: "2025-11-25", Callers: 2 * soakClients, Time: span, Rate: rate,
		Works: []bench.Share{{Work: bench.Call, Weight: 4}, {Work: bench.List, Weight: 1}, {Work: bench.Get, Weight: 4}, {Work: bench.Move, Weight: 1}},
		Asked: bench.Asked{Text: "quokka", Definition: "rally", Transition: "hit", Arguments: `{"text":"quokka"}`},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	if report.Errors > 0 {
		s.t.Errorf("%d errors: %+v", report.Errors, report.ByKind)
	}
	s.t.Logf("%.0f requests a second for %v, p99 %.1f ms, longest %.1f ms", report.PerSecond, span, report.Latency.P99/1000, report.Longest/1000)
	return report
}

// watch takes samples while f runs.
func (s *soak) watch(span time.Duration, f func()) {
	done := make(chan struct{})
	var watching sync.WaitGroup
	defer watching.Wait()
	defer close(done)
	watching.Go(func() { s.look(max(span/900, 100*time.Millisecond), done) })
	f()
}

// look takes a sample each time that so long is over.
func (s *soak) look(each time.Duration, done <-chan struct{}) {
	began := time.Now()
	tick := time.NewTicker(each)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.seen = append(s.seen, s.sample(time.Since(began)))
		case <-done:
			return
		}
	}
}

func (s *soak) sample(at time.Duration) soakSample {
	var size, resident int64
	text, err := os.ReadFile("/proc/self/statm")
	if err == nil {
		_, err = fmt.Sscan(string(text), &size, &resident)
	}
	if err != nil {
		s.t.Error(err)
	}
	var data, log int64
	_ = filepath.WalkDir(s.data, func(path string, entry fs.DirEntry, _ error) error { // files may go meanwhile
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			data += info.Size()
			if strings.HasSuffix(path, "-wal") {
				log = info.Size()
			}
		}
		return nil
	})
	const mb = 1 << 20
	return soakSample{
		at: at, memory: float64(resident) * float64(os.Getpagesize()) / mb, log: float64(log) / mb, data: float64(data) / mb,
		goroutines: float64(runtime.NumGoroutine()), descriptors: float64(openFiles(s.t, os.Getpid())),
	}
}

// print shows some of what was seen.
func (s *soak) print() {
	s.t.Logf("%8s %10s %10s %11s %8s %8s", "after", "memory MB", "goroutines", "descriptors", "log MB", "data MB")
	for i := 0; i < len(s.seen); i += max(1, len(s.seen)/15) {
		n := s.seen[i]
		s.t.Logf("%8s %10.1f %10.0f %11.0f %8.1f %8.1f", n.at.Round(time.Second), n.memory, n.goroutines, n.descriptors, n.log, n.data)
	}
}

// judge asks for flatness of the last two thirds.
func (s *soak) judge() {
	last := s.seen[len(s.seen)/3:]
	if len(last) < 10 {
		s.t.Fatalf("%d samples say nothing", len(last))
	}
	for _, of := range []struct {
		name  string
		value func(soakSample) float64
		share float64 // of its mean that it may rise
		least float64 // that it may rise in any case
	}{
		{"memory (MB)", func(n soakSample) float64 { return n.memory }, 0.1, 8},
		{"goroutines", func(n soakSample) float64 { return n.goroutines }, 0, 2 * soakClients},
		{"descriptors", func(n soakSample) float64 { return n.descriptors }, 0, 4},
		{"log (MB)", func(n soakSample) float64 { return n.log }, 0, 16},
	} {
		mean, rise := trend(last, of.value)
		s.t.Logf("%s: %.1f on average, rises by %.1f", of.name, mean, rise)
		if most := max(of.least, of.share*mean); rise > most {
			s.t.Errorf("%s: rises by %.1f over the last two thirds, more than %.1f", of.name, rise, most)
		}
	}
	for _, n := range last {
		if n.log > mostLog {
			s.t.Fatalf("the log of the database has %.1f MB after %v", n.log, n.at)
		}
	}
}

// trend is the mean of samples, and how much the straight line that fits them best rises from the first to the last.
func trend(samples []soakSample, value func(soakSample) float64) (mean, rise float64) {
	n := float64(len(samples))
	middle := 0.0
	for _, s := range samples {
		mean += value(s) / n
		middle += s.at.Seconds() / n
	}
	var above, below float64
	for _, s := range samples {
		from := s.at.Seconds() - middle
		above += from * (value(s) - mean)
		below += from * from
	}
	return mean, above / below * (samples[len(samples)-1].at - samples[0].at).Seconds()
}

// TestTrend: the line through points on a line is that line, and noise around a level is none.
func TestTrend(t *testing.T) {
	t.Parallel()
	var rising, level []soakSample
	for i := range 100 {
		at := time.Duration(i) * time.Second
		rising = append(rising, soakSample{at: at, memory: 10 + 2*float64(i)})
		level = append(level, soakSample{at: at, memory: 50 + float64(i%2)})
	}
	memory := func(s soakSample) float64 { return s.memory }
	if mean, rise := trend(rising, memory); int(mean+0.5) != 109 || int(rise+0.5) != 198 {
		t.Errorf("mean %v, rise %v, want 109 and 198", mean, rise)
	}
	if _, rise := trend(level, memory); rise > 0.1 || rise < -0.1 {
		t.Errorf("a level rises by %v", rise)
	}
}
