package clients

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"prax/auth"
)

// What an edit can fail for. The file is as it was.
var (
	// ErrChanged: somebody else changed the file meanwhile; the edit may be tried again.
	ErrChanged = errors.New("the file changed meanwhile")
	// ErrBusy: another edit holds the directory for too long.
	ErrBusy = errors.New("another edit is under way")
	// ErrExists: there is such a client, or one with the same token.
	ErrExists = errors.New("there is a client with this name or token")
	// ErrNoClient: there is no client with this name.
	ErrNoClient = errors.New("there is no client with this name")
	// ErrRefused: the entry would be refused, for what stands in it.
	ErrRefused = errors.New("the entry would be refused")
	// ErrDoubt: which part of the file is meant is not clear; it must be mended by hand.
	ErrDoubt = errors.New("the entry or its token cannot be told")
	// ErrTokens: the entry has as many tokens as it may have.
	ErrTokens = fmt.Errorf("the entry would have more than %d tokens", maxTokens)
)

// Entry is a client to add.
type Entry struct {
	Name    string
	UserID  string
	Hash    auth.Credential // of its token
	Allow   []string        // nil is the default set, empty is nothing
	Roles   []string
	Expires time.Time // zero never expires
}

// AddClient puts an entry at the end of the file, which is made with mode 0600 if it is missing. Every
// other byte stays, and so do links, owner and mode. [ErrExists] when the name or the token is taken,
// [ErrRefused] when the entry would not be admitted as it is.
func AddClient(path string, e Entry) error {
	if bad := judgeName(e.Name); bad != "" || e.Name == "" {
		return fmt.Errorf("add client: name %s", cmp.Or(bad, "is empty"))
	}
	if bad := judgeName(e.UserID); bad != "" || e.UserID == "" {
		return fmt.Errorf("add client %q: user id %s", e.Name, cmp.Or(bad, "is empty"))
	}
	err := edit(path, true, func(text []byte) ([]byte, error) {
		m, err := measure(text)
		if err != nil {
			return nil, err
		}
		return m.add(e.members()), nil
	}, func(after *snapshot) error { return after.stands(e.Name) })
	return wrap("add client", e.Name, err)
}

// RevokeClient takes the entry with this name out of the file; if several have it, all of them.
// [ErrNoClient] when none has.
func RevokeClient(path, name string) error {
	err := edit(path, false, func(text []byte) ([]byte, error) {
		m, err := measure(text)
		if err != nil {
			return nil, err
		}
		at := m.named(name)
		if len(at) == 0 {
			return nil, ErrNoClient
		}
		// By place and from the last one on: once an entry is gone, a later one without a name has its.
		for _, i := range slices.Backward(at) {
			if m, err = measure(m.remove(i)); err != nil {
				return nil, err
			}
		}
		return m.text, nil
	}, nil)
	return wrap("revoke client", name, err)
}

// stands is nil when all is well with the client of this name.
func (s *snapshot) stands(name string) error {
	err := ErrRefused
	for i := range s.rows {
		r := &s.rows[i]
		switch {
		case s.text(r.name) != name:
		case r.flags.has(sharesName | sharesToken):
			return ErrExists
		case !r.flags.has(refused):
			err = nil
		}
	}
	return err
}

func (e Entry) members() [][2]string {
	m := [][2]string{
		{"name", quoted(e.Name)}, {"user_id", quoted(e.UserID)}, {"token_sha256", quoted(e.Hash.Hex())},
		{"allow", `"default"`},
	}
	if e.Allow != nil {
		m[3][1] = quotedList(e.Allow)
	}
	if len(e.Roles) > 0 {
		m = append(m, [2]string{"roles", quotedList(e.Roles)})
	}
	if !e.Expires.IsZero() {
		m = append(m, [2]string{"expires_at", quoted(e.Expires.UTC().Format(time.RFC3339))})
	}
	return m
}

func wrap(what, name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %q: %w", what, name, err)
}
