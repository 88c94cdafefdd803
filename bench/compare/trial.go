package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
)

// trial is a target under a load. Those that are compared take turns.
type trial struct {
	name   string
	target target
	load   load
	beside func(context.Context, *bench, server) (stop func() error, err error) // what else goes on; nil: nothing
	shared bool                                                                 // server and load share the cores
}

// load is how prax bench is called.
type load struct {
	callers int
	tokens  string // file
	args    []string
}

// sample is what one trial gave in one round.
type sample struct {
	rate  float64 // requests a second
	cpu   float64 // seconds of the server for 100,000 requests
	p99   float64 // microseconds
	rss   float64 // MB, at the end
	start float64 // ms to the first answer
}

func rate(s sample) float64  { return s.rate }
func cpu(s sample) float64   { return s.cpu }
func p99(s sample) float64   { return s.p99 }
func rss(s sample) float64   { return s.rss }
func began(s sample) float64 { return s.start }

// each is the time that one caller waits for one answer.
func each(s sample) float64 { return 1e6 / s.rate }

// answered is what of the report of prax bench is used here.
type answered struct {
	Requests int64   `json:"requests"`
	Rate     float64 `json:"requests_per_second"`
	Latency  struct {
		P99 float64 `json:"p99"`
	} `json:"latency_us"`
	Errors int64           `json:"errors"`
	ByKind json.RawMessage `json:"errors_by_kind"`
	Server struct {
		CPU float64 `json:"cpu_seconds_per_100k"`
		RSS float64 `json:"resident_mb"`
	} `json:"server"`
}

// inTurn runs the trials by turns and returns the samples of each, by name.
func (b *bench) inTurn(ctx context.Context, trials ...trial) (map[string][]sample, error) {
	samples := map[string][]sample{}
	for range b.rounds {
		for _, t := range trials {
			got, err := b.measure(ctx, t)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", t.name, err)
			}
			samples[t.name] = append(samples[t.name], got)
		}
	}
	return samples, nil
}

func (b *bench) measure(ctx context.Context, t trial) (got sample, err error) {
	core := serverCore
	if t.shared {
		core = ""
	}
	err = t.target.serving(ctx, core, func(s server) error {
		stop := func() error { return nil }
		if t.beside != nil {
			if stop, err = t.beside(ctx, b, s); err != nil {
				return err
			}
		}
		a, err := b.loaded(ctx, s, t)
		got = sample{a.Rate, a.Server.CPU, a.Latency.P99, a.Server.RSS, float64(s.start) / float64(time.Millisecond)}
		return errors.Join(err, stop())
	})
	return got, err
}

// loaded has prax bench measure a server.
func (b *bench) loaded(ctx context.Context, s server, t trial) (a answered, err error) {
	c := b.benchCommand(s, t.load, "--warmup", b.warm.String(), "--duration", b.time.String(),
		"--requests", strconv.Itoa(b.requests), "--pid", strconv.Itoa(s.pid))
	core := loadCore
	if t.shared {
		core = ""
	}
	return runLoad(ctx, c, core, io.Discard)
}

func (b *bench) benchCommand(s server, l load, more ...string) command {
	argv := []string{b.program("prax"), "bench", "http://" + s.addr + "/mcp", "--json",
		"--tokens", l.tokens, "--concurrency", strconv.Itoa(l.callers)}
	return command{argv: append(append(argv, l.args...), more...)}
}

// runLoad runs prax bench, whose answers must all be right. It may have none when ctx ends it. What it says meanwhile goes
// to told too.
func runLoad(ctx context.Context, c command, core string, told io.Writer) (a answered, err error) {
	cmd := c.on(ctx, core)
	var said bytes.Buffer
	cmd.Stderr = io.MultiWriter(&said, told)
	out, err := cmd.Output()
	if bad := json.Unmarshal(out, &a); bad != nil {
		return a, fmt.Errorf("load: %w: %s", errors.Join(err, bad), said.Bytes())
	}
	if a.Errors > 0 || a.Requests == 0 && ctx.Err() == nil {
		return a, fmt.Errorf("load: %d requests, %d errors: %s", a.Requests, a.Errors, a.ByKind)
	}
	return a, nil
}
