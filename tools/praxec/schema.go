package praxec

import "github.com/go-json-experiment/json/jsontext"

const queryDescription = "Read workflows and what is known about them. The arguments say what is meant: " +
	"{} is where to begin; {query} searches, with kind workflow, capability, lexicon or instance (your own runs, newest first); " +
	"{subject} describes a workflow, a capability or lexicon:<term>; {definitionId} reads a definition; " +
	"{workflowId} is the state of a run, {workflowId, transition} explains one of its moves; " +
	"{approvals: true} is what waits for a person; {observe: true} is what happened. " +
	"Every answer carries links: calls that can be sent as they stand."

const commandDescription = "Change workflows. The arguments say what is meant: {definitionId, input} starts one; " +
	"{workflowId, expectedVersion, transition, arguments} takes a transition; {workflowId, intent: \"cancel\"} ends a run; " +
	"{subject: \"lexicon:<term>\", definition} defines a term. " +
	"Do not make arguments up: copy them from a link of the last answer of praxec.query or praxec.command, and fill in what its inputSchema asks for."

// querySchema is published for callers. What they send is read more leniently: null is as absent, and unknown members
// are not looked at.
var querySchema = jsontext.Value(`{"type":"object","properties":{` +
	`"query":{"type":"string","description":"Words to search for; empty: everything"},` +
	`"kind":{"type":"string","description":"workflow, capability, connection, instance, lexicon, and where the operator allows it skill and script"},` +
	`"limit":{"type":"integer","description":"How many results to return"},` +
	`"before":{"type":"integer","description":"With kind instance: those started before this one; copied from a link"},` +
	`"subject":{"type":"string","description":"What to describe: an id, or lexicon:<term>"},` +
	`"definitionId":{"type":"string","description":"The definition to read"},` +
	`"workflowId":{"type":"string","description":"The run"},` +
	`"transition":{"type":"string","description":"With workflowId: the transition to explain"},` +
	`"approvals":{"type":"boolean","description":"What waits for a person"},` +
	`"observe":{"type":"boolean","description":"What happened in your workflows"},` +
	`"since":{"type":"string","description":"With observe: from this time on, RFC 3339"},` +
	`"bounded_context":{"type":"string","description":"With kind lexicon: only terms of this context"}` +
	`},"additionalProperties":false}`)

// commandSchema likewise.
var commandSchema = jsontext.Value(`{"type":"object","properties":{` +
	`"definitionId":{"type":"string","description":"The workflow to start"},` +
	`"input":{"type":"object","description":"What it starts with, by its inputSchema"},` +
	`"runId":{"type":"string","description":"Your own name for the run: a second start with it is refused, and tells the first"},` +
	`"traceId":{"type":"string","description":"Repeated in every event of the run"},` +
	`"workflowId":{"type":"string","description":"The run"},` +
	`"expectedVersion":{"type":"integer","description":"Its version, copied from a link"},` +
	`"transition":{"type":"string","description":"The transition to take"},` +
	`"arguments":{"type":"object","description":"What the link's inputSchema asks for"},` +
	`"digest":{"type":"string","description":"Of a person: the digest of what was shown, copied from the link that approves it"},` +
	`"summary":{"type":"string","description":"What you did and why, in a sentence; with an intent: the reason"},` +
	`"intent":{"type":"string","description":"cancel ends a run, reject says no to an open approval, cancel_pending_subject gives a term up"},` +
	`"subject":{"type":"string","description":"lexicon:<term>"},` +
	`"definition":{"type":"object","description":"definition_short, boundedContext, refs and governance of a term, or aliases_add"},` +
	`"unknown_subject":{"type":"string","description":"With the intent cancel_pending_subject: the term"},` +
	`"reload":{"type":"boolean","description":"Have the configuration read again, where you may"}` +
	`},"additionalProperties":false}`)
