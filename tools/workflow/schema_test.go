package workflow_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"prax/store/digest"
	"prax/tools/workflow"
	wt "prax/tools/workflow/workflowtest"
)

func TestSchema(t *testing.T) {
	t.Parallel()
	raw := `{"type":"object","required":["a"],"properties":{"a":{"type":"string"},"b":{"type":"object","properties":{"c":{"default":[1]}}},"d":{"default":null}}}`
	s := wt.Schema(raw)
	equal(t, "raw", string(s.Raw()), raw)
	filled, err := s.Fill(jsontext.Value(`{"b":{}, "a":null}`))
	equal(t, "filled", string(filled), `{"a":null,"b":{"c":[1]},"d":null}`)
	equal(t, "error", err, nil)
	equal(t, "violations", len(s.Validate(filled)), 1)
	equal(t, "violations", len(s.Check(map[string]any{"a": "x"})), 0)
	for _, bad := range []string{``, `{`, `{"a":1,"a":2}`, `9007199254740993`} {
		if _, err := s.Fill(jsontext.Value(bad)); err == nil {
			t.Errorf("%s was filled", bad)
		}
	}
	if _, err := workflow.NewSchema(jsontext.Value(`{"type":"strin"}`)); err == nil {
		t.Error("a schema that is none")
	}
}

// TestDefaultsThatExplode refers to one large default again and again.
func TestDefaultsThatExplode(t *testing.T) {
	t.Parallel()
	var properties []string
	for n := range 250 {
		properties = append(properties, `"`+strings.Repeat("p", n+1)+`":{"$ref":"#/$defs/x"}`)
	}
	s := wt.Schema(`{"$defs":{"x":{"default":"` + strings.Repeat("y", 100_000) + `"}},"properties":{` + strings.Join(properties, ",") + `}}`)
	d := definition(state("s", to("s", "go")))
	d.States[0].Transitions[0].Input = s
	begin(t, d, `{}`).submit(agent, "go", `{}`, "INPUT_SCHEMA_VIOLATION")
	if _, err := s.Fill(jsontext.Value(`{}`)); err == nil {
		t.Error("it was filled")
	}
}

// TestWeight compares the size that is foretold with that of canonical JSON.
func TestWeight(t *testing.T) {
	t.Parallel()
	values := rapid.Custom(func(t *rapid.T) any { return value(t, 4) })
	rapid.Check(t, func(t *rapid.T) {
		v := values.Draw(t, "value")
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		canonical, err := digest.Canonical(raw)
		if err != nil {
			t.Skip("not what JSON readers agree on")
		}
		if workflow.Weigh(v, len(canonical)-1) == nil {
			t.Errorf("%s fits into less than it has", canonical)
		}
		slack := strings.Count(string(canonical), "e-") // an exponent of one digit is taken for one of two
		if err := workflow.Weigh(v, len(canonical)+slack); err != nil {
			t.Errorf("%s does not fit: %v", canonical, err)
		}
	})
}

func value(t *rapid.T, depth int) any {
	kinds := 6
	if depth == 0 {
		kinds = 4
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return rapid.Float64().Draw(t, "number")
	case 1:
		return float64(rapid.Int32().Draw(t, "integer"))
	case 2:
		return rapid.String().Draw(t, "text")
	case 3:
		return rapid.SampledFrom([]any{nil, true, false}).Draw(t, "word")
	case 4:
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			list = append(list, value(t, depth-1))
		}
		return list
	}
	object := map[string]any{}
	for range rapid.IntRange(0, 3).Draw(t, "members") {
		object[rapid.String().Draw(t, "name")] = value(t, depth-1)
	}
	return object
}
