package auth

import (
	"errors"
	"time"

	"github.com/go-json-experiment/json"
)

// Grant is what a signed token says, once its signature was verified. It stands for its client until it lapses,
// and may narrow what that client has. It is not changed once it was made. The zero value stands for nobody.
type Grant struct {
	ID        string // of the token: for the log, and to revoke it by
	Key       string // the id of the key that signed it
	Audience  string // the address that it was made for
	Client    string
	User      string
	Epoch     int64 // of the client, when the token was made
	Expires   time.Time
	Allow     Narrowing // tool names
	Workflows Narrowing // definition ids and x.* patterns
}

// Narrowing is a list that leaves of what somebody has only what stands in it. The zero value leaves
// everything; an empty list that is given leaves nothing.
type Narrowing struct {
	Given bool
	Names []string
}

// MaxGrant bounds the text of a grant, in bytes: a token has room for less.
const MaxGrant = 8 << 10

// errNotAGrant says of a text that it is none.
var errNotAGrant = errors.New("not the text of a grant")

// grantText is a grant as it is kept with what was begun under it. A list that is not given is absent.
type grantText struct {
	ID        string    `json:"id"`
	Key       string    `json:"key"`
	Audience  string    `json:"audience"`
	Client    string    `json:"client"`
	User      string    `json:"user"`
	Epoch     int64     `json:"epoch"`
	Expires   int64     `json:"expires"` // in Unix seconds, as a token has it (RFC 7519, 4.1.4)
	Allow     *[]string `json:"allow,omitzero"`
	Workflows *[]string `json:"workflows,omitzero"`
}

// Text is the grant as it is kept, always the same for the same grant; "" for none. It is no credential: nothing that
// it says is signed.
func (g *Grant) Text() string {
	if g == nil {
		return ""
	}
	raw, err := json.Marshal(grantText{
		ID: g.ID, Key: g.Key, Audience: g.Audience, Client: g.Client, User: g.User, Epoch: g.Epoch, Expires: g.Expires.Unix(),
		Allow: g.Allow.given(), Workflows: g.Workflows.given(),
	})
	if err != nil { // names that are no UTF-8, which no token has
		return "{}" // nobody's
	}
	return string(raw)
}

// ReadGrant reads what [Grant.Text] wrote. What is not exactly that is an error: it may have been meant to leave
// something out.
func ReadGrant(text string) (*Grant, error) {
	var t grantText
	if len(text) > MaxGrant || json.Unmarshal([]byte(text), &t, json.RejectUnknownMembers(true)) != nil {
		return nil, errNotAGrant
	}
	g := &Grant{
		ID: t.ID, Key: t.Key, Audience: t.Audience, Client: t.Client, User: t.User, Epoch: t.Epoch, Expires: time.Unix(t.Expires, 0).UTC(),
		Allow: narrowingOf(t.Allow), Workflows: narrowingOf(t.Workflows),
	}
	if g.Text() != text {
		return nil, errNotAGrant
	}
	return g, nil
}

func (n Narrowing) given() *[]string {
	if !n.Given {
		return nil
	}
	names := append([]string{}, n.Names...)
	return &names
}

func narrowingOf(names *[]string) Narrowing {
	if names == nil {
		return Narrowing{}
	}
	return Narrowing{Given: true, Names: *names}
}

// NextEpoch is the number that ends the tokens of one: higher than it, and, by the clock, than whatever has been given
// out until now, also by a process that went on from a copy of what this one knows.
func NextEpoch(number int64, now time.Time) int64 { return max(number+1, now.UnixMilli()) }
