package store

import (
	"bytes"
	"cmp"
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

// eventJSON is an event as it is hashed, stored and exported. Its members stand in the order of
// their names, so that marshalling gives the canonical form (RFC 8785) at once.
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
	e.At = time.UnixMilli(e.At.UnixMilli()).UTC()
	e.Kind = EventKind(SafeString(string(e.Kind)))
	e.User = strings.ToValidUTF8(e.User, "\ufffd")
	for _, s := range []*string{
		&e.RequestID, &e.Client, &e.Remote, &e.Tool, &e.Tier, &e.Method,
		&e.Decision, &e.Outcome, &e.Code, &e.Args,
	} {
		*s = SafeString(*s)
	}
	e.Registry = min(e.Registry, digest.MaxInteger)
	e.Duration = max(min(e.Duration, digest.MaxInteger), 0)
	e.Detail = normalDetail(e.Detail)
	e.Calls = normalCalls(e.Calls)
	return e
}

// normalCalls brings the calls of a block into their order: by user, in the order in which the
// users first appear; behind all calls, in the same order, what the users did in workflows.
func normalCalls(calls []Event) []Event {
	if len(calls) == 0 {
		return nil
	}
	normal := make([]Event, len(calls))
	rank := map[string]int{}
	for i, call := range calls {
		call = call.Normal()
		call.Chain, call.Seq, call.Prev, call.Hash, call.Calls = "", 0, "", "", nil
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
	if canonical, err := digest.Canonical([]byte(detail)); err == nil && canonical[0] == '{' {
		return string(canonical)
	}
	text, _ := json.Marshal(map[string]string{"text": SafeString(detail)}) // strings of valid UTF-8 always marshal
	return string(text)
}

// Link gives a normal event its place in a chain, after the event with the hash prev, and the hash
// over its canonical form with that.
func (e Event) Link(seq int64, prev string) (Event, error) {
	e.Chain, e.Seq, e.Prev, e.Hash = MainChain, seq, prev, ""
	form, err := EncodeEvent(e)
	if err != nil {
		return e, err
	}
	e.Hash = digest.Hex(form)
	return e, nil
}

// EncodeEvent is the canonical JSON of a normal event. Without Hash it is what the hash is over;
// with it, one line of an export: who takes the member "hash" out and canonicalizes what is left
// has what was hashed.
func EncodeEvent(e Event) ([]byte, error) {
	form := toJSON(e)
	b, err := json.Marshal(&form)
	if err != nil {
		return nil, fmt.Errorf("encode event: %w", err)
	}
	return b, nil
}

// DecodeEvent reads what EncodeEvent wrote. It refuses members that it does not know, and
// anything that is not the canonical form.
func DecodeEvent(b []byte) (Event, error) {
	var form eventJSON
	if err := json.Unmarshal(b, &form, json.RejectUnknownMembers(true)); err != nil {
		return Event{}, fmt.Errorf("decode event: %w", err)
	}
	e := fromJSON(form)
	if again, err := EncodeEvent(e); err != nil || !bytes.Equal(again, b) {
		return Event{}, fmt.Errorf("decode event: not in canonical form")
	}
	return e, nil
}

func toJSON(e Event) eventJSON {
	form := eventJSON{
		Args: e.Args, At: e.At.UnixMilli(), Chain: e.Chain, Client: e.Client, Code: e.Code,
		Decision: e.Decision, Duration: int64(e.Duration), Hash: e.Hash, Kind: string(e.Kind),
		Method: e.Method, Outcome: e.Outcome, Prev: e.Prev, Registry: e.Registry, Remote: e.Remote,
		RequestID: e.RequestID, Seq: e.Seq, Tier: e.Tier, Tool: e.Tool, User: e.User,
	}
	if e.Detail != "" {
		form.Detail = jsontext.Value(e.Detail)
	}
	for _, call := range e.Calls {
		form.Calls = append(form.Calls, toJSON(call))
	}
	return form
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

// EncodeCalls is a JSON array of normal calls.
func EncodeCalls(calls []Event) ([]byte, error) {
	forms := make([]eventJSON, len(calls))
	for i, call := range calls {
		forms[i] = toJSON(call)
	}
	b, err := json.Marshal(forms)
	if err != nil {
		return nil, fmt.Errorf("encode calls: %w", err)
	}
	return b, nil
}

// DecodeCalls reads what EncodeCalls wrote.
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
