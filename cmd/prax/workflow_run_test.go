package main

import (
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"prax/server/control"
)

// TestRunNext: a run follows a link where there is exactly one way that asks for nothing and nobody, and where a choice names it;
// it never answers an approval.
func TestRunNext(t *testing.T) {
	t.Parallel()
	link := func(transition, more string) string {
		return `{"rel":"` + transition + `","method":"praxec.command","args":{"transition":"` + transition + `","expectedVersion":1}` + more + `}`
	}
	const (
		human   = `,"actor":"human"`
		blocked = `,"blocked":{"code":"GUARD_REJECTED","reason":"not yet"}`
		needs   = `,"inputSchema":{"type":"object","required":["to"]}`
		reject  = `{"rel":"reject","method":"praxec.command","actor":"human","args":{"transition":"ship","expectedVersion":1,"intent":"reject"}}`
		brought = `{"rel":"go","method":"praxec.command","args":{"transition":"go","arguments":{"to":"rome"}},"inputSchema":{"required":["to"]}}`
		waits   = `,"pending_human":{"transition":"sign","also":[{"transition":"ship","approval":{"id":"ap_1"}}]}`
	)
	for _, tt := range []struct {
		name, links, more string
		choices           []string
		want, refused     string
		chosen            bool
	}{
		{name: "one way", links: link("go", ""), want: "go"},
		{name: "no way", links: ``},
		{name: "two ways", links: link("left", "") + "," + link("right", "")},
		{name: "one is blocked", links: link("left", blocked) + "," + link("right", ""), want: "right"},
		{name: "a choice", links: link("left", "") + "," + link("right", ""), choices: []string{"right"}, want: "right", chosen: true},
		{name: "a choice for later", links: link("go", ""), choices: []string{"right"}, want: "go"},
		{name: "a choice of the only way", links: link("go", ""), choices: []string{"go"}, want: "go", chosen: true},
		{name: "a choice that is not there", links: link("left", "") + "," + link("right", ""), choices: []string{"up"}, refused: "no link"},
		{name: "a choice that is blocked", links: link("left", blocked) + "," + link("go", human), choices: []string{"left"}, refused: "GUARD_REJECTED"},
		{name: "a person", links: link("sign", human)},
		{name: "a person who chose", links: link("sign", human), choices: []string{"sign"}, want: "sign", chosen: true},
		{name: "arguments are needed", links: link("go", needs)},
		{name: "arguments are brought", links: brought, want: "go"},
		{name: "an approval is open", links: link("ship", "") + "," + reject, more: waits},
		{name: "a choice answers no approval", links: link("ship", "") + "," + reject, more: waits, choices: []string{"ship"}},
		{name: "a refusal", links: link("go", ""), more: `,"error":{"code":"GUARD_REJECTED"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, err := readReply(jsontext.Value(`{"links":[` + tt.links + `]` + tt.more + `}`))
			if err != nil {
				t.Fatal(err)
			}
			var choices []choice
			for _, name := range tt.choices {
				choices = append(choices, choice{transition: name})
			}
			got, _, chosen, err := r.next(choices)
			if tt.refused != "" {
				if err == nil || !strings.Contains(err.Error(), tt.refused) {
					t.Fatalf("%v, want %q", err, tt.refused)
				}
				return
			}
			if err != nil || (got != nil) != (tt.want != "") || got != nil && got.Rel != tt.want || chosen != tt.chosen {
				t.Errorf("%+v, chosen %v, %v; want %q, %v", got, chosen, err, tt.want, tt.chosen)
			}
		})
	}
}

// TestSubmitAnswersNoApproval: what waits for an answer needs the digest of what was shown.
func TestSubmitAnswersNoApproval(t *testing.T) {
	t.Parallel()
	r, err := readReply(jsontext.Value(`{"links":[{"rel":"ship","args":{"transition":"ship","arguments":{}}}],
		"pending_human":{"transition":"ship","approval":{"id":"ap_1"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.followable("ship"); err == nil || !strings.Contains(err.Error(), "waits for an answer to ap_1") {
		t.Errorf("%v", err)
	}
}

// TestLinkWith: a link is sent as it stands, but for the arguments and the summary that there are.
func TestLinkWith(t *testing.T) {
	t.Parallel()
	l := replyLink{Args: jsontext.Value(`{"workflowId":"wf_1","expectedVersion":9007199254740993,"transition":"go","arguments":{"a":1}}`)}
	for _, tt := range []struct{ arguments, summary, want string }{
		{"", "", `{"arguments":{"a":1},"expectedVersion":9007199254740993,"transition":"go","workflowId":"wf_1"}`},
		{`{"b":2}`, "done", `{"arguments":{"b":2},"expectedVersion":9007199254740993,"summary":"done","transition":"go","workflowId":"wf_1"}`},
	} {
		var arguments jsontext.Value
		if tt.arguments != "" {
			arguments = jsontext.Value(tt.arguments)
		}
		if got, err := l.with(arguments, tt.summary); err != nil || string(got) != tt.want {
			t.Errorf("%s, %v, want %s", got, err, tt.want)
		}
	}
}

// TestOperatorIsLive: what an operator has started goes on, also before clients.json was read; no other name passes for one.
func TestOperatorIsLive(t *testing.T) {
	t.Parallel()
	a := &app{}
	own := control.Principal(os.Geteuid())
	if p, live := a.liveClient(own.Client); !live || p.Client != own.Client {
		t.Errorf("%s: %+v, %v", own.Client, p, live)
	}
	for _, name := range []string{"alice", "operator:", "operator:x", own.Client + "1"} {
		if _, live := a.liveClient(name); live {
			t.Errorf("%q is live", name)
		}
	}
}
