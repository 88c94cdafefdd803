package definition

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"prax/store/digest"
)

// FuzzRead: as JSON exactly what the library takes is taken, within the depth that is stored, and says the same when it
// is written again; and where a text can be read as YAML too, both readings are one.
func FuzzRead(f *testing.F) {
	for _, text := range []string{`{"a":[1,-2.50,"x",true,null]}`, `{"a":1,"a":2}`, `{"n":1e20,"m":100000000000000000000}`, `"\ud83d\ude00"`, `{"é":"\u0000"}`, `[1,]`, `{"y":"no","on":1}`, ` {} x`, `{"<<":{"a":1}}`, `{"a":"2026-01-01","b":0x10}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, fault := parseJSON(text, &budget{})
		if valid := jsontext.Value(text).IsValid(); fault == nil && !valid || fault != nil && valid && digest.Check(text) == nil {
			t.Fatalf("%q: %+v, by the library %t", text, fault, valid)
		}
		if fault != nil {
			if fault.text == "" || fault.line < 0 || fault.column < 0 {
				t.Fatalf("%q: %+v", text, fault)
			}
			return
		}
		got, errGot := digest.Sum(v.appendJSON(nil))
		want, errWant := digest.Sum(text)
		if (errGot == nil) != (errWant == nil) || got != want {
			t.Fatalf("%q is written as %s", text, v.appendJSON(nil))
		}
		other, fault := parseYAML(text, &budget{})
		if fault != nil || errWant != nil {
			return // YAML has not every escape, and a key at most once by its own count
		}
		if yaml, err := digest.Sum(other.appendJSON(nil)); err != nil || yaml != want {
			t.Fatalf("%q is as YAML %s", text, other.appendJSON(nil))
		}
	})
}

// FuzzDecode: the text of a definition that is taken is kept as it is, and means the same when it is read again; one
// that is refused gives nothing.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{
		`{"id":"w","initialState":"a","states":{"a":{"transitions":{"x":{"output":{"m":100000000000000000000},"target":"b","guards":[{"kind":"expr","expr":"$.context.n < 3"}]}}},"b":{"terminal":true}}}`,
		`{"id":"w","initialState":"a","states":{"a":{"transitions":{"x":{"target":"a","executor":{"kind":"human"},"actor":"human"}}}}}`, `{"id":"w","initialState":"a","states":{}}`, `[]`, `{"id":5}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := Decode(text, Kinds{})
		if (d == nil) != (err != nil) {
			t.Fatalf("%q: %v, %v", text, d, err)
		}
		if err != nil {
			return
		}
		if string(d.Text) != string(text) || d.Hash != digest.Hex(text) || d.State(d.Initial) == nil {
			t.Fatalf("%q became %+v", text, d)
		}
		if !jsontext.Value(text).IsValid() {
			t.Fatalf("%q is no JSON, and was taken", text)
		}
		for _, s := range d.States {
			for _, tr := range s.Transitions {
				if tr.Target != "" && d.State(tr.Target) == nil {
					t.Fatalf("%q leads to %q, which is not there", text, tr.Target)
				}
			}
		}
	})
}
