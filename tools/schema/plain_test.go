package schema

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

// TestPlain: which schemas the library need not compile before a value asks for it.
func TestPlain(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`true`: true, `{}`: true, `{"type":"object"}`: true, `{"type":["string","null"]}`: true, `{"required":[]}`: true,
		`{"$schema":"https://json-schema.org/draft/2020-12/schema","properties":{"a":{"items":{"minLength":1,"pattern":"^a"}},"b":false}}`: true,
		`{"anyOf":[{"minimum":-1.5},{"not":{"enum":[1,null]}}],"default":{"type":7}}`:                                                      true,

		`[]`: false, `null`: false, `"x"`: false, `{"type":"text"}`: false, `{"type":[]}`: false, `{"type":["string","string"]}`: false, `{"type":7}`: false,
		`{"required":["a","a"]}`: false, `{"required":"a"}`: false, `{"required":[1]}`: false, `{"enum":[]}`: false, `{"enum":1}`: false,
		`{"minLength":-1}`: false, `{"minLength":1.5}`: false, `{"minLength":"1"}`: false, `{"maxItems":1e300}`: false, `{"minimum":"1"}`: false, `{"minimum":1e308}`: false,
		`{"anyOf":[]}`: false, `{"anyOf":{}}`: false, `{"properties":[]}`: false, `{"properties":{"a":1}}`: false, `{"items":[]}`: false,
		`{"title":1}`: false, `{"uniqueItems":1}`: false, `{"$ref":"#"}`: false, `{"unknown":1}`: false, `{"$id":"a"}`: false, `{"multipleOf":2}`: false,
	} {
		var doc any
		if err := json.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatal(text, err)
		}
		if got := plain(doc); got != want {
			t.Errorf("%s: plain %v, want %v", text, got, want)
		}
	}
}

// FuzzPlain: what is taken without the library, the library takes, and judges as if it had been asked at once.
func FuzzPlain(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"type":"object","additionalProperties":false,"required":["a"],"properties":{"a":{"type":"string","maxLength":2,"pattern":"^[a-c]+$"}}}`, `{"a":"xy"}`},
		{`{"type":["object","null"],"properties":{"a/~%":{"enum":[1,"a",null]},"":{"const":{"b":[]}}},"propertyNames":{"minLength":1}}`, `{"a/~%":null}`},
		{`{"allOf":[{"minProperties":1},{"maxProperties":2}],"not":{"anyOf":[{"required":["x"]}]},"format":"no such"}`, `{"x":1}`},
		{`{"items":{"minimum":-3,"exclusiveMaximum":7.25},"uniqueItems":true,"minItems":0,"maxItems":2147483647,"examples":[[]]}`, `[1,1]`},
		{`{"pattern":"(?i)\\p{Greek}{0,9}","$comment":"","readOnly":true,"deprecated":false}`, `"α"`},
		{`{"properties":{"$ref":{"type":"string"},"$id":true,"properties":{"properties":{}}}}`, `{"$ref":1}`},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, text, raw string) {
		s, err := Compile([]byte(text))
		if err != nil {
			return
		}
		var doc, value any
		if json.Unmarshal([]byte(text), &doc) != nil || !plain(doc) {
			return
		}
		root, err := compile(doc)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if json.Unmarshal([]byte(raw), &value) != nil {
			return
		}
		if diff := cmp.Diff(violations(root.Validate(value)), violations(s.library().root.Validate(value))); diff != "" {
			t.Errorf("%s of %s:\n%s", raw, text, diff)
		}
	})
}

// TestRefuse: a schema that the library would not compile after all lets nothing through.
func TestRefuse(t *testing.T) {
	t.Parallel()
	s := &Schema{library: lazily([]byte(`{"type":7}`))}
	for _, value := range []any{nil, true, "x", map[string]any{}} {
		if s.ValidateValue(value) == nil {
			t.Errorf("%v fits", value)
		}
	}
}

// BenchmarkCompile is what a start does for each schema.
func BenchmarkCompile(b *testing.B) {
	for name, text := range map[string]string{
		"plain":   `{"type":"object","additionalProperties":false,"required":["text"],"properties":{"text":{"type":"string","minLength":1},"n":{"type":"integer"}}}`,
		"library": `{"type":"object","additionalProperties":false,"required":["text"],"properties":{"text":{"type":"string","minLength":1},"n":{"multipleOf":1}}}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Compile([]byte(text)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
