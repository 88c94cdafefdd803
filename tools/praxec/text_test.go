package praxec

import (
	"reflect"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"prax/store"
)

// draw makes values of answers, each member of which may be missing.
type draw struct{ *rapid.T }

func (d draw) bool() bool { return rapid.Bool().Draw(d.T, "is") }

func (d draw) string() string {
	return rapid.OneOf(rapid.Just(""), rapid.String(), rapid.SampledFrom([]string{`"`, `\`, "\n\x00\x1f\x7f", "</script>&\u2028", "größe 😀"})).Draw(d.T, "text")
}

func (d draw) number() int64 {
	return rapid.OneOf(rapid.Just(int64(0)), rapid.Int64()).Draw(d.T, "number")
}

func (d draw) raw() jsontext.Value {
	return rapid.SampledFrom([]jsontext.Value{nil, emptyObject, jsontext.Value("null"), jsontext.Value(`{"b":[1.5,"x y"],"a":{"ü":null}}`)}).Draw(d.T, "raw")
}

func (d draw) guidance() *guidance {
	if d.bool() {
		return nil
	}
	return &guidance{Goal: d.string(), Instructions: d.string(), Refs: maybe(d, func() reference { return reference{Verb: d.string(), Subject: d.string()} })}
}

func (d draw) link() link {
	l := link{
		Rel: d.string(), Title: d.string(), Description: d.raw(), Method: d.string(), Actor: d.string(), InputSchema: d.raw(), ItemSchema: d.raw(),
		Guidance: d.guidance(), Hint: d.string(),
		Args: args{
			DefinitionID: d.string(), Kind: d.string(), Limit: d.number(), Before: d.number(), WorkflowID: d.string(), Transition: d.string(),
			Input: d.raw(), Arguments: d.raw(), Digest: d.string(), Subject: d.string(), Intent: d.string(), UnknownSubject: d.string(),
			Observe: d.bool(), Since: d.string(), Command: d.string(),
		},
	}
	if d.bool() {
		text, number := d.string(), d.number()
		l.Args.Query, l.Args.ExpectedVersion = &text, &number
		l.Args.Definition, l.Blocked = map[string]any{"b": text, "a": number}, &blocked{Code: text, Reason: d.string()}
	}
	return l
}

func (d draw) instance() *instance {
	i := &instance{
		Workflow: named{d.string(), d.string(), d.number(), d.string(), d.number()}, Result: outcome{d.string(), d.string(), d.string()},
		Context: d.raw(), Input: d.raw(), Links: maybe(d, d.link), Guidance: d.guidance(), Summary: d.string(), Delegate: d.string(),
		Evidence: maybe(d, func() evidence { return evidence{Kind: d.string(), Summary: d.string()} }),
		Chain:    maybe(d, func() hop { return hop{From: d.string(), Version: d.number()} }),
		Outcomes: maybe(d, func() statement { return statement{ID: d.string(), Met: d.bool()} }),
		More:     int(d.number()), Without: d.bool(), self: link{Rel: "get"},
	}
	if d.bool() {
		i.Pending = &pending{WorkflowID: d.string(), Resolve: resolve{Args: d.link().Args}}
		i.Attempt, i.Error = &attempt{ID: d.string(), Status: store.AttemptRunning}, ended{At: d.string()}
		self := d.link()
		i.Lexicon = map[string]term{"b": {Short: d.string(), Lookup: &self}, "a": {}}
	}
	return i
}

// maybe is nil, empty, or some values.
func maybe[T any](d draw, one func() T) []T {
	n := rapid.IntRange(-1, 2).Draw(d.T, "count")
	if n < 0 {
		return nil
	}
	all := make([]T, n)
	for i := range all {
		all[i] = one()
	}
	return all
}

// TestText: a workflow is written as the library would write it, whatever is in it and whatever is missing.
func TestText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		asTheLibrary(t, draw{t}.instance())
	})
}

// TestTextIsWhole: nothing that a workflow can have is left out, also of members that somebody adds.
func TestTextIsWhole(t *testing.T) {
	t.Parallel()
	i := &instance{}
	fill(reflect.ValueOf(i).Elem(), 6)
	asTheLibrary(t, i)
}

// asTheLibrary wants a workflow written as the library writes it.
func asTheLibrary(t rapid.TB, i *instance) {
	t.Helper()
	got, err := encode(i)
	if err != nil {
		t.Fatal(err)
	}
	want, err := json.Marshal(i, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// fill gives a value, and all within it to this depth, something else than nothing.
func fill(v reflect.Value, deep int) {
	if deep == 0 {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			if field.CanSet() {
				fill(field, deep-1)
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), deep)
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[jsontext.Value]() {
			v.SetBytes([]byte(`{"a":1}`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), deep)
	case reflect.Map:
		member := reflect.New(v.Type().Elem()).Elem()
		fill(member, deep)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("a").Convert(v.Type().Key()), member)
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Interface:
		v.Set(reflect.ValueOf("any"))
	default:
		panic("nothing to fill " + v.Type().String() + " with")
	}
}

// TestTextFails: what the library cannot write is no answer.
func TestTextFails(t *testing.T) {
	t.Parallel()
	for what, i := range map[string]*instance{
		"no UTF-8":        {Workflow: named{ID: "\xff"}},
		"no UTF-8 within": {Lexicon: map[string]term{"a": {Short: "\xff"}}},
		"no JSON":         {Error: func() {}},
	} {
		if text, err := encode(i); err == nil {
			t.Errorf("%s: %s", what, text)
		}
	}
}
