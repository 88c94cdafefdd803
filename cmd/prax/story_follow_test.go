package main

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/rogpeppe/go-internal/testscript"
)

// heard is the last answer of a tool that each caller of a story got, by token.
type heard map[string]jsontext.Value

// heardKey is where a story keeps them.
type heardKey struct{}

func heardOf(ts *testscript.TestScript) heard { return ts.Value(heardKey{}).(heard) }

// followedLink is a link wherever it stands in an answer: in links, in the links of what was found, or as the call that
// answers for a person.
type followedLink struct {
	Rel     string                    `json:"rel"`
	Method  string                    `json:"method"`
	Args    map[string]jsontext.Value `json:"args"`
	Blocked *replyBlocked             `json:"blocked"`
}

// followCommand does as a caller does who knows nothing but the last answer: it copies a link of it.
func followCommand(ts *testscript.TestScript, neg bool, args []string) {
	until, args := untilFlag(args)
	if len(args) < 2 || len(args) > 3 || !strings.HasPrefix(args[0], "as-") {
		ts.Fatalf("usage: follow [-until STATUS] as-NAME REL [JSON]")
	}
	token := ts.Getenv(strings.ToUpper(strings.TrimPrefix(args[0], "as-")))
	if token == "" {
		ts.Fatalf("follow %s: there is no token in $%s", args[0], strings.ToUpper(strings.TrimPrefix(args[0], "as-")))
	}
	link, why := heardOf(ts).link(token, args[1])
	if why != "" {
		if !neg {
			ts.Fatalf("follow %s %s: %s in %s", args[0], args[1], why, heardOf(ts)[token])
		}
		fmt.Fprintln(ts.Stdout(), why)
		return
	}
	if neg {
		ts.Fatalf("follow %s %s: the link can be followed", args[0], args[1])
	}
	if len(args) == 3 {
		ts.Check(link.fill([]byte(args[2])))
	}
	params, err := compact(map[string]any{"name": link.Method, "arguments": link.Args})
	ts.Check(err)
	call := []string{"tools/call", string(params)}
	if until != "" {
		call = append([]string{"-until", until}, call...)
	}
	asCommand(token)(ts, false, call)
}

// hear keeps what a caller was answered; what is no answer of a tool with structured content is not looked at.
func (h heard) hear(token, text string) {
	var answer struct {
		Result struct {
			Structured jsontext.Value `json:"structuredContent"`
		} `json:"result"`
	}
	_, body, _ := strings.Cut(text, "\n")
	if json.Unmarshal([]byte(body), &answer) == nil && answer.Result.Structured != nil {
		h[token] = answer.Result.Structured
	}
}

// link is the one link with this rel in a caller's last answer, or why there is none to follow. A link of the answer
// itself goes before those of what stands in it.
func (h heard) link(token, rel string) (link followedLink, why string) {
	var answer any
	if err := json.Unmarshal(h[token], &answer); err != nil {
		return link, "there is no answer yet"
	}
	own, inner := []followedLink(nil), []followedLink(nil)
	if object, ok := answer.(map[string]any); ok {
		own = linksIn(object["links"], rel)
		delete(object, "links")
		inner = linksIn(object, rel)
	}
	if len(own) == 0 {
		own = inner
	}
	switch {
	case len(own) == 0:
		return link, "no link " + rel
	case len(own) > 1:
		return link, fmt.Sprintf("%d links %s", len(own), rel)
	case own[0].Blocked != nil:
		return link, "blocked: " + own[0].Blocked.Code
	}
	return own[0], ""
}

// linksIn finds the links with this rel, at any depth.
func linksIn(v any, rel string) (found []followedLink) {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			found = append(found, linksIn(one, rel)...)
		}
	case map[string]any:
		if v["rel"] == rel && v["method"] != nil {
			var link followedLink
			if text, err := compact(v); err == nil && json.Unmarshal(text, &link) == nil {
				return []followedLink{link}
			}
		}
		for _, one := range v {
			found = append(found, linksIn(one, rel)...)
		}
	}
	return found
}

// fill puts members of an object where the link's inputSchema wants them: into the arguments of a transition, the input
// of a start, and anything else beside what the link brings.
func (l *followedLink) fill(object []byte) error {
	var given map[string]jsontext.Value
	if err := json.Unmarshal(object, &given); err != nil {
		return fmt.Errorf("%s: %w", object, err)
	}
	into, at := l.Args, ""
	switch {
	case l.Args["transition"] != nil:
		at = "arguments"
	case l.Args["definitionId"] != nil:
		at = "input"
	}
	if at != "" {
		into = map[string]jsontext.Value{}
		if brought := l.Args[at]; brought != nil {
			if err := json.Unmarshal(brought, &into); err != nil {
				return err
			}
		}
	}
	for name, value := range given {
		into[name] = value
	}
	if at == "" {
		return nil
	}
	text, err := compact(into)
	l.Args[at] = text
	return err
}
