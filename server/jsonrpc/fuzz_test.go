package jsonrpc_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/server/jsonrpc"
)

// valid is the library's judgement of a body: RFC 8259, each name once, UTF-8, nothing after it,
// and not deeper than base + MaxDepth.
func valid(body []byte, base int) bool {
	d := jsontext.NewDecoder(bytes.NewReader(body))
	deepest := 0
	for begun := false; ; begun = true {
		if begun && d.StackDepth() == 0 {
			_, err := d.ReadToken()
			return errors.Is(err, io.EOF) && deepest <= base+jsonrpc.MaxDepth
		}
		if _, err := d.ReadToken(); err != nil {
			return false
		}
		deepest = max(deepest, d.StackDepth())
	}
}

// envelope is the message as the library reads it.
type envelope struct {
	Version jsontext.Value `json:"jsonrpc"`
	ID      jsontext.Value `json:"id"`
	Method  jsontext.Value `json:"method"`
	Params  jsontext.Value `json:"params"`
	Result  jsontext.Value `json:"result"`
	Error   jsontext.Value `json:"error"`
}

type parameters struct {
	Name      jsontext.Value `json:"name"`
	Arguments jsontext.Value `json:"arguments"`
	Cursor    jsontext.Value `json:"cursor"`
	Meta      jsontext.Value `json:"_meta"`
}

var seeds = []string{
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a\n\u00e9\ud83d\ude42"},"_meta":{"k":{}}}}`,
	`{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{"cursor":"x"}}`,
	`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	`{"jsonrpc":"2.0","id":null,"method":"ping"}`,
	`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`,
	`{"jsonrpc":"2.0","id":7,"result":{}}`,
	`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}`,
	`{"\u006aso\u006erpc":"2.0","\u0069d":1,"id":2,"method":"x"}`,
	`{"ID":1,"jsonrpc":"2.0","method":"x","params":{"Name":"y"}}`,
	`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":1,"k":1,"l":1,"m":1,"n":1,"o":1,"p":1,"q":1,"a":2}`,
	`[{"jsonrpc":"2.0","id":1,"method":"ping"},5,[],null]`,
	`[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]`,
	"{\"a\":\"\xff\"}", `"\ud800"`, `-0.0e+00`, `01`, `{"a":1,}`, `nulL`, " \t\r\n1 ", `{}{}`, ``, `"`, `{"a"`, `-`,
}

// FuzzDecode holds the one-pass reader to the library, both ways: they accept the same bodies, and
// they see the same members in what they accept.
func FuzzDecode(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var m jsonrpc.Message
		err := jsonrpc.Decode(body, &m)
		if parsed, want := code(t, err) != jsonrpc.CodeParse, valid(body, 0); parsed != want {
			t.Fatalf("%q: parsed %v (%v), the library says %v", body, parsed, err, want)
		} else if !parsed {
			return
		}
		var e envelope
		if jsontext.Value(body).Kind() != '{' {
			if code(t, err) != jsonrpc.CodeInvalidRequest {
				t.Fatalf("%q is no object and was taken", body)
			}
			return
		}
		if err := json.Unmarshal(body, &e); err != nil {
			t.Fatalf("%q: the library cannot read it: %v", body, err)
		}
		sameEnvelope(t, &m, err, e)
	})
}

func sameEnvelope(t *testing.T, m *jsonrpc.Message, err error, e envelope) {
	t.Helper()
	var p parameters
	if e.Params.Kind() == '{' {
		if err := json.Unmarshal(e.Params, &p); err != nil {
			t.Fatal(err)
		}
	}
	for _, pair := range [][2]jsontext.Value{
		{m.Method, e.Method}, {m.Params, e.Params},
		{m.Name, p.Name}, {m.Arguments, p.Arguments}, {m.Cursor, p.Cursor}, {m.Meta, p.Meta},
	} {
		if !bytes.Equal(pair[0], pair[1]) || (pair[0] == nil) != (pair[1] == nil) {
			t.Fatalf("members differ: %q, the library has %q", pair[0], pair[1])
		}
	}
	if m.ID != nil && !bytes.Equal(m.ID, e.ID) {
		t.Fatalf("id %q, the library has %q", m.ID, e.ID)
	}
	if err != nil {
		return
	}
	var version, method string
	_ = json.Unmarshal(e.Version, &version)
	if e.Method != nil {
		_ = json.Unmarshal(e.Method, &method)
	}
	hasMethod, answers := method != "", (e.Result == nil) != (e.Error == nil)
	switch {
	case version != "2.0",
		m.Kind == jsonrpc.Request && (!hasMethod || e.ID == nil),
		m.Kind == jsonrpc.Notification && (!hasMethod || e.ID != nil),
		m.Kind == jsonrpc.Response && (e.Method != nil || !answers || e.ID == nil),
		m.Kind == jsonrpc.Invalid:
		t.Fatalf("taken as kind %d: %+v", m.Kind, e)
	}
	if hasMethod {
		if got, ok := jsonrpc.String(m.Method); !ok || got != method {
			t.Fatalf("method %q, the library has %q", got, method)
		}
	}
}

func FuzzSplit(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
		f.Add([]byte(`[` + s + `,` + s + `]`))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		elements, err := jsonrpc.Split(body)
		if !jsonrpc.IsBatch(body) {
			if err == nil {
				t.Fatalf("%q is no array and was split", body)
			}
			return
		}
		var want []jsontext.Value
		libraryErr := json.Unmarshal(body, &want)
		if code(t, err) == jsonrpc.CodeInvalidRequest {
			if libraryErr == nil && 0 < len(want) && len(want) <= jsonrpc.MaxBatch {
				t.Fatalf("%q: %v", body, err)
			}
			return
		}
		if (err == nil) != valid(body, 1) || (err == nil) != (libraryErr == nil && valid(body, 1)) {
			t.Fatalf("%q: %v, the library says %v", body, err, libraryErr)
		}
		if err != nil {
			return
		}
		if len(elements) != len(want) {
			t.Fatalf("%q: %d elements, the library has %d", body, len(elements), len(want))
		}
		for i := range want {
			if !bytes.Equal(bytes.TrimSpace(elements[i]), bytes.TrimSpace(want[i])) {
				t.Fatalf("element %d: %q, the library has %q", i, elements[i], want[i])
			}
		}
	})
}

// FuzzMembers: what Members yields is what the library finds, in order.
func FuzzMembers(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if !valid(body, 0) {
			return
		}
		var want map[string]jsontext.Value
		isObject := jsontext.Value(body).Kind() == '{'
		if isObject {
			if err := json.Unmarshal(body, &want); err != nil {
				t.Fatal(err)
			}
		}
		n := 0
		for name, v := range jsonrpc.Members(body) {
			if n++; !bytes.Equal(v, want[string(name)]) {
				t.Fatalf("member %q is %q, the library has %q", name, v, want[string(name)])
			}
		}
		if n != len(want) {
			t.Fatalf("%d members, the library has %d", n, len(want))
		}
	})
}
