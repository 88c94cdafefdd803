package praxec_test

import (
	"fmt"
	"strings"
	"testing"

	"prax/tools"
	"prax/tools/praxec"
)

// sized is the result of a call, which must be within what the server gives.
func (h *house) sized(tool, arguments string) *tools.Result {
	h.Helper()
	res, err := h.call(agent, tool, arguments)
	if err != nil || res.IsError {
		h.Fatalf("%.100s: %v %+v", arguments, err, res)
	}
	return res
}

// TestLargeContext: a context of the size that it may have is given once, and the text says where.
func TestLargeContext(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	h.put(written(t, `
workflows:
  large:
    initialState: s
    states: { s: { transitions: { put: { target: s, prefill: { first: "$.workflow.input.data" }, output: { data: "$.arguments.data" } } } } }
`))
	quotes := strings.Repeat(`\"`, 500_000) // two bytes each in the context, and four more in a text
	a := h.start(agent, "large", `{"data":"`+quotes[:240_000]+`"}`)
	a = decoded(t, string(h.sized(praxec.Command, submission(a, "put", `{"data":"`+quotes+`"}`)).Structured))
	res := h.sized(praxec.Query, `{"workflowId":"`+a.id()+`"}`)
	full, text := decoded(t, string(res.Structured)), decoded(t, res.Content[0].Text)
	equal(t, "structured", full.brief()+" "+fmt.Sprint(len(full.text("context.data"))), "s 2 waiting_for_action 500000")
	equal(t, "as text", text.brief()+" "+text.text("contextOmitted")+" "+show(text["context"])+" "+text.rels(), "s 2 waiting_for_action true {} put")
	over := h.command(agent, submission(full, "put", `{"data":"`+strings.Repeat("x", 1<<20)+`"}`))
	if code := over.text("error.code"); code != "CONTEXT_TOO_LARGE" && code != "INPUT_SCHEMA_VIOLATION" || over.version() != 2 {
		t.Errorf("more than fits: %s", over.brief())
	}
}

// TestManyLinks: a state with very many transitions shows as many as fit, and says how many are missing.
func TestManyLinks(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("proxy:\n  expose:\n")
	for n := range 700 {
		fmt.Fprintf(&b, "    - { name: cap.n%d, title: %q, inputSchema: { type: object, description: %q }, executor: { kind: noop } }\n",
			n, strings.Repeat("t", 100), strings.Repeat("d", 3000))
	}
	h := open(t, "testdata/cases.yaml")
	h.put(written(t, b.String()))
	a := decoded(t, string(h.sized(praxec.Command, `{"definitionId":"proxy_default"}`).Structured))
	shown, _ := a["links"].([]any)
	omitted, _ := a["linksOmitted"].(float64)
	if len(shown) < 100 || len(shown)+int(omitted) != 700 {
		t.Errorf("%d shown, %v omitted", len(shown), omitted)
	}
	equal(t, "one that is not shown can be asked for", h.start(agent, "proxy_default", `{"capability":"cap.n699"}`).rels(), "cap.n699")
	read := decoded(t, string(h.sized(praxec.Query, `{"definitionId":"proxy_default"}`).Structured))
	equal(t, "a definition that is too large to read", read.text("error.code")+" "+read.rels(), "TOO_LARGE home search")
}

// TestManyLargeGates: what waits for people is listed as far as it fits.
func TestManyLargeGates(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	for range 8 {
		a := h.start(agent, "release", `{}`)
		h.submit(agent, a, "ship", `{"to":"`+strings.Repeat("x", 200_000)+`"}`)
	}
	a := decoded(t, string(h.sized(praxec.Query, `{"approvals":true}`).Structured))
	n := len(a["pending"].([]any))
	if n == 0 || n >= 8 {
		t.Errorf("%d listed", n)
	}
	equal(t, "and it is said", a.text("truncated")+" "+a.text("count"), fmt.Sprintf("true %d", n))
}

// TestLargePrefill: a link proposes what is large as far as there is room, and can be followed without.
func TestLargePrefill(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	h.put(written(t, `
workflows:
  large:
    initialState: s
    initialContext: { data: "" }
    states:
      s:
        transitions:
          put: { target: s, output: { data: "$.arguments.data" } }
          one: { target: s, prefill: { data: "$.context.data" } }
          two: { target: s, prefill: { data: "$.context.data" } }
          three: { target: s, prefill: { data: "$.context.data" } }
`))
	a := decoded(t, string(h.sized(praxec.Command, submission(h.start(agent, "large", `{}`), "put", `{"data":"`+strings.Repeat("x", 200_000)+`"}`)).Structured))
	equal(t, "the first has it", len(a.link("one").text("args.arguments.data")), 200_000)
	equal(t, "the others do not", show(a.link("two").at("args.arguments"))+show(a.link("three").at("args.arguments")), "nullnull")
	equal(t, "and can be followed", h.command(agent, show(a.link("three")["args"])).brief(), "s 3 executed")
}

// TestLargeApproval: a person can answer a question about arguments of the size that they may have.
func TestLargeApproval(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	h.put(written(t, `
workflows:
  large:
    initialState: s
    states:
      s:
        transitions:
          put: { target: s, output: { data: "$.arguments.data" } }
          ask: { target: t, executor: { kind: human } }
      t: { terminal: true }
`))
	quotes := strings.Repeat(`\"`, 480_000)
	a := h.start(agent, "large", `{}`)
	a = decoded(t, string(h.sized(praxec.Command, submission(a, "put", `{"data":"`+quotes+`"}`)).Structured))
	a = decoded(t, string(h.sized(praxec.Command, submission(a, "ask", `{"data":"`+quotes+`"}`)).Structured))
	equal(t, "asked", a.brief(), "s 3 waiting_for_action")
	res, err := h.call(boss, praxec.Query, `{"workflowId":"`+a.id()+`"}`)
	if err != nil || res.IsError {
		t.Fatalf("%v %+v", err, res)
	}
	full, text := decoded(t, string(res.Structured)), decoded(t, res.Content[0].Text)
	equal(t, "as text", text.brief()+" "+text.rels(), "s 3 waiting_for_action get")
	done, err := h.call(boss, praxec.Command, show(full.link("ask")["args"]))
	if err != nil || done.IsError {
		t.Fatalf("%v %+v", err, done)
	}
	equal(t, "answered", decoded(t, string(done.Structured)).brief(), "t 4 completed")
}
