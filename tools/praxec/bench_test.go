package praxec_test

import (
	"fmt"
	"strings"
	"testing"
)

// pure is a workflow whose moves have no effect: a small schema, a guard on the context, an output mapping.
const pure = `
workflows:
  counter:
    title: Count
    description: Counts.
    initialState: open
    initialContext: { count: 0, note: "" }
    inputSchema: { type: object }
    states:
      open:
        goal: Count as far as you like.
        transitions:
          add:
            title: Add
            description: Notes what was added.
            target: open
            inputSchema: { type: object, properties: { note: { type: string, maxLength: 200 } }, required: [note], additionalProperties: false }
            guards: [ { kind: expr, expr: "$.context.count >= 0" } ]
            output: { note: "$.arguments.note" }
          close: { title: Close, target: closed }
      closed: { terminal: true }
`

// counting is a house with that workflow and this many others beside it, and one of its instances.
func counting(t testing.TB, others int) (*house, answer) {
	text := strings.Builder{}
	text.WriteString(pure)
	for n := range others {
		fmt.Fprintf(&text, "  other%d: { title: Other, description: Nothing., initialState: s, states: { s: { transitions: { t: { target: e } } }, e: { terminal: true } } }\n", n)
	}
	h := open(t, "testdata/cases.yaml")
	h.put(written(t, text.String()))
	return h, h.start(agent, "counter", `{}`)
}

// BenchmarkGet is one look at an instance, from the call to its answer.
func BenchmarkGet(b *testing.B) { besideOthers(b, (*house).getting) }

// BenchmarkMove is one move by one caller, from the call to its answer, durable when it returns.
func BenchmarkMove(b *testing.B) { besideOthers(b, (*house).moving) }

// besideOthers measures what is done with a workflow, alone and beside many definitions.
func besideOthers(b *testing.B, doing func(*house, answer) func()) {
	for _, others := range []int{0, 100} {
		b.Run(fmt.Sprintf("definitions=%d", others+1), func(b *testing.B) {
			do := doing(counting(b, others))
			b.ReportAllocs()
			for b.Loop() {
				do()
			}
		})
	}
}
