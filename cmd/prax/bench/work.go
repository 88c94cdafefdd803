package bench

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// work is what one caller does of one kind.
type work interface {
	// request is the next one: headers of its own, and the body around the id.
	request() *request
	// check judges the answer to it.
	check(body, id []byte) *Fault
}

type request struct {
	headers       string // whole lines, which protocols from 2026-07-28 on ask for
	before, after []byte // of the id in the body
}

// modern is the first protocol whose requests say about themselves what was told once before.
const modern = "2026-07-28"

// newRequest is a method with params, a JSON object, of the tool name if it is a call.
func (c *Config) newRequest(method, name, params string) *request {
	r := &request{before: []byte(`{"jsonrpc":"2.0","id":`)}
	if c.Protocol >= modern {
		r.headers = c.modernHeaders(method, name)
		params = joinMembers(params, `"_meta":{"io.modelcontextprotocol/protocolVersion":"`+c.Protocol+
			`","io.modelcontextprotocol/clientInfo":{"name":"prax bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`)
	}
	r.after = fmt.Appendf(nil, `,"method":"%s","params":%s}`, method, params)
	return r
}

func (c *Config) modernHeaders(method, name string) string {
	headers := "Mcp-Method: " + method + "\r\n"
	if name != "" {
		headers += "Mcp-Name: " + name + "\r\n"
	}
	return headers
}

// newCall is the call of a tool with arguments, a JSON object.
func (c *Config) newCall(tool, arguments string) *request {
	return c.newRequest("tools/call", tool, `{"name":"`+tool+`","arguments":`+arguments+`}`)
}

// joinMembers adds members to a JSON object.
func joinMembers(object, members string) string {
	object = strings.TrimSuffix(strings.TrimSpace(object), "}")
	if !strings.HasSuffix(strings.TrimSpace(object), "{") {
		object += ","
	}
	return object + members + "}"
}

// quoted is a JSON string.
func quoted(text string) string {
	b, err := jsontext.AppendQuote(nil, text)
	if err != nil { // not UTF-8: it is sent with the replacement character
		b, _ = jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "�"))
	}
	return string(b)
}

// repeated is a work whose request is always the same.
type repeated struct {
	proven
	asked *request
	judge func(body, id []byte) *Fault // in full
}

func (r *repeated) request() *request { return r.asked }

func (r *repeated) check(body, id []byte) *Fault {
	if r.same(body, id) {
		return nil
	}
	f := r.judge(body, id)
	if f == nil {
		r.keep(body, id)
	}
	return f
}

func (c *Config) echo() work {
	asked := c.newCall("echo", `{"text":`+quoted(c.Asked.Text)+`}`)
	return &repeated{asked: asked, judge: func(body, id []byte) *Fault {
		r, f := toolAnswer[jsontext.Value](body, id)
		if f != nil {
			return f
		}
		if got := r.Content[0]; len(r.Content) != 1 || got.Type != "text" || got.Text != c.Asked.Text {
			return fault(Wrong, "echo of %q: %s %q", c.Asked.Text, got.Type, got.Text)
		}
		return nil
	}}
}

func (c *Config) list() work {
	type tools struct {
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	return &repeated{asked: c.newRequest("tools/list", "", `{}`), judge: func(body, id []byte) *Fault {
		r, f := resultOf[tools](body, id)
		if f != nil {
			return f
		}
		if len(r.Tools) == 0 || r.Tools[0].Name == "" {
			return fault(Wrong, "no tools: %.200q", body)
		}
		return nil
	}}
}

// IDPlace is where the id goes in a body that is given.
const IDPlace = "{{id}}"

func (c *Config) given() work {
	before, after, _ := strings.Cut(c.Asked.Body, IDPlace)
	asked := &request{before: []byte(before), after: []byte(after)}
	if c.Protocol >= modern {
		asked.headers = c.modernHeaders(namesOf(before + "1" + after))
	}
	return &repeated{asked: asked, judge: func(body, id []byte) *Fault {
		_, f := resultOf[jsontext.Value](body, id)
		return f
	}}
}

// namesOf is the method of a body, and the name of the tool that it calls.
func namesOf(body string) (method, name string) {
	var asked struct {
		Method string `json:"method"`
		Params struct {
			Name string `json:"name"`
		} `json:"params"`
	}
	if json.Unmarshal([]byte(body), &asked) != nil {
		return "", "" // as it was meant: a body that no server can read
	}
	return asked.Method, asked.Params.Name
}
