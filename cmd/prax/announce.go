package main

import (
	"fmt"
	"slices"
	"strings"

	"prax/auth/clients"
)

// mostShown bounds the names on one line of what a start says.
const mostShown = 12

// mostLines bounds the lines of it.
const mostLines = 10

// banner is what a start says: where the server listens, who and what is live, what is off and why.
type banner struct {
	url     string
	public  string // the address that callers use, when a proxy stands before
	data    string
	clients string
	tools   string
	never   string // tools that are never exposed
	defined string // the file of definitions; "" when there is none
	metrics string // where they are; "" when there are none
	off     []string
}

// announce says it in a few lines to a terminal, and in one record to whoever collects logs. Enabled
// without a client is an error for the log too: whoever enabled it expects to be served.
func (a *app) announce() {
	a.out.announce(a.banner())
	if a.settings.Enabled && !a.clients.EverLive() {
		a.out.log.Error("MCP_SERVER_ENABLED is true and no client is live: /mcp answers 404 until one is (prax client add NAME)")
	}
}

func (a *app) banner() banner {
	base, _ := a.settings.localURL(a.addr)
	b := banner{url: base + "/mcp", data: a.settings.Data, clients: a.clientsLine(), off: a.off()}
	if a.settings.PublicURL != nil {
		b.public = a.settings.endpoint(a.addr)
	}
	b.tools, b.never = a.toolsLines()
	b.defined = a.definedLine()
	if a.scrapes != nil {
		b.metrics = "http://" + a.scrapes.Addr().String() + "/metrics"
	}
	return b
}

func (o output) announce(b banner) {
	version := readBuild().Version
	if !o.text {
		o.log.Info("listening on "+b.url, "version", version, "callers_use", b.public, "data", b.data,
			"clients", b.clients, "tools", b.tools, "never_exposed", b.never, "definitions", b.defined, "metrics", b.metrics, "off", strings.Join(b.off, "; "))
		return
	}
	fmt.Fprintln(o.stderr, strings.Join(b.lines(version), "\n"))
}

// lines are what a terminal is shown, mostLines at most.
func (b banner) lines(version string) []string {
	lines := []string{fmt.Sprintf("prax %s listening on %s", version, b.url)}
	if b.public != "" {
		lines = append(lines, "callers use "+printable(b.public))
	}
	lines = append(lines, "data: "+printable(b.data), "clients: "+b.clients, "tools: "+b.tools+"; never exposed: "+b.never)
	if b.defined != "" {
		lines = append(lines, "definitions: "+b.defined)
	}
	if b.metrics != "" {
		lines = append(lines, "metrics: "+b.metrics)
	}
	off := b.off
	if room := mostLines - len(lines); len(off) > room {
		off = append(slices.Clone(off[:room-1]), strings.Join(off[room-1:], "; "))
	}
	for _, line := range off {
		lines = append(lines, "off: "+line)
	}
	return lines
}

// stopped is the last that a server says when everything was finished.
func (o output) stopped() {
	if o.text {
		fmt.Fprintln(o.stderr, "stopped")
	} else {
		o.log.Info("stopped")
	}
}

func (a *app) clientsLine() string {
	status := a.clients.Status()
	var first clients.Change
	if c := a.first.Load(); c != nil {
		first = *c
	}
	line := fmt.Sprintf("%d live%s", status.Clients, named(first.Added.First, status.Clients))
	if first.Errors > 0 {
		line += fmt.Sprintf("; %s: the log and prax check name them", count(first.Errors, "error"))
	}
	return line
}

func (a *app) toolsLines() (live, never string) {
	var callable, high []string
	for _, t := range newCatalogue(declared(a.definitionSet())).list {
		if t.Tier.Exposable() {
			callable = append(callable, t.Name)
		} else {
			high = append(high, t.Name)
		}
	}
	return fmt.Sprintf("%d live%s", len(callable), named(callable, len(callable))), strings.Join(high, ", ")
}

// off is what does not happen, and why.
func (a *app) off() []string {
	s := a.settings
	var off []string
	switch {
	case !s.Enabled:
		off = append(off, "/mcp answers 404, because MCP_SERVER_ENABLED is not true (set MCP_SERVER_ENABLED=true, or start with --enabled)")
	case !a.clients.EverLive():
		off = append(off, "/mcp answers 404, because no client is live (prax client add NAME)")
	}
	if a.unread {
		off = append(off, "clients of "+printable(s.ClientsPath)+", because it was not there at the start")
	}
	if !s.ExpiryEnabled {
		off = append(off, "expires_at is ignored, because MCP_TOKEN_EXPIRY_ENABLED is false")
	}
	if !s.AuditReads {
		off = append(off, "calls that change nothing are not audited, because PRAX_AUDIT_READS is false")
	}
	return off
}

// named is ": a, b and 3 more" for a list of which total exist.
func named(names []string, total int) string {
	if len(names) == 0 {
		return ""
	}
	shown := names[:min(len(names), mostShown)]
	text := ": " + printable(strings.Join(shown, ", "))
	if more := total - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
