package praxec

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/tools"
)

// maxAnswer is how much of a result an answer may take, with the same JSON as text beside it.
const maxAnswer = tools.MaxResult - 4096

// face is an answer in its two forms: as structured content, and as text; nil where that is the same.
type face struct{ structured, text any }

// lean is an answer that can leave out what is large: in the text first, which says everything a second time.
type lean interface{ lean() []face }

// result is an answer as structured content, and the same as text as far as there is room. A result is itself.
func (q *request) result(body any) (*tools.Result, error) {
	if res, is := body.(*tools.Result); is {
		return res, nil
	}
	res, err := face{structured: body}.result()
	if large, is := body.(lean); is && res == nil && err == nil {
		res, err = first(large.lean())
	}
	if res != nil || err != nil {
		return res, err
	}
	return q.result(q.refuse(string(tools.CodeTooLarge), "the answer would be larger than the server gives at once",
		"ask for less: a lower limit, a narrower search, one thing after the other", q.homeLink(), q.searchLink()))
}

// first is the first face that there is room for; nil when there is none.
func first(faces []face) (*tools.Result, error) {
	for _, f := range faces {
		if res, err := f.result(); res != nil || err != nil {
			return res, err
		}
	}
	return nil, nil
}

// result is a face as a tool gives it; nil when there is no room for it.
func (f face) result() (*tools.Result, error) {
	raw, err := encode(f.structured)
	if err != nil {
		return nil, err
	}
	text := raw
	if f.text != nil && len(raw) < maxAnswer {
		if text, err = encode(f.text); err != nil {
			return nil, err
		}
	}
	said := string(text)
	if len(raw)+quoted(said) > maxAnswer {
		return nil, nil
	}
	return &tools.Result{Structured: raw, Content: []tools.Block{{Type: "text", Text: said}}}, nil
}

func encode(body any) (jsontext.Value, error) {
	if i, is := body.(*instance); is {
		return i.encode()
	}
	raw, err := json.Marshal(body, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	return raw, nil
}

// quoted is how long JSON becomes within a string.
func quoted(text string) int {
	return len(text) + strings.Count(text, `"`) + strings.Count(text, `\`)
}

// resource says what an answer is about.
type resource struct {
	Type string `json:"type"`
	ID   string `json:"id"`
}

// outcome is `result` of an answer.
type outcome struct {
	Status  string `json:"status"`
	Reason  string `json:"reason,omitzero"`
	Message string `json:"message,omitzero"`
}
