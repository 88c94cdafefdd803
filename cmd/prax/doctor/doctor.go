// Package doctor looks at an installation for what goes wrong in the field: files that others can read or that nobody
// can use, a disk that fills up, a clock that went back, a port that somebody else has, clients that are out, work that
// waits. It changes nothing, and says of each thing that it finds what to do about it.
//
// What it needs of the rest of prax, and of the machine, is handed to it as Facts; cmd/prax gathers them.
package doctor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"prax/auth/clients"
	"prax/store"
)

// The severities. An error is wrong now; a warning will be, or waits for a person.
const (
	Error   = "error"
	Warning = "warning"
)

// Finding is one thing that is not as it should be. It holds no secret.
type Finding struct {
	Severity string `json:"severity"`
	Code     Code   `json:"code"`
	File     string `json:"file,omitzero"`
	Text     string `json:"text"`
	Hint     string `json:"hint,omitzero"` // a command, or what to do
}

// Report is what was found, and what was looked at.
type Report struct {
	OK       bool      `json:"ok"` // there is no error
	Findings []Finding `json:"findings"`
	Looked   []string  `json:"looked_at"`
}

// File is one beside the data that a server reads.
type File struct {
	Path    string
	What    string // "the file of clients"
	Secret  bool   // whoever reads it has something to use
	Watched bool   // edits are expected to take effect
}

// Server is the one that runs with the data.
type Server struct {
	Version string
	Addr    string // where it listens
	Enabled bool   // /mcp exists
	Digest  string // of the clients.json in force, in hex; "" when none is
}

// Store is read. No server can start while it is open, unless one runs already.
type Store interface {
	View(ctx context.Context, f func(store.Tx) error) error
	Close() error
}

// Facts are what is examined.
type Facts struct {
	Now     time.Time
	UID     int    // who asks
	Version string // of this program

	Data    string // the data directory
	Files   []File
	Addr    string // where a server listens, or would
	Metrics string // where it tells metrics; no address: nowhere
	Public  string // the address that callers use, as a URL; "": none is set
	Enabled bool
	Unread  []string  // what is set and read by nothing, in sentences
	Judged  []Finding // what was found before, where it was judged

	Clients clients.Report
	Listed  []clients.Listed

	Server *Server // nil: none runs
	Down   error   // why it cannot be told whether one runs
	Open   func() (Store, error)

	Word    func(string) string // a path as a shell takes it
	Machine Machine
}

// examination is one look at everything.
type examination struct {
	Facts
	Report
}

// Examine looks at everything and changes nothing.
func Examine(ctx context.Context, f Facts) Report {
	x := &examination{Facts: f, Report: Report{OK: true, Findings: []Finding{}, Looked: []string{}}}
	for _, look := range []func(*examination, context.Context){
		(*examination).settings, (*examination).data, (*examination).files, (*examination).mounts, (*examination).disk,
		(*examination).leftovers, (*examination).clients, (*examination).store, (*examination).clock, (*examination).port,
		(*examination).tailscale,
	} {
		look(x, ctx)
	}
	return x.Report
}

// found adds a finding.
func (x *examination) found(severity string, code Code, file, hint, format string, args ...any) {
	x.OK = x.OK && severity != Error
	x.Findings = append(x.Findings, Finding{Severity: severity, Code: code, File: file, Hint: hint, Text: fmt.Sprintf(format, args...)})
}

// told tells whether there is a finding of one of these codes already.
func (x *examination) told(codes ...Code) bool {
	return slices.ContainsFunc(x.Findings, func(f Finding) bool { return slices.Contains(codes, f.Code) })
}

func (x *examination) looked(at string) { x.Looked = append(x.Looked, at) }

// count is a number of things: 1 file, 2 files.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// isAre is a number of things that something is said of: 1 file is, 2 files are.
func isAre(n int, thing string) string {
	if n == 1 {
		return "1 " + thing + " is"
	}
	return fmt.Sprintf("%d %ss are", n, thing)
}
