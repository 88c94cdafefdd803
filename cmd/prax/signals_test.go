package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"prax/server/control"
	"prax/store/sqlite"
)

// TestSignals: what is sent twice within half a second was meant once; a later one stops at once,
// and once only; SIGHUP counts as neither, and several that wait are one.
func TestSignals(t *testing.T) {
	t.Parallel()
	type sent struct {
		after  time.Duration // since the first
		signal os.Signal
	}
	const ms = time.Millisecond
	for name, tt := range map[string]struct {
		sent []sent
		want []string
	}{
		"one":            {[]sent{{0, syscall.SIGTERM}}, []string{"stop"}},
		"forwarded":      {[]sent{{0, syscall.SIGTERM}, {0, syscall.SIGTERM}, {499 * ms, syscall.SIGINT}}, []string{"stop"}},
		"two":            {[]sent{{0, syscall.SIGTERM}, {500 * ms, syscall.SIGINT}}, []string{"stop", "at once"}},
		"impatient":      {[]sent{{0, syscall.SIGINT}, {300 * ms, syscall.SIGINT}, {600 * ms, syscall.SIGINT}, {900 * ms, syscall.SIGINT}}, []string{"stop", "at once"}},
		"reload":         {[]sent{{0, syscall.SIGHUP}, {0, syscall.SIGHUP}, {time.Hour, syscall.SIGTERM}}, []string{"stop", "reload"}},
		"reload between": {[]sent{{0, syscall.SIGTERM}, {time.Hour, syscall.SIGHUP}}, []string{"stop", "reload"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			incoming, reload := make(chan os.Signal, len(tt.sent)), make(chan struct{}, 1)
			start := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)
			var times []time.Time // of the signals to stop: nobody asks for the time of another
			for _, s := range tt.sent {
				incoming <- s.signal
				if s.signal != syscall.SIGHUP {
					times = append(times, start.Add(s.after))
				}
			}
			close(incoming)
			now := func() (at time.Time) {
				at, times = times[0], times[1:]
				return at
			}
			var got []string
			passSignals(incoming, now, func() { got = append(got, "stop") }, func() { got = append(got, "at once") }, reload)
			if len(reload) > 0 {
				got = append(got, "reload")
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestStopAtOnce: a later signal ends the command with an error while the server still runs.
func TestStopAtOnce(t *testing.T) {
	t.Parallel()
	stop, cancel := context.WithCancel(t.Context())
	atOnce, data := make(chan struct{}), filepath.Join(t.TempDir(), "data")
	p, _, _ := trial("PRAX_DATA="+data, "PRAX_ADDR=127.0.0.1:0", "PRAX_LOG=error")
	p.signals = func(context.Context, func() time.Time) *signals {
		return &signals{stop: stop, atOnce: atOnce, end: func() {}}
	}
	ended := make(chan int, 1)
	go func() { ended <- p.run([]string{"serve"}) }()
	within(t, "the socket is there", func() bool { return exists(filepath.Join(data, control.SocketName)) })
	close(atOnce)
	within(t, "the command has ended", func() bool { return len(ended) == 1 })
	if code := <-ended; code != exitFailed {
		t.Errorf("it ends with %d, want %d", code, exitFailed)
	}
	cancel() // a process would be gone; here the server is stopped, for the next test
	within(t, "the data directory is free", func() bool {
		db, err := sqlite.Open(t.Context(), sqlite.Config{Dir: data, Log: slog.New(slog.DiscardHandler), Now: time.Now})
		return err == nil && db.Close() == nil
	})
}

// within waits until done, patience at most.
func within(t *testing.T, what string, done func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for !done() {
		if !pause(ctx) {
			t.Fatalf("not within %v: %s", patience, what)
		}
	}
}
