// Package builtin is the tools that come with prax: the clock, memory, knowledge, conversation search
// and the caller's own traces. [Tools] gives them, for tools.Registry.Set.
//
// Each reads and writes the caller's own documents only: every statement takes the scope of the
// principal who calls. Every result has a text for people and models, in the shape that clients of
// the original server parse, and the same facts as structured output.
package builtin
