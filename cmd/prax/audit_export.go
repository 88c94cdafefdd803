package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/signal"
	"path/filepath"
	"syscall"

	"prax/store"
)

// auditExport prints every event as it is hashed.
func (p *program) auditExport(args []string) error {
	f := p.flags("audit export", "[--after NUMBER] [flags]",
		"Prints every event as one line of canonical JSON, with its hash and that of the event before. Without the member \"hash\", and\n"+
			"canonicalized again, a line is what its hash is over: whoever has the lines can recompute the chain. The last line is the\n"+
			"signed head, for which keys/audit.pub in the data directory is the public key.").withSettings("PRAX_DATA")
	after := f.Int64("after", 0, "begin after the event with this `NUMBER`")
	if _, err := f.parse(args, 0, 0); err != nil {
		return err
	}
	if *after < 0 {
		return f.usage("--after %d is negative", *after)
	}
	s, _, err := p.loadSettings(f)
	if err != nil {
		return err
	}
	// Read first: every event that the head vouches for is among the lines then.
	head, err := readHead(s.Data)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	return p.exportAudit(ctx, s, *after, head)
}

func (p *program) exportAudit(ctx context.Context, s *settings, after int64, head []byte) error {
	var unread unreadable
	at := p.progressBeside("exporting the audit")
	defer at.end()
	printed := 0
	err := p.readAudit(ctx, s, after, func(w *bufio.Writer, e store.Event) error {
		unread.note(e)
		if printed++; printed%1000 == 0 {
			at.say(fmt.Sprintf("exporting the audit: %d events", printed))
		}
		_, err := w.Write(append(store.EncodeEvent(e), '\n'))
		return err
	})
	at.end()
	if err == nil {
		_, err = p.stdout.Write(head)
	}
	if err != nil {
		return err
	}
	return unread.verdict()
}

// unreadable counts the events that the store could not read. What stands for them is printed, and all
// others are, but the command has failed.
type unreadable struct {
	count int
	first int64 // its number
}

func (u *unreadable) note(e store.Event) {
	if e.Kind != store.EventUnreadable {
		return
	}
	if u.count == 0 {
		u.first = e.Seq
	}
	u.count++
}

func (u *unreadable) verdict() error {
	if u.count == 0 {
		return nil
	}
	return failed("prax audit verify says what is wrong with the chain",
		"%s could not be read, the first of them number %d; a line of the kind unreadable stands for each", count(u.count, "event"), u.first)
}

// readAudit prints events, flushing whenever those that are there have been printed.
func (p *program) readAudit(ctx context.Context, s *settings, after int64, print func(*bufio.Writer, store.Event) error) error {
	o, end, err := p.auditor(s)
	if err != nil {
		return err
	}
	defer func() { _ = end() }()
	w := bufio.NewWriter(p.stdout)
	return o.Events(ctx, after, false, func(events []store.Event) error {
		for _, e := range events {
			if err := print(w, e); err != nil {
				return err
			}
		}
		return w.Flush()
	})
}

// headFile is where the store keeps the signed head, in the data directory.
const headFile = "audit-head.json"

// readHead is the line of the signed head; nothing before the first was signed.
func readHead(dir string) ([]byte, error) {
	text, err := readRegular(filepath.Join(dir, headFile), maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	head, err := store.DecodeHead(text)
	if err != nil {
		return nil, err
	}
	return store.EncodeHead(head), nil
}
