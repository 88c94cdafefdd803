package main

import (
	"fmt"
	"io"
	"strings"

	"prax/auth/clients"
)

// mostShown bounds the names on one line of what a start says.
const mostShown = 12

// announce says in a few lines where the server listens, who and what is live, and what is off and
// why. Enabled without a client is an error for the log too: whoever enabled it expects to be served.
func (h *house) announce(w io.Writer, addr string) {
	s := h.settings
	base, _ := localURL(addr)
	fmt.Fprintf(w, "prax %s listening on %s/mcp\n", readBuild().Version, base)
	if s.PublicURL != nil {
		fmt.Fprintf(w, "callers use %s\n", printable(s.endpoint(addr)))
	}
	fmt.Fprintf(w, "data: %s\n", printable(s.Data))
	h.announceClients(w)
	h.announceTools(w)
	for _, off := range h.off() {
		fmt.Fprintf(w, "off: %s\n", off)
	}
	if s.Enabled && !h.live.Load() {
		h.out.log.Error("MCP_SERVER_ENABLED is true and no client is live: /mcp answers 404 until one is (prax client add NAME)")
	}
}

func (h *house) announceClients(w io.Writer) {
	status := h.clients.Status()
	var first clients.Change
	if c := h.first.Load(); c != nil {
		first = *c
	}
	fmt.Fprintf(w, "clients: %d live%s", status.Clients, named(first.Added.First, status.Clients))
	if first.Errors > 0 {
		fmt.Fprintf(w, "; %s: the log and prax check name them", count(first.Errors, "error"))
	}
	fmt.Fprintln(w)
}

func (h *house) announceTools(w io.Writer) {
	var callable, high []string
	for _, t := range readCatalogue().list {
		if t.Tier.Exposable() {
			callable = append(callable, t.Name)
		} else {
			high = append(high, t.Name)
		}
	}
	fmt.Fprintf(w, "tools: %d live%s; never exposed: %s\n", len(callable), named(callable, len(callable)), strings.Join(high, ", "))
}

// off is what does not happen, and why.
func (h *house) off() []string {
	s := h.settings
	var off []string
	switch {
	case !s.Enabled:
		off = append(off, "/mcp answers 404, because MCP_SERVER_ENABLED is not true")
	case !h.live.Load():
		off = append(off, "/mcp answers 404, because no client is live (prax client add NAME)")
	}
	if h.unread {
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
