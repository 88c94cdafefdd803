package praxec_test

import (
	"maps"
	"sync"
	"testing"

	"prax/tools"
	"prax/tools/definition"
	"prax/tools/praxec"
)

// TestRefusedIsTold: each refusal is told once by its code, whoever decides it; what is done, read or shown is none.
func TestRefusedIsTold(t *testing.T) {
	t.Parallel()
	h := open(t, "testdata/cases.yaml")
	var mu sync.Mutex
	count := map[string]int{}
	registry := tools.NewRegistry(tools.Config{Store: h.db, Now: h.clock.now})
	err := registry.Set("praxec", praxec.Tools(praxec.Config{
		Runner: h.runner, Definitions: func() *definition.Set { return h.set.Load() }, Lexicon: h.lexicon, Store: h.db, Now: h.clock.now,
		Refused: func(code string) {
			mu.Lock()
			defer mu.Unlock()
			count[code]++
		},
	}))
	if err != nil {
		t.Fatal(err)
	}
	h.tools = registry
	a := h.start(agent, "ticket", `{"subject":"x"}`)
	h.query(agent, `{"workflowId":"`+a.id()+`"}`)
	h.query(agent, `{}`)
	h.command(agent, `{"workflowId":"`+a.id()+`","expectedVersion":7,"transition":"drop"}`)
	h.command(agent, `{"workflowId":"`+a.id()+`","expectedVersion":1,"transition":"no such"}`)
	h.command(agent, `{"workflowId":"`+a.id()+`","expectedVersion":1,"transition":"nor this"}`)
	h.command(agent, `{"workflowId":"wf_none","expectedVersion":1,"transition":"drop"}`)
	h.command(agent, `{"definitionId":"none"}`)
	h.command(agent, `{"definitionId":7}`)
	h.command(agent, `{}`)
	h.query(agent, `{"subject":"lexicon:"}`)
	h.command(agent, `{"subject":"lexicon:x","definition":{"definition_short":"y"}}`)
	h.command(agent, `{"workflowId":"`+a.id()+`","intent":"cancel"}`)
	h.query(agent, `{"workflowId":"`+a.id()+`"}`)
	want := map[string]int{
		"STALE_WORKFLOW_VERSION": 1, "INVALID_TRANSITION": 2, "WORKFLOW_NOT_FOUND": 1, "DEFINITION_NOT_FOUND": 1,
		"INVALID_ARGUMENTS": 2, "AMBIGUOUS_INTENT": 1, "LEXICON_WRITES_DISABLED": 1,
	}
	mu.Lock()
	defer mu.Unlock()
	if !maps.Equal(count, want) {
		t.Errorf("told of %v, want %v", count, want)
	}
}
