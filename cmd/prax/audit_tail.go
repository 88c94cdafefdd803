package main

import (
	"bufio"
	"context"
	"fmt"
	"os/signal"
	"syscall"

	"prax/store"
)

// auditTail prints the newest events, and goes on with -f.
func (p *program) auditTail(args []string) error {
	f := p.flags("audit tail", "[-f] [-n COUNT] [flags]",
		"Prints the newest events of the audit, oldest first. Events of calls that changed nothing come in blocks, a line for each call.").withSettings()
	follow := f.Bool("f", false, "go on with what comes, until it is interrupted")
	count := f.Int64("n", 20, "how many `EVENTS` to begin with")
	if _, err := f.parse(args, 0, 0); err != nil {
		return err
	}
	if *count < 1 {
		return f.usage("-n %d is less than one", *count)
	}
	s, _, err := p.loadSettings(f)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	return p.readAudit(ctx, s, -*count, *follow, func(w *bufio.Writer, e store.Event) error {
		for _, line := range eventLines(e) {
			fmt.Fprintln(w, line)
		}
		return nil
	})
}

// readAudit prints events, flushing whenever those that are there have been printed.
func (p *program) readAudit(ctx context.Context, s *settings, after int64, follow bool, print func(*bufio.Writer, store.Event) error) error {
	o, end, err := p.auditor(s)
	if err != nil {
		return err
	}
	defer func() { _ = end() }()
	w := bufio.NewWriter(p.stdout)
	return o.Events(ctx, after, follow, func(events []store.Event) error {
		for _, e := range events {
			if err := print(w, e); err != nil {
				return err
			}
		}
		return w.Flush()
	})
}
