package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
)

// TestLostAnswer: a caller that goes away right behind its request finds by its run id what became of it. There is one
// workflow for each, whether the first request or the second one started it.
func TestLostAnswer(t *testing.T) {
	t.Parallel()
	c := newCrash(t)
	cmd := c.start("")
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	if !c.ready(make(chan struct{})) {
		t.Fatal("not ready")
	}
	const runs = 20
	ids := map[string]bool{}
	for n := range runs {
		start := map[string]any{"definitionId": "round", "runId": fmt.Sprintf("run-%d", n)}
		c.sendAndLeave(0, start)
		var answer struct {
			Result struct {
				StructuredContent struct {
					Workflow struct{ ID string }
					Error    struct{ Code string }
					Links    []struct {
						Rel  string
						Args struct{ WorkflowID string }
					}
				}
			}
		}
		if !c.call(t.Context(), 0, "praxec.command", start, &answer) {
			t.Fatal("no answer")
		}
		s := answer.Result.StructuredContent
		id := s.Workflow.ID
		for _, l := range s.Links {
			if s.Error.Code == "RUN_ID_ALREADY_RUNNING" && l.Rel == "get" {
				id = l.Args.WorkflowID
			}
		}
		if id == "" || ids[id] {
			t.Errorf("run %d: %+v", n, s)
		}
		ids[id] = true
	}
	var list struct {
		Result struct {
			StructuredContent struct{ Items []any }
		}
	}
	person := map[string]any{"kind": "instance", "limit": 200}
	if !c.call(t.Context(), 0, "praxec.query", person, &list) || len(list.Result.StructuredContent.Items) != runs {
		t.Errorf("%d workflows for %d run ids", len(list.Result.StructuredContent.Items), runs)
	}
}

// sendAndLeave sends a whole request and closes the connection without reading.
func (c *crash) sendAndLeave(user int, arguments any) {
	body, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": "praxec.command", "arguments": arguments},
	})
	if err != nil {
		c.t.Fatal(err)
	}
	req, err := http.NewRequest(http.MethodPost, c.url+"/mcp", bytes.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+crashToken(user))
	req.Header.Set("Content-Type", "application/json")
	conn, err := net.Dial("tcp", strings.TrimPrefix(c.url, "http://"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer conn.Close()
	if err := req.Write(conn); err != nil {
		c.t.Error(err)
	}
}
