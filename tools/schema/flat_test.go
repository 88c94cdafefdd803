package schema

import (
	"testing"

	"github.com/go-json-experiment/json"
)

// TestFlat: which schemas are judged without the library, and of which values it need not be asked.
func TestFlat(t *testing.T) {
	t.Parallel()
	const closed = `{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"t","type":"object","additionalProperties":false,"required":["text"],
		"properties":{"text":{"type":"string","maxLength":3,"default":"x"},"n":{"type":"integer"},"f":{"type":"number"},"b":{"type":"boolean"},"odd":{"type":"string","pattern":"a"}}}`
	for _, tt := range []struct {
		schema, value string
		fits          bool
	}{
		{closed, `{"text":"abc","n":3,"f":1.5,"b":true}`, true},
		{closed, `{"text":""}`, true},
		{closed, `{}`, false},
		{closed, `{"text":"äö"}`, false}, // it fits, and the library has to count
		{closed, `{"text":"abcd"}`, false},
		{closed, `{"text":null}`, false},
		{closed, `{"text":"a","n":1.5}`, false},
		{closed, `{"text":"a","n":true}`, false},
		{closed, `{"text":"a","odd":"a"}`, false},
		{closed, `{"text":"a","more":1}`, false},
		{`{"type":"object"}`, `{"anything":[1]}`, true},
		{`{"type":"object"}`, `[]`, false},
		{`{"type":"object","properties":{"a":{"type":"array"}}}`, `{"a":[],"b":[]}`, false},
		{`{"type":"object","properties":{"a":{"type":["string","null"]}}}`, `{"a":"x"}`, false},
		{`{"type":"object","properties":{"a":true}}`, `{"a":1}`, false},
		{`{"type":"object","additionalProperties":{"type":"string"}}`, `{"a":1}`, false},
		{`{"type":"object","minProperties":1}`, `{"a":1}`, false},
		{`true`, `{}`, false},
	} {
		s, err := Compile([]byte(tt.schema))
		if err != nil {
			t.Fatal(tt.schema, err)
		}
		var value any
		if err := json.Unmarshal([]byte(tt.value), &value); err != nil {
			t.Fatal(err)
		}
		if got := s.flat.fits(value); got != tt.fits {
			t.Errorf("%s of %s: fits %v, want %v", tt.value, tt.schema, got, tt.fits)
		}
	}
}

// FuzzFlat: what is let through without the library, the library lets through.
func FuzzFlat(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"type":"object","additionalProperties":false,"required":["a"],"properties":{"a":{"type":"string","maxLength":2}}}`, `{"a":"xy"}`},
		{`{"type":"object","properties":{"a":{"type":"integer","default":null},"b":{"type":"number"}},"examples":[]}`, `{"a":1e20,"b":-0.5,"c":[]}`},
		{`{"type":"object","properties":{"a":{"type":"boolean"}},"required":["b","b"]}`, `{"a":true,"b":null}`},
		{`{"type":"object","additionalProperties":true,"properties":{"a":{"maxLength":0,"type":"string"}}}`, `{"a":""}`},
		{`{"type":"object","properties":{"a":{"type":"integer","maxLength":1.0}}}`, `{"a":9007199254740993}`},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, text, raw string) {
		s, err := Compile([]byte(text))
		if err != nil {
			return
		}
		var value any
		if json.Unmarshal([]byte(raw), &value) != nil || !s.flat.fits(value) {
			return
		}
		if err := s.library().root.Validate(value); err != nil {
			t.Errorf("%s fits %s, but %v", raw, text, err)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	for name, text := range map[string]string{
		"flat":    `{"type":"object","additionalProperties":false,"required":["text"],"properties":{"text":{"type":"string"}}}`,
		"library": `{"type":"object","additionalProperties":false,"required":["text"],"properties":{"text":{"type":"string","minLength":1}}}`,
	} {
		b.Run(name, func(b *testing.B) {
			s, err := Compile([]byte(text))
			if err != nil {
				b.Fatal(err)
			}
			value := any(map[string]any{"text": "the quick brown fox jumps over the lazy dog"})
			b.ReportAllocs()
			for b.Loop() {
				if found := s.Check(value, 60); found != nil {
					b.Fatal(found)
				}
			}
		})
	}
}
