// Command compare measures what prax costs, as ratios: with many clients over one, and over a bare server of net/http.
// Servers take turns, each in a fresh process; the ratio of a round is taken between neighbours in time, because the
// absolute figures of a shared machine mean little. It reports and does not judge.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

const (
	listBody    = `{"jsonrpc":"2.0","id":{{id}},"method":"tools/list","params":{}}`
	shortResult = `{"content":[{"type":"text","text":"what a tool with little to say answers"}]}`
	callBody    = `{"jsonrpc":"2.0","id":{{id}},"method":"tools/call","params":{"name":"get_current_datetime","arguments":{}}}`
)

type settings struct {
	programs    string // directory with prax, floor and load
	rounds      int
	clients     int
	connections int
	warm, time  time.Duration
	settle      time.Duration // before memory at rest is read
}

func main() {
	s := settings{warm: 500 * time.Millisecond, settle: time.Second}
	quick := flag.Bool("quick", false, "one short round, only to see that everything runs")
	flag.StringVar(&s.programs, "programs", "", "directory with prax, floor and load")
	flag.IntVar(&s.rounds, "rounds", 5, "rounds")
	flag.IntVar(&s.clients, "clients", 100_000, "entries of the large clients.json")
	flag.IntVar(&s.connections, "c", 16, "connections of the load")
	flag.DurationVar(&s.time, "time", 2*time.Second, "measured time of a run")
	flag.Parse()
	if *quick {
		s.rounds, s.clients, s.warm, s.time, s.settle = 1, 1000, 100*time.Millisecond, 300*time.Millisecond, 100*time.Millisecond
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, s); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, s settings) (err error) {
	if s.programs, err = filepath.Abs(s.programs); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "prax-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	one, err := writeRegistry(filepath.Join(work, "one"), 1)
	if err != nil {
		return err
	}
	many, err := writeRegistry(filepath.Join(work, "many"), s.clients)
	if err != nil {
		return err
	}
	same, short := filepath.Join(work, "same.json"), filepath.Join(work, "short.json")
	if err := capture(ctx, s, one, same); err != nil {
		return fmt.Errorf("the answer of tools/list: %w", err)
	}
	if err := os.WriteFile(short, []byte(shortResult), 0o600); err != nil {
		return err
	}
	list, err := rounds(ctx, s, listBody, one.floor(s, "short", short), one.floor(s, "floor", same), one.prax(s, "one"), many.prax(s, "many"))
	if err != nil {
		return err
	}
	call, err := rounds(ctx, s, callBody, one.prax(s, "one"), many.prax(s, "many"))
	if err != nil {
		return err
	}
	print(s, list, call)
	return nil
}

// rounds runs the targets in turn and returns the samples of each, by name.
func rounds(ctx context.Context, s settings, body string, targets ...target) (map[string][]sample, error) {
	samples := map[string][]sample{}
	for range s.rounds {
		for _, t := range targets {
			got, err := t.measure(ctx, s, body)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", t.name, err)
			}
			samples[t.name] = append(samples[t.name], got)
		}
	}
	return samples, nil
}
