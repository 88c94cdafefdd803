package store

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MarshalEvent is the canonical form of a normal event as the library writes it.
func MarshalEvent(e Event) ([]byte, error) { return json.Marshal(toJSON(e)) }

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
