package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"prax/auth/clients"
	"prax/store"
)

// line is what a person sees of one event, or of one call of a block.
type line struct {
	at    time.Time
	text  string
	event store.Event
}

// wanted says which events are shown: all that it does not rule out.
type wanted struct {
	client string
	denied bool
}

// lines are the events by time, the calls of blocks among them.
func (w wanted) lines(events []store.Event) []line {
	var lines []line
	for _, e := range events {
		for _, single := range unfold(e) {
			if w.has(single) {
				lines = append(lines, line{single.At, eventLine(single), single})
			}
		}
	}
	return newest(lines, len(lines))
}

// unfold is what an event of the chain tells of, each with its number.
func unfold(e store.Event) []store.Event {
	all := slices.Clone(e.All())
	for i := range all {
		all[i].Seq = e.Seq
	}
	return all
}

func (w wanted) has(e store.Event) bool {
	if e.Kind == store.EventUnreadable {
		return true // it may have been any
	}
	if w.denied && e.Outcome != "denied" {
		return false
	}
	if w.client == "" || e.Client == w.client {
		return true
	}
	var about struct {
		As   string `json:"as"`   // of an operator's act for a client
		Name string `json:"name"` // of an edit
	}
	return e.Detail != "" && json.Unmarshal([]byte(e.Detail), &about) == nil && (about.As == w.client || about.Name == w.client)
}

// eventLine has the members that are set, in a fixed order. A change of who may call is worded.
func eventLine(e store.Event) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d %s", e.At.UTC().Format("2006-01-02T15:04:05.000Z"), e.Seq, eventText(string(e.Kind)))
	if e.Kind == store.EventReload {
		if text := reloadText(e.Detail); text != "" {
			return b.String() + ": " + text
		}
	}
	for _, member := range []struct{ name, text string }{
		{"client", e.Client}, {"user", e.User}, {"method", e.Method}, {"tool", e.Tool}, {"tier", e.Tier},
		{"outcome", e.Outcome}, {"decision", e.Decision}, {"code", e.Code}, {"took", took(e.Duration)},
		{"remote", e.Remote}, {"request", e.RequestID},
	} {
		if member.text != "" {
			fmt.Fprintf(&b, " %s=%s", member.name, eventText(member.text))
		}
	}
	if e.Detail != "" { // JSON, and the last: nothing in it can be taken for a member of the line
		fmt.Fprintf(&b, " detail=%s", printable(e.Detail))
	}
	return b.String()
}

// reloadText is what a reading of clients.json changed: added a, b; changed c; revoked d; 3 clients.
func reloadText(detail string) string {
	var c clients.Change
	if err := json.Unmarshal([]byte(detail), &c); err != nil {
		return ""
	}
	var parts []string
	if !c.OK {
		parts = append(parts, "the file could not be read")
	}
	for _, change := range []struct {
		verb  string
		names clients.Names
	}{{"added", c.Added}, {"changed", c.Changed}, {"revoked", c.Revoked}} {
		if names := named(change.names.First, change.names.Total); names != "" {
			parts = append(parts, change.verb+strings.TrimPrefix(names, ":"))
		}
	}
	if c.Failure != "" {
		parts = append(parts, printable(c.Failure))
	}
	return strings.Join(append(parts, count(c.Clients, "client")), "; ")
}

// eventText is text that cannot be mistaken for another member, whatever it begins with: a caller chooses
// the name of the tool that it asks for.
func eventText(text string) string {
	if strings.ContainsAny(text, " =\"") {
		return strconv.Quote(text)
	}
	return printable(text)
}

func took(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return d.Round(time.Microsecond).String()
}
