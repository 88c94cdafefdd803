// Command compare measures what prax costs, as ratios: over bare servers of net/http, over the servers of two MCP libraries,
// with load beside over without, and with ten times as much of everything. Targets take turns, each in a fresh process;
// the ratio of a round is taken between neighbours in time, because the absolute figures of a shared machine mean little.
// It reports and does not judge.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// settings are the sizes of a run.
type settings struct {
	programs   string // directory with prax, floor, gosdk and mcpgo
	examples   string // directory of the examples of prax
	work       string // a directory that is gone afterwards
	rounds     int
	clients    int // entries of the large clients.json; a tenth of it in the small one
	filled     int // instances, and moves of them, that a large store begins with; a tenth of it in a small one
	called     int // calls that a large audit log begins with; a tenth of it in a small one
	defined    int // definitions in a large file; a tenth of them in a small one
	warm, time time.Duration
	requests   int           // of a run, whose end they are if they are answered before; 0: any number
	settle     time.Duration // before memory at rest is read
}

// length is how long a run is, as it is told.
func (s settings) length() string {
	if s.requests > 0 {
		return fmt.Sprintf("%d requests", s.requests)
	}
	return s.time.String()
}

func main() {
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: bench/run [flags]")
		flag.PrintDefaults()
	}
	s := settings{rounds: 5, clients: 100_000, filled: 50_000, called: 300_000, defined: 200,
		warm: 500 * time.Millisecond, time: 2 * time.Second, settle: 2 * time.Second}
	quick := flag.Bool("quick", false, "one short round of each row, only to see that everything runs")
	only := flag.String("only", "", "rows with commas between them: "+strings.Join(names(), " "))
	markdown := flag.Bool("markdown", false, "print the table of docs/performance.md")
	flag.StringVar(&s.programs, "programs", "", "directory with prax, floor, gosdk and mcpgo")
	flag.StringVar(&s.examples, "examples", "examples", "directory of the examples of prax")
	flag.IntVar(&s.rounds, "rounds", s.rounds, "rounds")
	flag.DurationVar(&s.time, "time", s.time, "measured time of a run")
	flag.Parse()
	if *quick {
		s = settings{programs: s.programs, examples: s.examples, rounds: 1, clients: 500, filled: 100, called: 200, defined: 20,
			time: time.Minute, requests: 200, settle: 50 * time.Millisecond}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, s, *only, printerOf(*markdown)); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

// row is one line of what prax promises, or several that are measured together.
type row struct {
	name    string
	measure func(context.Context, *bench) ([]figure, error)
}

var rows = []row{
	{"list", list}, {"echo", echo}, {"get", get},
	{"moves", moves}, {"one", oneCaller},
	{"reload", reload}, {"writers", writers}, {"flood", flood},
	{"memory", memory}, {"start", start},
	{"clients", growClients}, {"instances", growInstances}, {"audit", growAudit}, {"definitions", growDefinitions},
}

func names() (all []string) {
	for _, r := range rows {
		all = append(all, r.name)
	}
	return all
}

func run(ctx context.Context, s settings, only string, print printer) (err error) {
	if s.rounds < 1 || s.time <= 0 {
		return errors.New("there is nothing to measure: -rounds and -time are above zero")
	}
	for _, name := range strings.FieldsFunc(only, comma) {
		if !slices.Contains(names(), name) {
			return fmt.Errorf("no row %q; there are: %s", name, strings.Join(names(), " "))
		}
	}
	if s.programs, err = filepath.Abs(s.programs); err != nil {
		return err
	}
	if s.examples, err = filepath.Abs(s.examples); err != nil {
		return err
	}
	if s.work, err = os.MkdirTemp("", "prax-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(s.work)
	b, err := newBench(s)
	if err != nil {
		return err
	}
	if s.requests > 0 {
		fmt.Println("one short round of each, only to see that everything runs: the figures mean nothing")
	}
	print.head(s)
	for _, r := range rows {
		if only != "" && !slices.Contains(strings.FieldsFunc(only, comma), r.name) {
			continue
		}
		figures, err := r.measure(ctx, b)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		print.row(r.name, figures)
	}
	return nil
}

func comma(r rune) bool { return r == ',' }
