package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"prax/auth"
	"prax/auth/jwt"
	"prax/server/control"
	"prax/tools"
)

// tokenJWT makes a signed token for a client and prints it, once.
func (p *program) tokenJWT(args []string) error {
	f := p.flags("token jwt", "--as CLIENT [--ttl SPAN] [--allow TOOLS] [--workflows IDS] [flags]",
		"Makes a signed token that stands for a client for a while, a day at most, and prints it: this once, and it is kept nowhere. It gives what\n"+
			"the client has now, and of that no more than --allow and --workflows name. It is out as soon as the client is out, is another user's or has\n"+
			"another token, and when prax token revoke ends it. The server needs PRAX_PUBLIC_URL, for which the token is made.").withSettings("PRAX_DATA", "MCP_CLIENTS_PATH", "PRAX_CONFIG", "PRAX_PUBLIC_URL")
	as := f.asClient()
	ttl := f.String("ttl", "1h", "how long it lasts: a `SPAN` of 24h at most, 1h when missing")
	allow := f.String("allow", "", "leave of the client's tools only these `TOOLS`, as client add takes them; \"\" leaves none")
	workflows := f.String("workflows", "", "leave of the client's workflows only these `IDS` and patterns as ops.*; \"\" leaves none")
	newKey := f.Bool("new-key", false, "sign with a new key from now on; what the one before has signed is good until it lapses")
	how := f.printing()
	f.meant = map[string]string{"client": "as", "expires": "ttl", "tools": "allow", "allowlist": "allow", "workflow": "workflows", "rotate": "new-key"}
	if _, err := f.parse(args, 0, 0); err != nil {
		return err
	}
	if *as == "" {
		return f.usage("--as CLIENT is missing")
	}
	span, err := parseSpan(*ttl)
	if err != nil || span < time.Second || span > jwt.MaxTTL {
		return f.usage("--ttl is a span of a second or more, as 15m, and 24h at most")
	}
	order := control.TokenOrder{As: *as, Seconds: int64(span / time.Second), NewKey: *newKey}
	if f.said("workflows") {
		order.Workflows = given(list(*workflows))
	}
	s, _, err := p.loadSettings(f)
	if err != nil {
		return err
	}
	if f.said("allow") {
		names, err := p.granted(*allow, s.catalogue())
		if err != nil {
			return err
		}
		order.Allow = given(names)
	}
	return f.operate(p.caller, func(ctx context.Context, o operator) error {
		t, err := o.MakeToken(ctx, order)
		if err != nil {
			return explainSigned(err, *as)
		}
		p.noteLacking(order, t)
		return how.signed(p, t)
	})
}

// noteLacking tells which of the tools that a token is narrowed to its client has not: they are not added.
func (p *program) noteLacking(order control.TokenOrder, t control.Token) {
	if order.Allow == nil {
		return
	}
	has := map[string]bool{}
	for _, name := range t.Allow {
		has[tools.Spelling(name, auth.Underscore)] = true
	}
	lacking := slices.DeleteFunc(slices.Clone(*order.Allow), func(name string) bool { return has[tools.Spelling(name, auth.Underscore)] })
	if len(lacking) > 0 {
		p.noteOf("client %s has not, and the token does not give: %s", t.Client, strings.Join(lacking, ", "))
	}
}

func given(names []string) *[]string {
	names = append([]string{}, names...)
	return &names
}

func explainSigned(err error, as string) error {
	switch {
	case errors.Is(err, jwt.ErrNoAudience):
		return failed("set PRAX_PUBLIC_URL for the server, to the address that callers use, and start it again", "%w", err)
	case errors.Is(err, control.ErrNoClient):
		return failed("prax client list names the clients", "%q: %w", as, err)
	case errors.Is(err, jwt.ErrNoID):
		return failed("an id has 28 letters and digits; prax token inspect tells that of a token on standard input", "%w", err)
	case errors.Is(err, jwt.ErrLists):
		return failed("name fewer, or what --allow takes for a set: default, low, medium, praxec", "%w", err)
	}
	return err
}

// signed prints a signed token, once, and what it is good for.
func (how printing) signed(p *program, t control.Token) error {
	text, err := how.signedText(t)
	if err == nil {
		_, err = p.stdout.Write(text)
	}
	if err != nil {
		return failed("prax token revoke "+t.ID+" ends it; make another", "the token was made, and is lost: %w", err)
	}
	return nil
}

func (how printing) signedText(t control.Token) ([]byte, error) {
	switch {
	case *how.json:
		return indented(t)
	case *how.quiet:
		return []byte(t.Token + "\n"), nil
	}
	w := &bytes.Buffer{}
	fmt.Fprintf(w, "signed token %s for client %s, user %s\n", t.ID, printable(t.Client), printable(t.User))
	fmt.Fprintf(w, "may use %s now, expires %s\n", granting(t.Allow), formatTime(t.Expires))
	if t.Workflows != nil {
		fmt.Fprintf(w, "may use the workflows: %s\n", granting(*t.Workflows))
	}
	if t.Ends.Before(t.Expires) {
		fmt.Fprintf(w, "the client itself expires %s, and the token with it\n", formatTime(t.Ends))
	}
	fmt.Fprintf(w, "prax token revoke %s ends it before\n\nit is shown this once:\nexport PRAX_TOKEN=%s\n", t.ID, t.Token)
	return w.Bytes(), nil
}
