package expr_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"prax/tools/workflow/expr"
)

const all = expr.Context | expr.Arguments | expr.Output | expr.Input | expr.Workflow | expr.Run | expr.Answers

// inGuards are the roots of a guard.
const inGuards = expr.Context | expr.Arguments | expr.Input | expr.Workflow | expr.Run

// value decodes JSON that is written with ~ for ".
func value(t testing.TB, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(strings.ReplaceAll(text, "~", `"`)), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// world is an Env with something in every place.
func world(t testing.TB) expr.Env {
	t.Helper()
	object := func(text string) map[string]any { return value(t, text).(map[string]any) }
	return expr.Env{
		Context:   object(contextJSON),
		Arguments: object(`{~n~:5, ~text~:~x~, ~null~:null, ~list~:[1,2]}`),
		Input:     object(`{~ok~:1, ~user~:{~name~:~bob~}}`),
		Answers:   object(`{~q~:{~yes~:true}}`),
		Output:    value(t, `{~items~:[{~id~:1,~tags~:[~a~,~b~],~sub~:[{~v~:1},{~v~:2}]},{~id~:2,~tags~:[]},{~name~:~no id~}],~code~:0}`),
		ID:        "wf_1", State: "review", Version: 4,
	}
}

const contextJSON = `{~n~:5, ~f~:1.5, ~word~:~abc~, ~nothing~:null, ~yes~:true, ~no~:false, ~empty~:~~,
	~tags~:[~red~,7,null,{~a~:1}], ~none~:[], ~o~:{~a~:{~b~:[10,20,{~c~:~deep~}]}, ~two words~:1},
	~size~:~87~, ~größe~:3, ~contains~:~odd~, ~a-b~:1, ~0~:~zero~, ~umlaut~:~äöü~, ~like~:~{{ $.context.n }}~}`

// offset is where an error says that the mistake is.
func offset(t testing.TB, err error) int {
	t.Helper()
	var e *expr.Error
	if !errors.As(err, &e) {
		t.Fatalf("%v is no *expr.Error", err)
	}
	return e.Offset
}
