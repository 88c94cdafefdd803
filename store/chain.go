package store

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/store/digest"
)

// MainChain is the name of the one chain.
const MainChain = "main"

// eventJSON is an event as it is read. Its members stand in the order of their names, so that marshalling
// gives the canonical form (RFC 8785) at once.
type eventJSON struct {
	Args      string         `json:"args,omitzero"`
	At        int64          `json:"at"`
	Calls     []eventJSON    `json:"calls,omitempty"`
	Chain     string         `json:"chain,omitzero"`
	Client    string         `json:"client,omitzero"`
	Code      string         `json:"code,omitzero"`
	Decision  string         `json:"decision,omitzero"`
	Detail    jsontext.Value `json:"detail,omitzero"`
	Duration  int64          `json:"duration_ns,omitzero"`
	Hash      string         `json:"hash,omitzero"`
	Kind      string         `json:"kind"`
	Method    string         `json:"method,omitzero"`
	Outcome   string         `json:"outcome,omitzero"`
	Prev      string         `json:"prev,omitzero"`
	Registry  uint64         `json:"registry,omitzero"`
	Remote    string         `json:"remote,omitzero"`
	RequestID string         `json:"request_id,omitzero"`
	Seq       int64          `json:"seq,omitzero"`
	Tier      string         `json:"tier,omitzero"`
	Tool      string         `json:"tool,omitzero"`
	User      string         `json:"user,omitzero"`
}

// Normal is the event as a store keeps it: the time in milliseconds and UTC, strings of a caller
// made safe, Detail a canonical JSON object, numbers that a double holds. The user stays as it is,
// but for bytes that are not UTF-8: it decides who sees the event.
func (e Event) Normal() Event {
	e.normalize()
	return e
}

func (e *Event) normalize() {
	e.At = time.UnixMilli(e.At.UnixMilli()).UTC()
	e.Kind = EventKind(SafeString(string(e.Kind)))
	if !digest.Verbatim(e.User) {
		e.User = strings.ToValidUTF8(e.User, "\ufffd")
	}
	e.RequestID, e.Client, e.Remote = SafeString(e.RequestID), SafeString(e.Client), SafeString(e.Remote)
	e.Tool, e.Tier, e.Method = SafeString(e.Tool), SafeString(e.Tier), SafeString(e.Method)
	e.Decision, e.Outcome, e.Code = SafeString(e.Decision), SafeString(e.Outcome), SafeString(e.Code)
	e.Args = SafeString(e.Args)
	e.Registry = min(e.Registry, digest.MaxInteger)
	e.Duration = max(min(e.Duration, digest.MaxInteger), 0)
	e.Detail = normalDetail(e.Detail)
	e.Calls = normalCalls(e.Calls)
}

// unlink takes what only an event of the chain has.
func (e *Event) unlink() { e.Chain, e.Seq, e.Prev, e.Hash, e.Calls = "", 0, "", "", nil }

// normalCalls brings the calls of a block into their order: by user, in the order in which the
// users first appear; behind all calls, in the same order, what the users did in workflows.
func normalCalls(calls []Event) []Event {
	if len(calls) == 0 {
		return nil
	}
	normal := make([]Event, len(calls))
	rank := map[string]int{}
	for i, call := range calls {
		call.normalize()
		call.unlink()
		if _, known := rank[call.User]; !known {
			rank[call.User] = len(rank)
		}
		normal[i] = call
	}
	slices.SortStableFunc(normal, func(a, b Event) int {
		return cmp.Or(cmp.Compare(a.late(), b.late()), cmp.Compare(rank[a.User], rank[b.User]))
	})
	return normal
}

// late is 1 for an event of a workflow, which stands behind the calls of its block.
func (e Event) late() int {
	if e.Kind == EventWorkflow {
		return 1
	}
	return 0
}

func normalDetail(detail string) string {
	if detail == "" {
		return ""
	}
	if digest.IsCanonical([]byte(detail)) && detail[0] == '{' {
		return detail
	}
	if canonical, err := digest.Canonical([]byte(detail)); err == nil && canonical[0] == '{' {
		return string(canonical)
	}
	text, _ := json.Marshal(map[string]string{"text": SafeString(detail)}) // strings of valid UTF-8 always marshal
	return string(text)
}

// Link gives a normal event its place in a chain, after the event with the hash prev, and the hash
// over its canonical form with that.
func (e Event) Link(seq int64, prev string) Event {
	e.Chain, e.Seq, e.Prev, e.Hash = MainChain, seq, prev, ""
	e.Hash = digest.Hex(EncodeEvent(e))
	return e
}

// Sealed is an event in its place in a chain, in the parts that a store keeps.
type Sealed struct {
	Seq        int64
	Prev, Hash string
	At         time.Time
	Kind       EventKind
	Body       string // the canonical form, but for the calls and the hash
	Shares     []Share
}

// Sealer seals events. It keeps the memory that it needs for one.
type Sealer struct {
	form []byte
}

// Seal does what [Event.Link] does, for an event whose calls are in its shares alone.
func (s *Sealer) Seal(e Event, shares []Share, seq int64, prev string) Sealed {
	e.Chain, e.Seq, e.Prev, e.Hash, e.Calls = MainChain, seq, prev, "", nil
	b := appendBegin(s.form[:0], &e)
	begin := len(b)
	b = appendShares(b, shares)
	end := len(b)
	b = appendEnd(b, &e)
	hash := digest.Hex(b)
	b = append(b[:begin], b[end:]...)
	s.form = b
	return Sealed{Seq: seq, Prev: prev, Hash: hash, At: e.At, Kind: e.Kind, Body: string(b), Shares: shares}
}

// appendShares appends the calls of all shares as the one member that they are in the canonical form.
func appendShares(b []byte, shares []Share) []byte {
	begin, opens := len(b), callsMember
	for _, share := range shares {
		if share.Calls == "" {
			continue
		}
		b = append(b, opens...)
		b = append(b, share.Calls[1:len(share.Calls)-1]...)
		opens = ","
	}
	if len(b) > begin {
		b = append(b, ']')
	}
	return b
}

// DecodeEvent reads what EncodeEvent wrote. It refuses members that it does not know, and
// anything that is not the canonical form.
func DecodeEvent(b []byte) (Event, error) {
	var form eventJSON
	if err := json.Unmarshal(b, &form, json.RejectUnknownMembers(true)); err != nil {
		return Event{}, fmt.Errorf("decode event: %w", err)
	}
	again, err := json.Marshal(&form) // which rewrites Detail as well, unlike EncodeEvent
	if err != nil || !bytes.Equal(again, b) {
		return Event{}, errors.New("decode event: not in canonical form")
	}
	return fromJSON(form), nil
}

func fromJSON(form eventJSON) Event {
	e := Event{
		Chain: form.Chain, Seq: form.Seq, Prev: form.Prev, Hash: form.Hash,
		At: time.UnixMilli(form.At).UTC(), Kind: EventKind(form.Kind), RequestID: form.RequestID,
		Client: form.Client, User: form.User, Remote: form.Remote, Tool: form.Tool, Tier: form.Tier,
		Method: form.Method, Decision: form.Decision, Outcome: form.Outcome, Code: form.Code,
		Duration: time.Duration(form.Duration), Args: form.Args, Registry: form.Registry,
		Detail: string(form.Detail),
	}
	for _, call := range form.Calls {
		e.Calls = append(e.Calls, fromJSON(call))
	}
	return e
}

// DecodeCalls reads the calls of a share.
func DecodeCalls(b []byte) ([]Event, error) {
	var forms []eventJSON
	if err := json.Unmarshal(b, &forms, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("decode calls: %w", err)
	}
	calls := make([]Event, len(forms))
	for i, form := range forms {
		calls[i] = fromJSON(form)
	}
	return calls, nil
}
