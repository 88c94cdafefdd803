package jsonrpc_test

import (
	"errors"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/server/jsonrpc"
)

func TestAppendError(t *testing.T) {
	t.Parallel()
	e := &jsonrpc.Error{Code: -32602, Message: "say \"x\"\n"}
	withData := &jsonrpc.Error{Code: -32022, Message: "m", Data: raw(`{"supported":[]}`)}
	for _, c := range []struct {
		id   jsontext.Value
		e    *jsonrpc.Error
		want string
	}{
		{raw(`"i"`), e, `{"jsonrpc":"2.0","id":"i","error":{"code":-32602,"message":"say \"x\"\n"}}`},
		{jsonrpc.Null, e, `{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"say \"x\"\n"}}`},
		{nil, e, `{"jsonrpc":"2.0","error":{"code":-32602,"message":"say \"x\"\n"}}`},
		{raw(`1`), withData, `{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"m","data":{"supported":[]}}}`},
	} {
		if got := string(jsonrpc.AppendError(nil, c.id, c.e)); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestUnknownID(t *testing.T) {
	t.Parallel()
	for revision, want := range map[string]string{
		"": "null", "2025-03-26": "null", "2025-11-24": "null", "2025-11-25": "", "2026-07-28": "", "9999-99-99": "",
		"zzzz-zz-zz": "null", "2025-11-25 ": "null", "2025/11/25": "null", "20251125xx": "null",
	} {
		if got := string(jsonrpc.UnknownID(revision)); got != want {
			t.Errorf("%q: %q, want %q", revision, got, want)
		}
	}
}

func TestErrorIsComparesCodes(t *testing.T) {
	t.Parallel()
	var err error = jsonrpc.Errorf(jsonrpc.CodeNoMethod, "no such method: %s", "x")
	if !errors.Is(err, &jsonrpc.Error{Code: jsonrpc.CodeNoMethod}) || errors.Is(err, &jsonrpc.Error{Code: jsonrpc.CodeParse}) {
		t.Error("errors.Is does not go by the code")
	}
	if got := err.Error(); got != "no such method: x (-32601)" {
		t.Errorf("prints as %q", got)
	}
}

func TestAppendNotification(t *testing.T) {
	t.Parallel()
	got := string(jsonrpc.AppendNotification([]byte("x"), "a/b", raw(`{"n":1}`)))
	if want := `x{"jsonrpc":"2.0","method":"a/b","params":{"n":1}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "plain", "é\"\\\n\x00\u2028", "\xff", "\u007f"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var back, want string
		encoded := jsonrpc.AppendString(nil, s)
		if err := json.Unmarshal(encoded, &back); err != nil {
			t.Fatalf("%q became %s: %v", s, encoded, err)
		}
		for _, r := range s {
			want += string(r)
		}
		if back != want {
			t.Fatalf("%q came back as %q", s, back)
		}
		if again, ok := jsonrpc.String(encoded); !ok || again != want {
			t.Fatalf("String gives %q, %v", again, ok)
		}
	})
}
