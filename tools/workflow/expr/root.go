package expr

import "strings"

// Roots is a set of the roots that a path may begin with.
type Roots uint16

// The roots.
const (
	Context   Roots = 1 << iota // $.context: what the workflow knows
	Arguments                   // $.arguments: what the caller sent along with this step
	Output                      // $.output, and $: what the executor answered
	Input                       // $.workflow.input: what the workflow was started with
	Workflow                    // $.workflow.id, $.workflow.state, $.workflow.version
	Run                         // $.run: accepted, and never anything there
	Answers                     // $.answers: what the caller answered to a question
)

// spelled is how the roots are written, the longer before its prefix.
var spelled = []struct {
	root Roots
	text string
}{
	{Context, "$.context"},
	{Arguments, "$.arguments"},
	{Output, "$.output"},
	{Input, "$.workflow.input"},
	{Workflow, "$.workflow.id"},
	{Workflow, "$.workflow.state"},
	{Workflow, "$.workflow.version"},
	{Run, "$.run"},
	{Answers, "$.answers"},
}

// String lists the roots as they are written.
func (r Roots) String() string {
	var texts []string
	for _, s := range spelled {
		if r&s.root != 0 {
			texts = append(texts, s.text)
		}
	}
	if last := len(texts) - 1; last > 0 {
		return strings.Join(texts[:last], ", ") + " or " + texts[last]
	}
	return strings.Join(texts, "")
}

// Env is what paths lead into: decoded JSON, of map[string]any, []any, string, float64, bool and nil. It is never
// changed, and what is evaluated shares its values with it.
type Env struct {
	Context   map[string]any
	Arguments map[string]any
	Input     map[string]any
	Answers   map[string]any
	Output    any
	ID        string // of the workflow instance
	State     string
	Version   int64
}
