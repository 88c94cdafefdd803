// Command load sends JSON-RPC requests to one server on loopback, as fast as it answers, and prints as JSON how many
// were answered in the measured time and how much processor time the server spent on them.
//
// It writes HTTP/1.1 to the socket itself, one connection kept alive a worker, so that it costs less than the server
// that it measures. Every answer is checked.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const longest = time.Minute // of one run, whatever the flags say

type report struct {
	Requests   int64   `json:"requests"`
	Seconds    float64 `json:"seconds"`
	ServerCPU  float64 `json:"server_cpu"` // seconds, user and system
	Errors     int64   `json:"errors"`
	FirstError string  `json:"first_error,omitempty"`
}

func main() {
	var o options
	flag.StringVar(&o.addr, "addr", "", "loopback host:port of the server")
	flag.StringVar(&o.body, "body", "", "request body, {{id}} for the id")
	flag.StringVar(&o.tokens, "tokens", "", "file of bearer tokens, one a line, all of one length; each request takes the next")
	flag.IntVar(&o.workers, "c", 16, "connections")
	flag.DurationVar(&o.warm, "warm", 500*time.Millisecond, "time before the measured one")
	flag.DurationVar(&o.measured, "time", 2*time.Second, "measured time")
	flag.IntVar(&o.pid, "pid", 0, "process whose processor time is told")
	flag.Parse()
	r, err := run(o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
	json.NewEncoder(os.Stdout).Encode(r)
	if r.Errors > 0 {
		os.Exit(1)
	}
}

type options struct {
	addr, body, tokens string
	workers, pid       int
	warm, measured     time.Duration
}

func run(o options) (report, error) {
	if host, _, err := net.SplitHostPort(o.addr); err != nil || !net.ParseIP(host).IsLoopback() {
		return report{}, errors.New("-addr must be a loopback host:port")
	}
	if o.warm+o.measured > longest {
		return report{}, fmt.Errorf("a run is at most %v", longest)
	}
	tokens, err := readTokens(o.tokens)
	if err != nil {
		return report{}, err
	}
	workers := make([]*worker, o.workers)
	for i := range workers {
		if workers[i], err = newWorker(o, tokens, i); err != nil {
			return report{}, err
		}
		defer workers[i].conn.Close()
	}
	return measure(o, workers)
}

// measure lets the workers run, and looks at their counts and at the server's clock at both ends of the window.
func measure(o options, workers []*worker) (report, error) {
	var stop atomic.Bool
	var group sync.WaitGroup
	for _, w := range workers {
		group.Go(func() { w.run(&stop) })
	}
	time.Sleep(o.warm)
	began, before := time.Now(), answered(workers)
	cpuBefore, err := processorTime(o.pid)
	time.Sleep(o.measured)
	cpuAfter, err2 := processorTime(o.pid)
	r := report{
		Requests:  answered(workers) - before,
		Seconds:   time.Since(began).Seconds(),
		ServerCPU: cpuAfter - cpuBefore,
	}
	stop.Store(true)
	group.Wait()
	for _, w := range workers {
		if w.err != nil {
			r.Errors++
			r.FirstError = w.err.Error()
		}
	}
	return r, errors.Join(err, err2)
}

func answered(workers []*worker) int64 {
	var n int64
	for _, w := range workers {
		n += w.answered.Load()
	}
	return n
}

func readTokens(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	tokens := strings.Fields(string(text))
	if len(tokens) == 0 {
		return nil, fmt.Errorf("%s holds no token", path)
	}
	for _, t := range tokens {
		if len(t) != len(tokens[0]) {
			return nil, fmt.Errorf("%s: tokens of different lengths", path)
		}
	}
	return tokens, nil
}

// processorTime returns what the process has used so far, in seconds; 0 for no process. proc(5): fields 14 and 15 of
// stat, counted after the name in parentheses, in hundredths of a second on Linux.
func processorTime(pid int) (float64, error) {
	if pid == 0 {
		return 0, nil
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return 0, fmt.Errorf("stat of %d has %d fields", pid, len(fields))
	}
	var user, system int64
	if _, err := fmt.Sscan(string(fields[11])+" "+string(fields[12]), &user, &system); err != nil {
		return 0, fmt.Errorf("stat of %d: %w", pid, err)
	}
	return float64(user+system) / 100, nil
}
