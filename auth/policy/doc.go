// Package policy answers one question in one place: may this principal use this tool now? It is pure:
// a principal, a target and a time in, one [Decision] with one [Reason] out. Every route to a tool
// (a list, a call, a description, a step of a workflow) asks [Decide] and nothing else, so that
// what is listed is exactly what can be called.
//
// The reason is for logs and audit. What a caller may not use is answered like what does not exist,
// whatever the reason was.
package policy
