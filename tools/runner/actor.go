package runner

import (
	"prax/auth"
	"prax/store"
)

// actor is who did something; nobody, when the server did. Who presented a signed token is the client as that leaves it,
// and another than the client itself.
type actor struct {
	Client string `json:"client,omitzero"`
	User   string `json:"user,omitzero"`
	Grant  string `json:"grant,omitzero"` // the text of the token's; "": the client's own credential
}

func actorOf(p auth.Principal) actor { return actor{p.Client, p.User, p.Grant.Text()} }

// starter is who started an instance.
func starter(i store.Instance) actor { return actor{i.Client, i.User, i.Grant} }

// causer is as whom an attempt runs, until it has ended.
func causer(a store.Attempt) actor { return actor{a.Client, a.Actor, a.Grant} }

func (c *call) actor() actor { return actorOf(c.Principal) }

// grant is the actor's; one that cannot be read is one that nobody was given. nil: it has none.
func (a actor) grant() *auth.Grant {
	if a.Grant == "" {
		return nil
	}
	g, err := auth.ReadGrant(a.Grant)
	if err != nil {
		return &auth.Grant{}
	}
	return g
}
