package praxec

import "github.com/go-json-experiment/json/jsontext"

// home is where a caller begins.
type home struct {
	Resource resource `json:"resource"`
	Result   outcome  `json:"result"`
	Links    []link   `json:"links"`
}

var searchSchema = jsontext.Value(`{"type":"object","required":["query"],"properties":{"query":{"type":"string"},` +
	`"kind":{"type":"string","enum":["workflow","capability","connection"]},"limit":{"type":"integer","default":10}},"additionalProperties":false}`)

func (q *request) home() home {
	search := q.searchLink().titled("Search workflows and capabilities")
	search.InputSchema = searchSchema
	return home{
		Resource: resource{Type: "gateway", ID: "home"},
		Result:   outcome{Status: "ready", Message: "Available workflows and proxy capabilities can be discovered here."},
		Links: []link{
			search,
			q.toQuery("list_workflows", searching("", kindWorkflow)).titled("List configured workflows"),
			q.toQuery("list_capabilities", searching("", kindCapability)).titled("List proxy capabilities"),
		},
	}
}
