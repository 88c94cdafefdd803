package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/signal"
	"slices"
	"syscall"

	"prax/store"
)

// auditTail prints the newest events, and goes on with -f.
func (p *program) auditTail(args []string) error {
	f := p.flags("audit tail", "[-f] [-n COUNT] [--client NAME] [--denied] [--json] [flags]",
		"Prints the newest events of the audit, oldest first, a line each. Calls that changed nothing, and those that many made at once,\n"+
			"are kept in blocks, and carry the number of theirs.").withSettings("PRAX_DATA")
	f.meant = map[string]string{"as": "client"}
	follow := f.Bool("f", false, "go on with what comes, until it is interrupted")
	count := f.Int("n", 20, "how many `LINES` to begin with")
	var want wanted
	f.StringVar(&want.client, "client", "", "only what the client with this `NAME` did, or was done for it or to it")
	f.BoolVar(&want.denied, "denied", false, "only what was refused")
	asJSON := f.Bool("json", false, "print each as JSON, on a line of its own")
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
	o, end, err := p.auditor(s)
	if err != nil {
		return err
	}
	defer func() { _ = end() }()
	return p.printTail(ctx, o, &tail{want: want, count: *count, json: *asJSON}, *follow)
}

func (p *program) printTail(ctx context.Context, o operator, t *tail, follow bool) error {
	if err := t.fill(ctx, o); err != nil {
		return err
	}
	var unread unreadable
	err := t.print(p.stdout, t.lines, &unread)
	if err == nil && follow {
		err = o.Events(ctx, t.last, true, func(events []store.Event) error {
			return t.print(p.stdout, t.want.lines(events), &unread)
		})
	}
	if err != nil {
		return err
	}
	return unread.verdict()
}

// tail is the newest lines of the audit.
type tail struct {
	want  wanted
	count int
	json  bool // print events, not lines
	lines []line
	last  int64 // number of the newest event that was looked at
}

// fill looks at the newest events, and at more of them until there are lines enough or no events
// left: how many lines an event gives is known once it has been read.
func (t *tail) fill(ctx context.Context, o operator) error {
	for window := int64(max(t.count, 256)); ; window *= 8 {
		var seen int64
		t.lines = nil
		err := o.Events(ctx, -window, false, func(events []store.Event) error {
			seen, t.last = seen+int64(len(events)), events[len(events)-1].Seq
			t.lines = newest(append(t.lines, t.want.lines(events)...), t.count)
			return nil
		})
		if err != nil || len(t.lines) == t.count || seen < window {
			return err
		}
	}
}

// newest are the last n lines by time.
func newest(lines []line, n int) []line {
	slices.SortStableFunc(lines, func(a, b line) int { return a.at.Compare(b.at) })
	return slices.Clone(lines[max(len(lines)-n, 0):])
}

// print prints lines, and notes which of them could not be read.
func (t *tail) print(w io.Writer, lines []line, unread *unreadable) error {
	out := bufio.NewWriter(w)
	for _, l := range lines {
		unread.note(l.event)
		text := l.text
		if t.json {
			text = escaped(string(store.EncodeEvent(l.event)))
		}
		fmt.Fprintln(out, text)
	}
	return out.Flush()
}
