// Command gosdk drives the client of the official Go SDK against one server, once for each protocol revision, and
// ends non-zero if a step fails. The address, the token and the tool come from MCP_URL, MCP_TOKEN and MCP_TOOL.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// revisions are all that the SDK speaks; each must be what the server then agrees to.
var revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

const stateless = "2026-07-28" // from here on there is no ping

type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func main() {
	failed := false
	for _, revision := range revisions {
		if err := drive(revision); err != nil {
			failed = true
			fmt.Printf("  FAIL  %s: %v\n", revision, err)
			continue
		}
		fmt.Printf("  ok    %s\n", revision)
	}
	if failed {
		os.Exit(1)
	}
}

// drive is one session: connect, list, call, be refused, and ping where the revision has it.
func drive(revision string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	session, err := connect(ctx, revision)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer session.Close()
	if got := session.InitializeResult().ProtocolVersion; got != revision {
		return fmt.Errorf("connect: asked for %s, got %s", revision, got)
	}
	if err := list(ctx, session); err != nil {
		return fmt.Errorf("list: %w", err)
	}
	if err := call(ctx, session); err != nil {
		return fmt.Errorf("call: %w", err)
	}
	if _, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "interop_no_such_tool"}); err == nil {
		return fmt.Errorf("refuse: a tool that does not exist was called")
	}
	if revision >= stateless {
		return nil
	}
	if err := session.Ping(ctx, nil); err != nil {
		return fmt.Errorf("ping: %w", err)
	}
	return nil
}

func connect(ctx context.Context, revision string) (*mcp.ClientSession, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "interop-gosdk", Version: "1"}, nil)
	transport := &mcp.StreamableClientTransport{
		Endpoint:   os.Getenv("MCP_URL"),
		HTTPClient: &http.Client{Transport: bearer(os.Getenv("MCP_TOKEN"))},
		MaxRetries: -1,
	}
	return client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: revision})
}

func list(ctx context.Context, session *mcp.ClientSession) error {
	var names []string
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			return err
		}
		names = append(names, tool.Name)
	}
	if want := os.Getenv("MCP_TOOL"); !slices.Contains(names, want) {
		return fmt.Errorf("%s is not among %v", want, names)
	}
	return nil
}

func call(ctx context.Context, session *mcp.ClientSession) error {
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: os.Getenv("MCP_TOOL"), Arguments: map[string]any{}})
	if err != nil {
		return err
	}
	if result.IsError || len(result.Content) == 0 || result.StructuredContent == nil {
		return fmt.Errorf("error=%t, %d blocks, structured=%t", result.IsError, len(result.Content), result.StructuredContent != nil)
	}
	return nil
}
