package executor_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"prax/tools"
	"prax/tools/executor"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// compile compiles a configuration that is written as JSON with ' for ".
func compile(t testing.TB, tool *tools.Tool, config string) (tools.Handler, []tools.Violation) {
	t.Helper()
	s := &executor.Static{}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(config, "'", `"`)), s, json.RejectUnknownMembers(true)); err != nil {
		t.Fatal(err)
	}
	return s.Compile(tool)
}

// play calls a tool of one round.
func play(t testing.TB, round, arguments string) (*tools.Result, error) {
	t.Helper()
	handler, found := compile(t, &tools.Tool{}, `{'rounds':[`+round+`]}`)
	if found != nil {
		t.Fatalf("refused: %v", found)
	}
	return handler(t.Context(), &tools.Call{Arguments: jsontext.Value(arguments), Progress: func(tools.Progress) {}})
}

// text is a round of one text block.
func text(template string) string {
	quoted, _ := jsontext.AppendQuote(nil, template)
	return `{'content':[{'type':'text','text':` + string(quoted) + `}]}`
}
