package schema_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"prax/tools/schema"
)

func TestFill(t *testing.T) {
	t.Parallel()
	nested := `{"properties":{"a":{"default":1},"o":{"properties":{"b":{"default":[true]},"p":{"default":{},"properties":{"c":{"default":"x"}}}}}}}`
	referring := `{"$defs":{"s":{"type":"string","default":"red"},"o":{"properties":{"c":{"$ref":"#/$defs/s"}}},"n":{"$anchor":"named","default":3}},` +
		`"properties":{"a":{"$ref":"#/$defs/s"},"b":{"$ref":"#/$defs/s","default":"blue"},"o":{"$ref":"#/$defs/o"},"n":{"$ref":"#named"}}}`
	composed := `{"properties":{"a":{"default":1}},"allOf":[{"properties":{"a":{"default":2},"b":{"default":3}}},{"properties":{"b":{"default":4}}}]}`
	tests := map[string]struct{ schema, value, want string }{
		"absent":                        {nested, `{}`, `{"a":1}`},
		"null":                          {nested, `{"a":null}`, `{"a":1}`},
		"there":                         {nested, `{"a":0}`, `{"a":0}`},
		"false is there":                {nested, `{"a":false}`, `{"a":false}`},
		"an object within":              {nested, `{"o":{}}`, `{"a":1,"o":{"b":[true],"p":{"c":"x"}}}`},
		"null within":                   {nested, `{"o":{"b":null,"p":{"c":null,"d":null}}}`, `{"a":1,"o":{"b":[true],"p":{"c":"x","d":null}}}`},
		"an object is not made up":      {nested, `{"o":null}`, `{"a":1,"o":null}`},
		"another type is left":          {nested, `{"o":[{}]}`, `{"a":1,"o":[{}]}`},
		"the value is no object":        {nested, `[{}]`, `[{}]`},
		"null by default, absent":       {`{"properties":{"a":{"default":null}}}`, `{}`, `{"a":null}`},
		"null by default, null":         {`{"properties":{"a":{"default":null}}}`, `{"a":null}`, `{"a":null}`},
		"by reference":                  {referring, `{"o":{}}`, `{"a":"red","b":"blue","n":3,"o":{"c":"red"}}`},
		"composed, the outermost first": {composed, `{}`, `{"a":1,"b":3}`},
		"no schema at all":              {`true`, `{"a":null}`, `{"a":null}`},
		"a property that is true":       {`{"properties":{"a":true}}`, `{}`, `{}`},
		"items are left":                {`{"properties":{"l":{"items":{"properties":{"a":{"default":1}}}}}}`, `{"l":[{}]}`, `{"l":[{}]}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := schema.Compile(jsontext.Value(test.schema))
			if err != nil {
				t.Fatal(err)
			}
			value, want := decoded(t, test.value), decoded(t, test.want)
			for range 2 { // the schema's own defaults stay as they are
				if diff := cmp.Diff(want, s.Fill(value)); diff != "" {
					t.Error(diff)
				}
			}
			if diff := cmp.Diff(decoded(t, test.value), value); diff != "" {
				t.Errorf("the value was changed:\n%s", diff)
			}
		})
	}
}

// TestFillIsBounded by the number of properties, wherever they are referred to.
func TestFillIsBounded(t *testing.T) {
	t.Parallel()
	var defs []string
	for n := range 12 {
		inner := `{"default":1}`
		if n > 0 {
			inner = `{"$ref":"#/$defs/` + strings.Repeat("d", n) + `"}`
		}
		defs = append(defs, `"`+strings.Repeat("d", n+1)+`":{"properties":{"a":`+inner+`,"b":`+inner+`}}`)
	}
	s, err := schema.Compile(jsontext.Value(`{"$defs":{` + strings.Join(defs, ",") + `},"$ref":"#/$defs/` + strings.Repeat("d", 11) + `"}`))
	if err != nil {
		t.Skipf("refused for its size, which is as good: %v", err)
	}
	if filled, ok := s.Fill(map[string]any{}).(map[string]any); !ok || len(filled) > 2 {
		t.Errorf("%v", filled)
	}
}

func TestValidateValue(t *testing.T) {
	t.Parallel()
	s, err := schema.Compile(jsontext.Value(`{"type":"object","properties":{"n":{"type":"integer","minimum":1},"p":{"pattern":"^(a|b){1,40}c$"}},"additionalProperties":false}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{`{}`, `{"n":1}`, `{"n":0}`, `{"n":1.5,"x":2}`, `[]`, `{"p":"abc"}`, `{"p":"` + strings.Repeat("ab", 1_000_000) + `"}`} {
		if diff := cmp.Diff(s.Validate(jsontext.Value(text)), s.ValidateValue(decoded(t, text))); diff != "" {
			t.Errorf("%.40s:\n%s", text, diff)
		}
	}
}

func decoded(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}
