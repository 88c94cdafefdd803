package runner

import (
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/store/digest"
	"prax/tools/workflow"
)

// memo is the engine's bookkeeping as it is stored. It has the members of workflow.Memo, or it does not compile.
type memo struct {
	Fires   map[string]int `json:"fires,omitzero"`
	Whiles  map[string]int `json:"whiles,omitzero"`
	Asked   int            `json:"asked,omitzero"`
	Hops    int            `json:"hops,omitzero"`
	Driven  time.Duration  `json:"driven_ns,omitzero"`
	Expired bool           `json:"expired,omitzero"`
}

// nanoseconds are how a memo has its durations.
var nanoseconds = json.JoinOptions(
	json.WithMarshalers(json.MarshalFunc(func(d time.Duration) ([]byte, error) {
		return strconv.AppendInt(nil, min(int64(d), digest.MaxInteger), 10), nil
	})),
	json.WithUnmarshalers(json.UnmarshalFunc(func(raw []byte, d *time.Duration) error {
		n, err := strconv.ParseInt(string(raw), 10, 64)
		*d = time.Duration(n)
		return err
	})),
)

func encodeMemo(m workflow.Memo) (jsontext.Value, error) {
	if m.Fires == nil && m.Whiles == nil && m.Asked == 0 && m.Hops == 0 && m.Driven == 0 && !m.Expired {
		return jsontext.Value("{}"), nil // as most are
	}
	raw, err := json.Marshal(memo(m), nanoseconds)
	if err != nil {
		return nil, err
	}
	return digest.Canonical(raw)
}

func decodeMemo(raw jsontext.Value) (workflow.Memo, error) {
	var m memo
	err := json.Unmarshal(raw, &m, nanoseconds)
	return workflow.Memo(m), err
}
