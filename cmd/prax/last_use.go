package main

import (
	"slices"
	"strings"
	"time"

	"prax/auth/clients"
	"prax/server/control"
	"prax/store/digest"
	"prax/store/sqlite"
)

// lastUses are when clients used their tokens last.
type lastUses struct {
	key  *digest.Key // by which tokens are known
	of   map[string][]control.Use
	told map[string]bool // clients that are in the list
}

func newLastUses(dir string, list []control.Use) (lastUses, error) {
	key, err := sqlite.LoadKey(dir)
	if err != nil {
		return lastUses{}, err
	}
	u := lastUses{key: key, of: map[string][]control.Use{}, told: map[string]bool{}}
	for _, use := range list {
		u.of[use.Client] = append(u.of[use.Client], use)
	}
	return u, nil
}

// fill adds to a client when it was used last, be it by a token that it has no more, and to each of its tokens.
func (u *lastUses) fill(c *clients.Listed) {
	uses := u.of[c.Name]
	u.told[c.Name] = true
	if c.Name == "" || len(uses) == 0 {
		return
	}
	c.LastUsed = latest(uses)
	for i := range c.Tokens {
		t := &c.Tokens[i]
		mark := u.key.Mark(t.Credential[:])
		if at := slices.IndexFunc(uses, func(use control.Use) bool { return use.Token == mark }); at >= 0 {
			t.LastUsed = uses[at].At
		}
	}
}

// rest are the clients that are not in the list, by name.
func (u *lastUses) rest() (gone []clients.Listed) {
	for name, uses := range u.of {
		if !u.told[name] {
			gone = append(gone, clients.Listed{
				Name: name, State: clients.Gone, LastUsed: latest(uses), Allow: []string{}, Roles: []string{}, Tokens: []clients.ListedToken{},
			})
		}
	}
	slices.SortFunc(gone, func(a, b clients.Listed) int { return strings.Compare(a.Name, b.Name) })
	return gone
}

func latest(uses []control.Use) (at time.Time) {
	for _, use := range uses {
		if use.At.After(at) {
			at = use.At
		}
	}
	return at
}
