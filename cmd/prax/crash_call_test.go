package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// write remembers one thing after another and keeps what was acknowledged.
func (c *crash) write(ctx context.Context, user int) {
	for n := 0; ctx.Err() == nil; n++ {
		body := fmt.Sprintf("fact %d of user %d", c.sent.Add(1), user)
		var answer struct {
			Result struct {
				IsError           bool
				StructuredContent struct{ ID string }
			}
		}
		if !c.call(ctx, user, "memory_remember", map[string]any{"content": body}, &answer) {
			return
		}
		if id := answer.Result.StructuredContent.ID; id != "" && !answer.Result.IsError {
			c.mu.Lock()
			c.acked[crashUser(user)][id] = body
			c.mu.Unlock()
		}
	}
}

func (c *crash) read(ctx context.Context, user int) {
	for ctx.Err() == nil {
		var ignored any
		if !c.call(ctx, user, "memory_recall", map[string]any{"query": "fact", "top_k": 3}, &ignored) {
			return
		}
	}
}

// call is one tools/call; false when the server is gone.
func (c *crash) call(ctx context.Context, user int, tool string, arguments, answer any) bool {
	resp, err := c.send(ctx, http.DefaultClient, user, tool, arguments)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	return json.NewDecoder(resp.Body).Decode(answer) == nil
}

// send sends one tools/call; the error is that no answer began.
func (c *crash) send(ctx context.Context, by *http.Client, user int, tool string, arguments any) (*http.Response, error) {
	body, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": arguments},
	})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+"/mcp", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+crashToken(user))
	req.Header.Set("Content-Type", "application/json")
	return by.Do(req)
}
