package praxec

import (
	"reflect"
	"testing"

	"prax/auth"
	"prax/tools/workflow"
)

// TestAudience: callers that differ in whatever it be are not of the same audience; sets of the same names are the same.
func TestAudience(t *testing.T) {
	t.Parallel()
	nobody := viewer{}.audience(workflow.Caller{})
	for n := range reflect.TypeFor[workflow.Caller]().NumField() {
		var c workflow.Caller
		switch f := reflect.ValueOf(&c).Elem().Field(n); f.Interface().(type) {
		case auth.NameSet:
			f.Set(reflect.ValueOf(auth.Names("x")))
		case bool:
			f.SetBool(true)
		default:
			f.SetString("x")
		}
		if (viewer{}).audience(c) == nobody {
			t.Errorf("callers that differ in %s are of one audience", reflect.TypeFor[workflow.Caller]().Field(n).Name)
		}
	}
	for _, v := range []viewer{{spelling: auth.Underscore}, {queries: notGranted}, {commands: notGranted}} {
		if v.audience(workflow.Caller{}) == nobody {
			t.Errorf("%+v is of the audience of nobody", v)
		}
	}
	of := func() audience { return viewer{}.audience(workflow.Caller{Client: "c", Roles: auth.Names("a", "b")}) }
	if one := of(); of() != one || one.own() != of() {
		t.Error("callers with the same names are not of one audience")
	}
}
