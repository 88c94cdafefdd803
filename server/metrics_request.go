package server

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"prax/tools"
)

// Protocol is one that callers speak, as its requests are counted: those of its methods by name, and all else as "other".
type Protocol struct {
	Name    string
	Route   string   // of its endpoint, as access records have it
	Methods []string // what its adapter may note as a method
}

// mostClients bounds the clients that are told apart.
const mostClients = 200

// Outcomes of a request.
const (
	requestOK     = iota
	requestError  // refused by the protocol, or by the tool
	requestDenied // a tool that the client may not use, or that is none
	requestBusy   // beyond the client's budget
	requestOut    // the client was out by the time that its body had come in
	requestPanic
)

var requestOutcomes = [...]string{"ok", "error", "denied", "busy", "out", "panic"}

// requestCounts counts requests of known clients, by client, method and outcome.
type requestCounts struct {
	methods []method
	first   []protocolMethods
	clients labelled[clientCounts]
}

// method is a row of each client's counts.
type method struct{ protocol, name string }

// protocolMethods tells where in a client's counts a method of a protocol stands.
type protocolMethods struct {
	route string
	index map[string]int
	other int
}

// clientCounts are those of one client: of each method, its outcomes.
type clientCounts [][len(requestOutcomes)]atomic.Uint64

func (q *requestCounts) init(protocols []Protocol) {
	for _, p := range append(slices.Clone(protocols), Protocol{Name: otherLabel}) {
		pm := protocolMethods{route: p.Route, index: map[string]int{}}
		for _, name := range p.Methods {
			pm.index[name] = len(q.methods)
			q.methods = append(q.methods, method{p.Name, name})
		}
		pm.other = len(q.methods)
		q.methods = append(q.methods, method{p.Name, otherLabel})
		q.first = append(q.first, pm)
	}
	q.clients.init(mostClients, func() *clientCounts {
		counts := make(clientCounts, len(q.methods))
		return &counts
	})
}

// methodOf is the place of a method; the last protocol takes all that are of none.
func (q *requestCounts) methodOf(route, name string) int {
	last := len(q.first) - 1
	for _, p := range q.first[:last] {
		if p.route != route {
			continue
		}
		if at, known := p.index[name]; known {
			return at
		}
		return p.other
	}
	return q.first[last].other
}

func (q *requestCounts) add(x *exchange) {
	counts := *q.clients.at(x.edge.Principal.Client)
	counts[q.methodOf(x.route, x.edge.Access.Method)][outcomeOf(x)].Add(1)
}

func outcomeOf(x *exchange) int {
	switch a := &x.edge.Access; {
	case a.Outcome == tools.OutcomePanic:
		return requestPanic
	case x.edge.Out():
		return requestOut
	case x.status == http.StatusTooManyRequests:
		return requestBusy
	case a.Outcome == tools.OutcomeOK:
		return requestOK
	case a.Outcome == tools.OutcomeDenied:
		return requestDenied
	}
	return requestError
}

func (q *requestCounts) write(t *text) {
	t.open(&requestsTotal)
	q.clients.each(func(client string, counts *clientCounts) {
		for m := range *counts {
			for o := range requestOutcomes {
				if n := (*counts)[m][o].Load(); n > 0 {
					t.sample(requestsTotal.name, float64(n), "protocol", q.methods[m].protocol, "method", q.methods[m].name,
						"outcome", requestOutcomes[o], "client", client)
				}
			}
		}
	})
}

// responseCounts counts all answers by route and by the class of their status.
type responseCounts [len(routes)][len(classes)]atomic.Uint64

var (
	routes  = [...]string{routeMCP, routeCard, routeHealth, routeReady, routeWellKnown, routeOther}
	classes = [...]string{"1xx", "2xx", "3xx", "4xx", "5xx"}
)

func (c *responseCounts) add(route string, status int) {
	at := slices.Index(routes[:], route)
	if at < 0 {
		at = len(routes) - 1
	}
	c[at][min(max(status/100-1, 0), len(classes)-1)].Add(1)
}

func (c *responseCounts) write(t *text) {
	t.open(&responsesTotal)
	for at := range c {
		for class := range c[at] {
			if n := c[at][class].Load(); n > 0 {
				t.sample(responsesTotal.name, float64(n), "route", routes[at], "code", classes[class])
			}
		}
	}
}

// denialCounts counts callers that were refused before their message was read.
type denialCounts [len(reasons)]atomic.Uint64

var reasons = [...]Reason{DeniedNoToken, DeniedMalformed, DeniedUnknownToken, signedLabel, DeniedHost, DeniedOrigin, otherLabel}

// signedLabel counts signed tokens that are none: the records have which of its reasons it was.
const signedLabel Reason = "signed token"

func (c *denialCounts) add(reason Reason) {
	if strings.HasPrefix(string(reason), string(signedLabel)+":") {
		reason = signedLabel
	}
	at := slices.Index(reasons[:], reason)
	if at < 0 {
		at = len(reasons) - 1
	}
	c[at].Add(1)
}

func (c *denialCounts) write(t *text) {
	t.open(&authFailuresTotal)
	for at := range c {
		t.sample(authFailuresTotal.name, float64(c[at].Load()), "reason", strings.ReplaceAll(string(reasons[at]), " ", "_"))
	}
}
