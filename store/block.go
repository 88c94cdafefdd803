package store

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Share is what one event holds of one user: calls, or what it did in workflows. By it the store leads
// the user to its traces.
type Share struct {
	User     string
	Workflow bool   // events of kind EventWorkflow
	Calls    string // of a block: a JSON array of normal events; "" where the event itself is the share
}

// Shares are the shares in a normal event, in their order.
func (e *Event) Shares() []Share {
	if len(e.Calls) == 0 {
		if e.User == "" || e.Kind != EventCall && e.Kind != EventWorkflow {
			return nil
		}
		return []Share{{User: e.User, Workflow: e.Kind == EventWorkflow}}
	}
	var shares []Share
	for calls := e.Calls; len(calls) > 0; {
		share := Share{User: calls[0].User, Workflow: calls[0].Kind == EventWorkflow}
		text, opens := []byte(nil), "["
		for len(calls) > 0 && calls[0].User == share.User && (calls[0].Kind == EventWorkflow) == share.Workflow {
			text = appendEvent(append(text, opens...), &calls[0])
			calls, opens = calls[1:], ","
		}
		share.Calls = string(append(text, ']'))
		shares = append(shares, share)
	}
	return shares
}

// CallsOf are those of a user among the calls of several, and how many they are: both are JSON arrays of normal events. ""
// is nobody.
func CallsOf(calls []byte, user string) (own string, n int, err error) {
	end := append(appendMember(nil, `,"user":`, user), '}') // of what is canonical: no member stands behind this one
	d := jsontext.NewDecoder(bytes.NewBuffer(calls), jsontext.AllowDuplicateNames(true))
	if _, err := d.ReadToken(); err != nil {
		return "", 0, fmt.Errorf("read calls: %w", err)
	}
	text := []byte{'['}
	for d.PeekKind() == jsontext.KindBeginObject {
		call, err := d.ReadValue()
		if err != nil {
			return "", 0, fmt.Errorf("read calls: %w", err)
		}
		if user == "" || !bytes.HasSuffix(call, end) {
			continue
		}
		if n++; n > 1 {
			text = append(text, ',')
		}
		text = append(text, call...)
	}
	if _, err := d.ReadToken(); err != nil {
		return "", 0, fmt.Errorf("read calls: %w", err)
	}
	return string(append(text, ']')), n, nil
}

// Block gathers recorded calls for one event. Each is encoded as it comes, so that what waits is its
// text alone. The zero Block is empty.
type Block struct {
	text   []byte // the calls, as they came
	calls  []recorded
	users  []string       // as they first appear
	places map[string]int // in users
}

// recorded is one call in the text of a block.
type recorded struct {
	user     int // in users
	workflow bool
	from, to int
}

// byShare orders the calls of a block: by user, what they did in workflows behind all else.
func byShare(x, y recorded) int {
	switch {
	case x.workflow == y.workflow:
		return cmp.Compare(x.user, y.user)
	case y.workflow:
		return -1
	}
	return 1
}

// Add adds the call that an event reports, and makes the event normal.
func (b *Block) Add(e *Event) {
	e.normalize()
	e.unlink()
	call := recorded{user: b.place(e.User), workflow: e.Kind == EventWorkflow, from: len(b.text)}
	b.text = appendEvent(b.text, e)
	call.to = len(b.text)
	b.calls = append(b.calls, call)
}

func (b *Block) place(user string) int {
	place, known := b.places[user]
	if !known {
		if b.places == nil {
			b.places = map[string]int{}
		}
		place = len(b.users)
		b.users, b.places[user] = append(b.users, user), place
	}
	return place
}

// Shares are the shares of the block's event. Their texts are parts of one string.
func (b *Block) Shares() []Share {
	slices.SortStableFunc(b.calls, byShare)
	var all strings.Builder
	all.Grow(len(b.text) + len(b.calls) + 2*len(b.users))
	shares := make([]Share, 0, len(b.users))
	for calls := b.calls; len(calls) > 0; {
		first, from := calls[0], all.Len()
		opens := "["
		for len(calls) > 0 && byShare(first, calls[0]) == 0 {
			all.WriteString(opens)
			all.Write(b.text[calls[0].from:calls[0].to])
			calls, opens = calls[1:], ","
		}
		all.WriteByte(']')
		shares = append(shares, Share{User: b.users[first.user], Workflow: first.workflow, Calls: all.String()[from:]})
	}
	return shares
}

// Len is the number of calls.
func (b *Block) Len() int { return len(b.calls) }

// Size is how many bytes the calls have.
func (b *Block) Size() int { return len(b.text) }

// Reset empties the block; it keeps its memory.
func (b *Block) Reset() {
	clear(b.users) // they would be kept by what is behind the end of the slice
	clear(b.places)
	b.text, b.calls, b.users = b.text[:0], b.calls[:0], b.users[:0]
}
