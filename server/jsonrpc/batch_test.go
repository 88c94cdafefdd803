package jsonrpc_test

import (
	"strings"
	"testing"

	"prax/server/jsonrpc"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	list := func(n int) string { return `[` + strings.TrimSuffix(strings.Repeat(`1,`, n), ",") + `]` }
	deep := strings.Repeat(`[`, jsonrpc.MaxDepth) + strings.Repeat(`]`, jsonrpc.MaxDepth)
	for _, c := range []struct {
		name, body string
		n, code    int
	}{
		{"one", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, 1, 0},
		{"junk is split too", ` [ 1 , "a" , null , [ ] , {"a":1} ] `, 5, 0},
		{"as many as may be", list(jsonrpc.MaxBatch), jsonrpc.MaxBatch, 0},
		{"an element as deep as a message", `[` + deep + `]`, 1, 0},
		{"empty", `[]`, 0, jsonrpc.CodeInvalidRequest},
		{"one too many", list(jsonrpc.MaxBatch + 1), 0, jsonrpc.CodeInvalidRequest},
		{"very many", list(20_000), 0, jsonrpc.CodeInvalidRequest},
		{"an object", `{}`, 0, jsonrpc.CodeInvalidRequest},
		{"nothing", ``, 0, jsonrpc.CodeInvalidRequest},
		{"open", `[1`, 0, jsonrpc.CodeParse},
		{"trailing comma", `[1,]`, 0, jsonrpc.CodeParse},
		{"no comma", `[1 2]`, 0, jsonrpc.CodeParse},
		{"two arrays", `[1][2]`, 0, jsonrpc.CodeParse},
		{"broken element", `[{"a":1},{"a":}]`, 0, jsonrpc.CodeParse},
		{"duplicate in an element", `[{"a":1},{"a":1,"a":2}]`, 0, jsonrpc.CodeParse},
		{"duplicate by escape in an element", `[{"a":1,"\u0061":2}]`, 0, jsonrpc.CodeParse},
		{"an element too deep", `[[` + deep + `]]`, 0, jsonrpc.CodeParse},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			elements, err := jsonrpc.Split([]byte(c.body))
			if got := code(t, err); got != c.code || len(elements) != c.n {
				t.Errorf("%d elements, code %d; want %d, %d", len(elements), got, c.n, c.code)
			}
		})
	}
}

func TestIsBatch(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]bool{"[": true, " \r\n\t[1]": true, "{}": false, "": false, "1[": false, "\x00[": false} {
		if got := jsonrpc.IsBatch([]byte(body)); got != want {
			t.Errorf("IsBatch(%q) is %v", body, got)
		}
	}
}
