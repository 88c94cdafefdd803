package main

import (
	"context"
	"fmt"

	"prax/server/control"
)

// tokenRevoke ends one signed token.
func (p *program) tokenRevoke(args []string) error {
	f := p.flags("token revoke", "ID [flags]",
		"Ends one signed token, by its id: it is unknown as soon as the command ends, and its open streams end. The client and its other tokens\n"+
			"stay as they are; prax client revoke takes them all out. prax token inspect tells the id of a token.").withSettings("PRAX_DATA", "MCP_CLIENTS_PATH", "PRAX_CONFIG")
	positional, err := f.parse(args, 1, 1)
	if err != nil {
		return err
	}
	return f.operate(p.caller, func(ctx context.Context, o operator) error {
		r, err := o.RevokeToken(ctx, control.TokenID{ID: positional[0]})
		if err != nil {
			return explainSigned(err, "")
		}
		_, err = fmt.Fprintf(p.stdout, "token %s is revoked; no token that there is now lasts beyond %s\n", r.ID, formatTime(r.Until))
		return err
	})
}
