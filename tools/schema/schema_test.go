package schema_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"prax/tools/schema"
)

func compile(t testing.TB, raw string) *schema.Schema {
	t.Helper()
	s, err := schema.Compile(jsontext.Value(raw))
	if err != nil {
		t.Fatalf("Compile: %v", err)
	}
	return s
}

func list(n int, item func(i int) string) string {
	items := make([]string, n)
	for i := range items {
		items[i] = item(i)
	}
	return "[" + strings.Join(items, ",") + "]"
}

// doubling is a chain of n definitions of which each refers to the next one twice: 2^n once written out.
func doubling(n int) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/d0","$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"d%d":true}}`, n)
	return b.String()
}

func TestCompileRefusesHostileSchemas(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, raw, want string }{
		{"empty", ``, "JSON"},
		{"not JSON", `{`, "JSON"},
		{"a duplicate name", `{"type":"object","type":"array"}`, "JSON"},
		{"a number", `5`, ""},
		{"an unknown type", `{"type":"objekt"}`, "/type"},
		{"a mistyped keyword", `{"properties":[]}`, "/properties"},
		{"another dialect", `{"$schema":"http://json-schema.org/draft-07/schema#"}`, "dialect"},
		{"refers to itself", `{"$ref":"#"}`, "itself"},
		{"refers to itself, by way of another", `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`, "itself"},
		{"refers to itself in a property", `{"properties":{"next":{"$ref":"#"}}}`, "itself"},
		{"refers to itself by anchor", `{"$anchor":"top","items":{"$ref":"#top"}}`, "itself"},
		{"a cycle in a definition that nobody uses", `{"$defs":{"a":{"not":{"$ref":"#/$defs/a"}}}}`, "itself"},
		{"a dynamic reference", `{"$dynamicAnchor":"a","items":{"$dynamicRef":"#a"}}`, "$ref"},
		{"a remote reference", `{"$ref":"https://example.com/schema.json"}`, "within"},
		{"a file reference", `{"$ref":"file:///etc/passwd"}`, "within"},
		{"a relative reference", `{"$ref":"other.json#/a"}`, "within"},
		{"the meta-schema", `{"$ref":"https://json-schema.org/draft/2020-12/schema"}`, "within"},
		{"a reference behind an id of its own", `{"$id":"https://json-schema.org/draft/2020-12/schema","$ref":"vocab"}`, "within"},
		{"an id within", `{"properties":{"a":{"$id":"https://example.com/"}}}`, "$id"},
		{"a reference to nowhere", `{"$ref":"#/$defs/none"}`, "nowhere"},
		{"an unknown anchor", `{"$ref":"#none"}`, "anchor"},
		{"an anchor twice", `{"$ref":"#a","$defs":{"x":{"$anchor":"a"},"y":{"$anchor":"a"}}}`, "two"},
		{"10,000 branches", `{"anyOf":` + list(10_000, func(i int) string { return fmt.Sprintf(`{"const":%d}`, i) }) + `}`, "subschemas"},
		{"10,000 properties", `{"properties":{` + strings.Trim(list(10_000, func(i int) string { return fmt.Sprintf(`"p%d":true`, i) }), "[]") + `}}`, "subschemas"},
		{"20,000 enum values", `{"enum":` + list(20_000, func(i int) string { return fmt.Sprint(i) }) + `}`, "values"},
		{"2^40 once written out", doubling(40), "written out"},
		{"65 deep", strings.Repeat(`{"not":`, 65) + `true` + strings.Repeat(`}`, 65), "deeper"},
		{"100,000 deep", strings.Repeat(`[`, 100_000), "JSON"},
		{"half a megabyte", `{"description":"` + strings.Repeat("x", 512<<10) + `"}`, "bytes"},
		{"a pattern that is no RE2", `{"pattern":"(?=a)b"}`, "RE2"},
		{"a pattern name that is no RE2", `{"patternProperties":{"(a":true}}`, "RE2"},
		{"a pattern that multiplies", `{"pattern":"((a{50}){50}){50}"}`, "pattern"},
		{"a pattern within the repetition limit that multiplies", `{"pattern":"(abcdefghij){1000}"}`, "pattern"},
		{"a long pattern", `{"pattern":"` + strings.Repeat("a", 1025) + `"}`, "longer"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			_, err := schema.Compile(jsontext.Value(tt.raw))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Compile = %v, want an error about %q", err, tt.want)
			}
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

func TestCompileTakesOrdinarySchemas(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		`true`, `{}`, `{"type":"object","additionalProperties":false}`,
		`{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://example.com/a","$defs":{"a":{"type":"string"}},"properties":{"x":{"$ref":"#/$defs/a"}}}`,
		`{"$defs":{"a":{"$anchor":"short","type":"string"}},"properties":{"x":{"$ref":"#short"}},"if":{"required":["x"]},"then":{"required":["y"]}}`,
		`{"properties":{"$ref":{"type":"string"},"$id":{"type":"string"},"$schema":true}}`,
		`{"enum":[{"$ref":"https://example.com/"}],"default":{"$id":"x"}}`,
		`{"$ref":"#/properties/a~1b","properties":{"a/b":{"minProperties":1}}}`,
		doubling(8),
		`{"pattern":"^[a-z]{1,200}$"}`,
	} {
		if _, err := schema.Compile(jsontext.Value(raw)); err != nil {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

const order = `{"type":"object","additionalProperties":false,"required":["id","lines"],"properties":{
	"id":{"type":"string","minLength":2,"maxLength":8,"pattern":"^[a-z]+$"},
	"state":{"enum":["open","done"]},
	"kind":{"const":"order"},
	"weight":{"type":"number","exclusiveMinimum":0,"maximum":10.5,"multipleOf":0.5},
	"note":{"type":["string","null"]},
	"ship":{"oneOf":[{"type":"string"},{"type":"object"}]},
	"lines":{"type":"array","minItems":1,"maxItems":2,"uniqueItems":true,"items":{"$ref":"#/$defs/line"}},
	"a/b~c":{"type":"boolean"},
	"never":false},
	"dependentRequired":{"state":["kind"]},
	"$defs":{"line":{"type":"object","required":["sku"],"properties":{"sku":{"type":"string"},"n":{"type":"integer","minimum":1}},"additionalProperties":false}}}`

func TestValidate(t *testing.T) {
	t.Parallel()
	s := compile(t, order)
	tests := []struct {
		name, value string
		want        []schema.Violation
	}{
		{"fits", `{"id":"ab","lines":[{"sku":"x","n":2}],"weight":10.5,"note":null}`, nil},
		{"an integer with a fraction of zero", `{"id":"ab","lines":[{"sku":"x","n":2.0}]}`, nil},
		{"another type", `[]`, []schema.Violation{{"", "must be an object, is an array"}}},
		{"not JSON", `{`, []schema.Violation{{"", "is not a JSON value that can be read"}}},
		{"missing", `{}`, []schema.Violation{{"/id", "is required"}, {"/lines", "is required"}}},
		{"every violation at once", `{"id":"A","state":"gone","kind":"x","weight":-0.3,"lines":[{"n":"1"},{"sku":1,"m":0}],"a/b~c":1,"never":1,"other":1}`,
			[]schema.Violation{
				{"/a~1b~0c", "must be a boolean, is a number"},
				{"/id", "must have at least 2 characters, has 1"},
				{"/id", "must match the pattern ^[a-z]+$"},
				{"/kind", `must be "order"`},
				{"/lines/0/n", "must be an integer, is a string"},
				{"/lines/0/sku", "is required"},
				{"/lines/1/m", "is not known here"},
				{"/lines/1/sku", "must be a string, is a number"},
				{"/never", "is not known here"},
				{"/other", "is not known here"},
				{"/state", `must be one of "open", "done"`},
				{"/weight", "must be a multiple of 0.5"},
				{"/weight", "must be more than 0"},
			}},
		{"counts", `{"id":"abcdefghi","lines":[],"weight":11}`, []schema.Violation{
			{"/id", "must have at most 8 characters, has 9"},
			{"/lines", "must have at least 1 item, has 0"},
			{"/weight", "must be at most 10.5"},
		}},
		{"repeated items", `{"id":"ab","lines":[{"sku":"x"},{"sku":"x"}]}`, []schema.Violation{{"/lines", "must not repeat items: 0 and 1 are equal"}}},
		{"alternatives", `{"id":"ab","lines":[{"sku":"x"}],"ship":5}`, []schema.Violation{{"/ship", "fits none of the allowed forms"}}},
		{"two types", `{"id":"ab","lines":[{"sku":"x"}],"note":5}`, []schema.Violation{{"/note", "must be null or a string, is a number"}}},
		{"one needs another", `{"id":"ab","lines":[{"sku":"x"}],"state":"open"}`, []schema.Violation{{"/kind", `is required when "state" is given`}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, s.Validate(jsontext.Value(tt.value))); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMessages has one value for each way of not fitting that TestValidate has none for.
func TestMessages(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ schema, value, path, message string }{
		{`false`, `1`, "", "is not known here"},
		{`{"not":{}}`, `1`, "", "has a form that is excluded"},
		{`{"anyOf":[{"type":"string"},{"minimum":5}]}`, `1`, "", "fits none of the allowed forms"},
		{`{"oneOf":[{"type":"integer"},{"minimum":0}]}`, `1`, "", "fits more than one of the allowed forms: it must fit exactly one"},
		{`{"allOf":[{"type":"string"}]}`, `1`, "", "must be a string, is a number"},
		{`{"if":{"type":"integer"},"then":{"minimum":5}}`, `1`, "", "must be at least 5"},
		{`{"exclusiveMaximum":1.5}`, `1.5`, "", "must be less than 1.5"},
		{`{"multipleOf":0.01}`, `0.015`, "", "must be a multiple of 0.01"},
		{`{"minLength":1}`, `""`, "", "must have at least 1 character, has 0"},
		{`{"minProperties":2}`, `{"a":1}`, "", "must have at least 2 members, has 1"},
		{`{"maxProperties":1}`, `{"a":1,"b":2}`, "", "must have at most 1 member, has 2"},
		{`{"maxItems":1}`, `[1,2]`, "", "must have at most 1 item, has 2"},
		{`{"contains":{"type":"string"}}`, `[1]`, "", "has no item of the required form"},
		{`{"contains":{"type":"string"},"minContains":2}`, `["a"]`, "", "must have at least 2 items of the required form, has 1"},
		{`{"contains":{"type":"string"},"maxContains":1}`, `["a","b"]`, "", "must have at most 1 item of the required form, has 2"},
		{`{"prefixItems":[true],"items":false}`, `[1,2]`, "/1", "is not known here"},
		{`{"propertyNames":{"maxLength":1}}`, `{"long":1}`, "/long", "is not an allowed name"},
		{`{"patternProperties":{"^x":{"type":"string"}}}`, `{"xy":1}`, "/xy", "must be a string, is a number"},
		{`{"properties":{"a":true},"unevaluatedProperties":false}`, `{"b":1}`, "/b", "is not known here"},
		{`{"dependentSchemas":{"a":{"required":["b"]}}}`, `{"a":1}`, "/b", "is required"},
		{`{"const":{"b":[1],"a":null}}`, `1`, "", `must be {"a":null,"b":[1]}`},
		{`{"enum":[null,true,0.5]}`, `1`, "", "must be one of null, true, 0.5"},
		{`{"type":["array","null"]}`, `true`, "", "must be null or an array, is a boolean"},
		{`{"prefixItems":[{"$ref":"#/$defs/s"}],"$defs":{"s":{"type":"string"}}}`, `[1]`, "/0", "must be a string, is a number"},
		{`{"$ref":"#/prefixItems/0","prefixItems":[{"type":"string"}]}`, `1`, "", "must be a string, is a number"},
	} {
		got := compile(t, tt.schema).Validate(jsontext.Value(tt.value))
		if len(got) != 1 || got[0].Path != tt.path || got[0].Message != tt.message {
			t.Errorf("%s for %s: %+v, want %q %q", tt.value, tt.schema, got, tt.path, tt.message)
		}
	}
}

// TestMessagesAreShort: neither a schema nor a value makes a long one.
func TestMessagesAreShort(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 900)
	for _, tt := range []struct{ schema, value string }{
		{`{"const":"` + long + `"}`, `1`},
		{`{"enum":["` + long + `","` + long + `"]}`, `1`},
		{`{"pattern":"` + strings.Repeat("a", 1000) + `"}`, `"b"`},
		{`{"additionalProperties":false}`, `{"` + long + `":1}`},
		{`{"dependentRequired":{"` + long + `":["x"]}}`, `{"` + long + `":1}`},
		{`{"maximum":1e300}`, `1e301`},
	} {
		got := compile(t, tt.schema).Validate(jsontext.Value(tt.value))
		if len(got) != 1 || len(got[0].Path) > 210 || len(got[0].Message) > 300 || !utf8.ValidString(got[0].Path+got[0].Message) {
			t.Errorf("%.80s: %+v", tt.schema, got)
		}
	}
}

func TestValidateIsBounded(t *testing.T) {
	t.Parallel()
	branches := list(900, func(i int) string { return fmt.Sprintf(`{"type":"string","maxLength":%d}`, i) })
	tests := []struct{ name, schema, value string }{
		{"many branches over many items", `{"items":{"anyOf":` + branches + `}}`, list(40_000, func(int) string { return "0" })},
		{"a wide pattern over a long text", `{"pattern":"(x+y){200}"}`, `"` + strings.Repeat("x", 1<<20) + `"`},
		{"doubled work", doubling(10), list(40_000, func(int) string { return "0" })},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			got := compile(t, tt.schema).Validate(jsontext.Value(tt.value))
			want := []schema.Violation{{"", "is too large to be checked: send less at a time"}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
	got := compile(t, `{"type":"object","additionalProperties":false}`).Validate(jsontext.Value(
		`{"` + strings.Repeat("k", 1<<16) + `":1,` + strings.Trim(list(100, func(i int) string { return fmt.Sprintf(`"k%d":1`, i) }), "[]") + `}`))
	if len(got) != schema.MaxViolations {
		t.Errorf("%d violations, want %d", len(got), schema.MaxViolations)
	}
	for _, v := range got {
		if len(v.Path)+len(v.Message) > 500 {
			t.Errorf("a violation of %d bytes", len(v.Path)+len(v.Message))
		}
	}
}

func TestWithoutNulls(t *testing.T) {
	t.Parallel()
	s := compile(t, `{"type":"object","required":["must"],"properties":{
		"must":{"type":"string"},"may":{"type":"integer"},"either":{"type":["string","null"]},"any":true,"o":{"type":"object"}}}`)
	for _, tt := range []struct{ name, value, want string }{
		{"none", `{"must":"null"}`, `{"must":"null"}`},
		{"an optional one", `{"may":null,"must":"x"}`, `{"must":"x"}`},
		{"a required one stays", `{"must":null}`, `{"must":null}`},
		{"one that may be null stays", `{"either":null,"any":null}`, `{"either":null,"any":null}`},
		{"an unknown one stays", `{"other":null}`, `{"other":null}`},
		{"one within stays", `{"o":{"may":null}}`, `{"o":{"may":null}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := string(s.WithoutNulls(jsontext.Value(tt.value))); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestLint(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, raw string
		want      []schema.Violation
	}{
		{"clean", `{"type":"object","properties":{"a.b-c_D1":{"oneOf":[{"type":"string"}]}}}`, nil},
		{"data is no schema", `{"type":"object","properties":{"a":{"default":{"$ref":"x"},"enum":[{"$ref":"y"}]}}}`, nil},
		{"a property called like a keyword", `{"type":"object","properties":{"$defs":{"type":"object"},"default":{"type":"string"}}}`,
			[]schema.Violation{{"/properties/$defs", "has a name that clients refuse"}}},
		{"not JSON", `{`, []schema.Violation{{"", "cannot be read as a schema"}}},
		{"a boolean", `true`, []schema.Violation{{"", "must be an object with type object"}}},
		{"no type", `{}`, []schema.Violation{{"/type", `must be "object"`}}},
		{"two types", `{"type":["object"]}`, []schema.Violation{{"/type", `must be "object"`}}},
		{"composed", `{"type":"object","oneOf":[true]}`, []schema.Violation{{"/oneOf", "must not stand at the root"}}},
		{"a reference in a property called default", `{"type":"object","properties":{"default":{"$ref":"#/$defs/a"}}}`,
			[]schema.Violation{{"/properties/default/$ref", "must be written out"}}},
		{"a blank in a name", `{"type":"object","properties":{"o":{"items":{"properties":{"a b":true}}}}}`,
			[]schema.Violation{{"/properties/o/items/properties/a b", "has a name that clients refuse"}}},
		{"a long name", `{"type":"object","properties":{"` + strings.Repeat("n", 65) + `":true}}`,
			[]schema.Violation{{"/properties/" + strings.Repeat("n", 65), "has a name that clients refuse"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, schema.Lint(jsontext.Value(tt.raw))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestNoViolationsMeansFits: over random shapes, a value has violations exactly if changing the
// schema's demand to what the value is would remove them.
func TestNoViolationsMeansFits(t *testing.T) {
	t.Parallel()
	kinds := map[string]string{"string": `"x"`, "number": `1.5`, "boolean": `true`, "array": `[]`, "object": `{}`, "null": `null`}
	var all []string
	for kind := range kinds {
		all = append(all, kind)
	}
	rapid.Check(t, func(t *rapid.T) {
		demanded := rapid.SampledFrom(all).Draw(t, "demanded")
		given := rapid.SampledFrom(all).Draw(t, "given")
		s, err := schema.Compile(jsontext.Value(fmt.Sprintf(`{"type":"object","required":["a"],"properties":{"a":{"type":%q}}}`, demanded)))
		if err != nil {
			t.Fatal(err)
		}
		found := s.Validate(jsontext.Value(fmt.Sprintf(`{"a":%s}`, kinds[given])))
		if (len(found) == 0) != (demanded == given) {
			t.Fatalf("%s for %s: %v", given, demanded, found)
		}
	})
}

func FuzzCompile(f *testing.F) {
	f.Add(order, `{"id":"ab","lines":[]}`)
	f.Add(doubling(5), `[]`)
	f.Add(`{"$ref":"#/$defs/a~1","$defs":{"a/":{"pattern":"a+"}}}`, `"aaa"`)
	f.Add(`{"multipleOf":1e-300,"const":1e308}`, `5`)
	f.Fuzz(func(t *testing.T, raw, value string) {
		schema.Lint(jsontext.Value(raw))
		s, err := schema.Compile(jsontext.Value(raw))
		if err != nil {
			return
		}
		for _, v := range s.Validate(jsontext.Value(value)) {
			if v.Message == "" || len(v.Message) > 1000 {
				t.Errorf("violation %+v", v)
			}
		}
		s.WithoutNulls(jsontext.Value(value))
	})
}
