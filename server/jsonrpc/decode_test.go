package jsonrpc_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"prax/server/jsonrpc"
)

// code is what Decode answers: 0 when it took the message.
func code(t *testing.T, err error) int {
	t.Helper()
	if err == nil {
		return 0
	}
	var e *jsonrpc.Error
	if !errors.As(err, &e) {
		t.Fatalf("Decode gave %T, want *Error", err)
	}
	return e.Code
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	const parse, invalid, params = jsonrpc.CodeParse, jsonrpc.CodeInvalidRequest, jsonrpc.CodeInvalidParams
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	call := func(arguments string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":` + arguments + `}}`
	}
	for _, c := range []struct {
		name, body string
		code       int
		id         string // echoed beside the error; "" when it cannot be known
	}{
		{"empty", ``, parse, ""},
		{"blank", " \n", parse, ""},
		{"words", `not json`, parse, ""},
		{"open", `{`, parse, ""},
		{"cut in a string", `{"jsonrpc":"2`, parse, ""},
		{"two values", ping + ping, parse, ""},
		{"trailing word", ping + ` x`, parse, ""},
		{"trailing bracket", ping + `]`, parse, ""},
		{"NUL after", ping + "\x00", parse, ""},
		{"byte order mark", "\ufeff" + ping, parse, ""},
		{"NaN", call(`{"n":NaN}`), parse, ""},
		{"comment", `/* c */` + ping, parse, ""},
		{"trailing comma", `{"jsonrpc":"2.0","id":1,"method":"ping",}`, parse, ""},
		{"leading comma", `{,"jsonrpc":"2.0","id":1,"method":"ping"}`, parse, ""},
		{"single quotes", `{'jsonrpc':'2.0'}`, parse, ""},
		{"leading zero", call(`{"n":01}`), parse, ""},
		{"bare point", call(`{"n":1.}`), parse, ""},
		{"bare exponent", call(`{"n":1e}`), parse, ""},
		{"plus sign", call(`{"n":+1}`), parse, ""},
		{"raw newline in a string", call("{\"n\":\"a\nb\"}"), parse, ""},
		{"bad escape", call(`{"n":"\x41"}`), parse, ""},
		{"short escape", call(`{"n":"\u12"}`), parse, ""},
		{"half a surrogate pair", call(`{"n":"\ud800"}`), parse, ""},
		{"second half alone", call(`{"n":"\udc00"}`), parse, ""},
		{"pair in the wrong order", call(`{"n":"\ud800\u0041"}`), parse, ""},
		{"invalid UTF-8", call("{\"n\":\"\xff\"}"), parse, ""},
		{"overlong UTF-8", call("{\"n\":\"\xc0\x80\"}"), parse, ""},
		{"surrogate in UTF-8", call("{\"n\":\"\xed\xa0\x80\"}"), parse, ""},
		{"duplicate id", `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, parse, ""},
		{"duplicate by escape", `{"jsonrpc":"2.0","id":1,"\u0069d":2,"method":"ping"}`, parse, ""},
		{"duplicate name", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","name":"b"}}`, parse, ""},
		{"duplicate in arguments", call(`{"a":1,"a":2}`), parse, ""},
		{"duplicate deep in arguments", call(`[[{"x":{"a":1,"b":2,"a":3}}]]`), parse, ""},
		{"duplicate among many", call(many(40, `"k3":0`)), parse, ""},
		{"too deep", call(strings.Repeat(`[`, jsonrpc.MaxDepth-1) + strings.Repeat(`]`, jsonrpc.MaxDepth-1)), parse, ""},
		{"bomb", strings.Repeat(`[`, 1<<20), parse, ""},
		{"bomb of objects", strings.Repeat(`{"a":`, 9000), parse, ""},

		{"null", `null`, invalid, ""},
		{"number", ` 5 `, invalid, ""},
		{"string", `"x"`, invalid, ""},
		{"true", `true`, invalid, ""},
		{"array", `[]`, invalid, ""},
		{"empty object", `{}`, invalid, ""},
		{"id alone", `{"id":1}`, invalid, "1"},
		{"no jsonrpc", `{"id":1,"method":"ping"}`, invalid, "1"},
		{"jsonrpc 1.0", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, invalid, "1"},
		{"jsonrpc a number", `{"jsonrpc":2,"id":1,"method":"ping"}`, invalid, "1"},
		{"jsonrpc null", `{"jsonrpc":null,"id":1,"method":"ping"}`, invalid, "1"},
		{"method a number", `{"jsonrpc":"2.0","id":1,"method":5}`, invalid, "1"},
		{"method null", `{"jsonrpc":"2.0","id":1,"method":null}`, invalid, "1"},
		{"method empty", `{"jsonrpc":"2.0","id":1,"method":""}`, invalid, "1"},
		{"method a list", `{"jsonrpc":"2.0","id":1,"method":[]}`, invalid, "1"},
		{"method and result", `{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`, invalid, "1"},
		{"result and error", `{"jsonrpc":"2.0","id":1,"result":{},"error":{}}`, invalid, "1"},
		{"result without id", `{"jsonrpc":"2.0","result":{}}`, invalid, ""},
		{"result for null", `{"jsonrpc":"2.0","id":null,"result":{}}`, invalid, ""},
		{"id null", `{"jsonrpc":"2.0","id":null,"method":"tools/call"}`, invalid, ""},
		{"id fraction", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, invalid, ""},
		{"id with point", `{"jsonrpc":"2.0","id":1.0,"method":"ping"}`, invalid, ""},
		{"id with exponent", `{"jsonrpc":"2.0","id":1e3,"method":"ping"}`, invalid, ""},
		{"id true", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, invalid, ""},
		{"id object", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, invalid, ""},
		{"id list", `{"jsonrpc":"2.0","id":[],"method":"ping"}`, invalid, ""},
		{"id huge", `{"jsonrpc":"2.0","id":"` + strings.Repeat("x", jsonrpc.MaxID) + `","method":"ping"}`, invalid, ""},
		{"ID", `{"jsonrpc":"2.0","ID":1,"method":"tools/call"}`, invalid, ""},
		{"METHOD", `{"jsonrpc":"2.0","id":1,"METHOD":"ping"}`, invalid, "1"},
		{"Params", `{"jsonrpc":"2.0","id":1,"method":"tools/call","Params":{"name":"x"}}`, invalid, "1"},
		{"JsonRpc beside the right one", `{"jsonrpc":"2.0","JsonRpc":"2.0","id":1,"method":"ping"}`, invalid, "1"},
		{"Name", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"Name":"x"}}`, params, "1"},
		{"ARGUMENTS", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","ARGUMENTS":{}}}`, params, "1"},
		{"_Meta", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_Meta":{}}}`, params, "1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var m jsonrpc.Message
			err := jsonrpc.Decode([]byte(c.body), &m)
			if got := code(t, err); got != c.code || string(m.ID) != c.id || m.Kind != jsonrpc.Invalid {
				t.Errorf("code %d, id %q, kind %d (%v); want code %d, id %q", got, m.ID, m.Kind, err, c.code, c.id)
			}
		})
	}
}

// many is an object of n members and a last one.
func many(n int, last string) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		fmt.Fprintf(&b, `"k%d":%d,`, i, i)
	}
	return b.String() + last + `}`
}

func TestDecodeTakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body string
		want       jsonrpc.Message
	}{
		{"request", `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n",
			jsonrpc.Message{Kind: jsonrpc.Request, ID: raw(`1`), Method: raw(`"ping"`)}},
		{"blanks everywhere", " {\t\"jsonrpc\" : \"2.0\" ,\r\n\"id\" : 7 , \"method\" : \"ping\" , \"params\" : { } } ",
			jsonrpc.Message{Kind: jsonrpc.Request, ID: raw(`7`), Method: raw(`"ping"`), Params: raw(`{ }`)}},
		{"members of params", `{"method":"tools/call","params":{"_meta":{"a":[1]},"name":"x","arguments":{"b": 2},"cursor":"c","more":0},"id":"i","jsonrpc":"2.0"}`,
			jsonrpc.Message{Kind: jsonrpc.Request, ID: raw(`"i"`), Method: raw(`"tools/call"`),
				Params: raw(`{"_meta":{"a":[1]},"name":"x","arguments":{"b": 2},"cursor":"c","more":0}`),
				Name:   raw(`"x"`), Arguments: raw(`{"b": 2}`), Cursor: raw(`"c"`), Meta: raw(`{"a":[1]}`)}},
		{"names with escapes", `{"\u006asonrpc":"2.0","i\u0064":3,"meth\u006fd":"p\u0069ng","params":{"n\u0061me":"x"}}`,
			jsonrpc.Message{Kind: jsonrpc.Request, ID: raw(`3`), Method: raw(`"p\u0069ng"`), Params: raw(`{"n\u0061me":"x"}`), Name: raw(`"x"`)}},
		{"version with escape", `{"jsonrpc":"2\u002e0","id":1,"method":"ping"}`,
			jsonrpc.Message{Kind: jsonrpc.Request, ID: raw(`1`), Method: raw(`"ping"`)}},
		{"params of another kind", `{"jsonrpc":"2.0","id":1,"method":"ping","params":[1,{"name":"x"}]}`,
			jsonrpc.Message{Kind: jsonrpc.Request, ID: raw(`1`), Method: raw(`"ping"`), Params: raw(`[1,{"name":"x"}]`)}},
		{"notification", `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
			jsonrpc.Message{Kind: jsonrpc.Notification, Method: raw(`"notifications/initialized"`)}},
		{"response", `{"jsonrpc":"2.0","id":77,"result":{}}`,
			jsonrpc.Message{Kind: jsonrpc.Response, ID: raw(`77`)}},
		{"error for nobody", `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}`,
			jsonrpc.Message{Kind: jsonrpc.Response, ID: raw(`null`)}},
		{"further members", `{"jsonrpc":"2.0","id":1,"method":"ping","trace":{"x":null}}`,
			jsonrpc.Message{Kind: jsonrpc.Request, ID: raw(`1`), Method: raw(`"ping"`)}},
		{"as deep as may be", `{"jsonrpc":"2.0","id":1,"method":"m","params":` + strings.Repeat(`[`, 63) + strings.Repeat(`]`, 63) + `}`,
			jsonrpc.Message{Kind: jsonrpc.Request, ID: raw(`1`), Method: raw(`"m"`), Params: raw(strings.Repeat(`[`, 63) + strings.Repeat(`]`, 63))}},
		{"odd numbers", `{"jsonrpc":"2.0","id":1,"method":"m","params":{"arguments":[1e400,-0,0.1e-99999,1E+2]}}`,
			jsonrpc.Message{Kind: jsonrpc.Request, ID: raw(`1`), Method: raw(`"m"`), Params: raw(`{"arguments":[1e400,-0,0.1e-99999,1E+2]}`), Arguments: raw(`[1e400,-0,0.1e-99999,1E+2]`)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var m jsonrpc.Message
			if err := jsonrpc.Decode([]byte(c.body), &m); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, m, cmp.FilterPath(hidden, cmp.Ignore())); diff != "" {
				t.Errorf("message differs (-want +got):\n%s", diff)
			}
		})
	}
}

// hidden are the members that only Decode itself reads.
func hidden(p cmp.Path) bool {
	field, ok := p.Last().(cmp.StructField)
	return ok && field.Name() != "" && strings.ToLower(field.Name()[:1]) == field.Name()[:1]
}

func raw(s string) jsontext.Value { return jsontext.Value(s) }

// Ids come back with the type and the bytes that they had.
func TestIDsAreEchoed(t *testing.T) {
	t.Parallel()
	for _, id := range []string{`1`, `0`, `-1`, `-0`, `9007199254740993`, `123456789012345678901234567890`,
		`"1"`, `""`, `"\u0000x"`, `"a-\"quoted\"-é"`, `"🙂"`, `"\ud83d\ude42"`} {
		var m jsonrpc.Message
		if err := jsonrpc.Decode([]byte(`{"jsonrpc":"2.0","id":`+id+`,"method":"ping"}`), &m); err != nil {
			t.Errorf("id %s: %v", id, err)
			continue
		}
		want := `{"jsonrpc":"2.0","id":` + id + `,"result":{}}`
		if got := string(jsonrpc.AppendResult(nil, m.ID, raw(`{}`))); got != want {
			t.Errorf("answer %s, want %s", got, want)
		}
	}
}

// What the reader costs does not grow faster than the body, whatever is in it.
func TestHostileBodies(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	for name, arguments := range map[string]string{
		"a long name":        `{"` + strings.Repeat("k", size) + `":1}`,
		"many names":         many(100_000, `"last":0`),
		"many escaped names": `{"\u0061":[],` + strings.TrimPrefix(many(50_000, `"\u0062":0`), `{`),
		"a long number":      strings.Repeat("9", 10_000),
		"many objects":       `[` + strings.Repeat(`{},`, size/3) + `{}]`,
	} {
		body := []byte(`{"jsonrpc":"2.0","id":1,"method":"m","params":{"arguments":` + arguments + `}}`)
		var m jsonrpc.Message
		if err := jsonrpc.Decode(body, &m); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(m.Arguments) != len(arguments) {
			t.Errorf("%s: arguments of %d bytes, want %d", name, len(m.Arguments), len(arguments))
		}
	}
}

func TestDecodeAllocations(t *testing.T) {
	body := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"the quick \"brown\" fox\n"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`)
	var m jsonrpc.Message
	got := testing.AllocsPerRun(1000, func() {
		if err := jsonrpc.Decode(body, &m); err != nil {
			t.Fatal(err)
		}
		for range jsonrpc.Members(m.Meta) {
		}
	})
	if got != 0 {
		t.Errorf("reading a call allocates %v times, want none", got)
	}
}

func BenchmarkDecode(b *testing.B) {
	body := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"the quick brown fox jumps over the lazy dog"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`)
	b.ReportAllocs()
	b.SetBytes(int64(len(body)))
	var m jsonrpc.Message
	for b.Loop() {
		if err := jsonrpc.Decode(body, &m); err != nil {
			b.Fatal(err)
		}
	}
}
