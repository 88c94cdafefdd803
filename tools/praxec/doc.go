// Package praxec is the two tools through which callers use every workflow: praxec.query reads, praxec.command
// changes. Which operation is meant follows from the shape of the arguments.
//
// Every answer has links: calls that can be sent as they stand. A link that this caller could not follow now says why
// under `blocked`; one without is a promise. A refusal is an ordinary answer that hands back the moves there are, never
// an error of the protocol: the only one is a `kind` that does not exist, or that the operator has not switched on.
//
// The package translates. What a request means is decided by the engine (tools/workflow), it is carried out by
// tools/runner, and what a caller may see is asked before anything is counted: a definition that it was not granted,
// and the workflow of somebody else, answer as what does not exist.
package praxec
