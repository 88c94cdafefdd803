package main

import (
	"context"
	"fmt"
	"io"
	"os/signal"
	"syscall"
	"time"

	"prax/store"
)

// auditVerify recomputes the chain and compares it with its signed head.
func (p *program) auditVerify(args []string) error {
	f := p.flags("audit verify", "[--archive PATH]... [--json] [flags]",
		"Recomputes every hash of the audit chain and compares it with the signed head. With --archive it reads archived events too, from a\n"+
			"file or from every .jsonl file of a directory, and proves that they and the rest are one chain from its first event on. Exit code\n"+
			"0: the chain is whole.").withSettings("PRAX_DATA")
	asJSON := f.Bool("json", false, "print JSON")
	var archives []string
	f.Func("archive", "read archived events from this `PATH`; may be repeated", func(path string) error {
		archives = append(archives, path)
		return nil
	})
	if _, err := f.parse(args, 0, 0); err != nil {
		return err
	}
	s, _, err := p.loadSettings(f)
	if err != nil {
		return err
	}
	o, end, err := p.auditor(s)
	if err != nil {
		return err
	}
	defer func() { _ = end() }()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	at := p.progress("verifying the audit")
	r, pieces, err := verify(ctx, s, o, archives)
	at.end()
	if ctx.Err() != nil {
		return failed("", "interrupted: nothing was found out")
	}
	if err != nil {
		return err
	}
	if *asJSON {
		err = p.printJSON(verified(r, pieces))
	} else {
		printVerified(p.stdout, r, pieces)
	}
	if err == nil && !r.OK() {
		return &failure{code: exitFailed, err: errShown}
	}
	return err
}

// verify walks the chain, and the archives before it.
func verify(ctx context.Context, s *settings, o operator, archives []string) (store.Report, []store.Piece, error) {
	r, err := o.Verify(ctx)
	if err != nil {
		return r, nil, err
	}
	pieces, err := joinArchives(ctx, s, o, &r, archives)
	return r, pieces, err
}

func verified(r store.Report, pieces []store.Piece) any {
	return struct {
		OK       bool          `json:"ok"`
		Events   int64         `json:"events"`
		Calls    int64         `json:"calls_in_blocks"`
		LastHash string        `json:"last_hash"`
		Anchor   *store.Anchor `json:"anchor,omitzero"` // up to where events were archived
		Archives int           `json:"archives,omitzero"`
		Archived int64         `json:"events_in_archives,omitzero"`
		Head     *store.Head   `json:"head"`
		Unsigned int64         `json:"unsigned"` // events since the head
		Problems []string      `json:"problems"`
	}{
		r.OK(), r.Events, r.Calls, r.LastHash, r.Anchor, len(pieces), eventsIn(pieces), r.Head, unsigned(r),
		append([]string{}, r.Problems...),
	}
}

// eventsIn counts the events of archives, those in two of them twice.
func eventsIn(pieces []store.Piece) (n int64) {
	for _, piece := range pieces {
		n += piece.Events()
	}
	return n
}

// unsigned is how many events the signed head does not vouch for yet.
func unsigned(r store.Report) int64 {
	if r.Head == nil {
		return r.Newest
	}
	return max(r.Newest-r.Head.Count, 0)
}

func printVerified(w io.Writer, r store.Report, pieces []store.Piece) {
	fmt.Fprintf(w, "%d events, and %d calls within their blocks; the last hash is %s\n", r.Events, r.Calls, r.LastHash)
	if r.Anchor != nil {
		fmt.Fprintf(w, "events 1 to %d were archived, until %s\n", r.Anchor.Count, formatTime(time.UnixMilli(r.Anchor.At)))
	}
	if len(pieces) > 0 {
		fmt.Fprintf(w, "%s read, with %d events\n", count(len(pieces), "archive"), eventsIn(pieces))
	}
	if r.Head != nil {
		fmt.Fprintf(w, "the signed head vouches for %d events, at %s\n", r.Head.Count, formatTime(time.UnixMilli(r.Head.At)))
	}
	if n := unsigned(r); n > 0 {
		fmt.Fprintf(w, "%s since then not signed yet: a running server signs each minute, and at its stop\n", count(int(n), "event"))
	}
	for _, problem := range r.Problems {
		fmt.Fprintf(w, "problem: %s\n", printable(problem))
	}
	if r.OK() {
		fmt.Fprintln(w, "the chain is whole")
	}
}
