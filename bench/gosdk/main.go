// Command gosdk is the least server of the official Go SDK with the tool echo: stateless, JSON answers, a bearer token by
// the middleware of the SDK.
package main

import (
	"context"
	"crypto/subtle"
	"flag"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type echo struct {
	Text string `json:"text"`
}

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "loopback address to listen on")
	token := flag.String("token", "", "the one bearer token")
	flag.Parse()
	server := mcp.NewServer(&mcp.Implementation{Name: "gosdk", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "echo", Description: "Gives back the text."},
		func(_ context.Context, _ *mcp.CallToolRequest, in echo) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: in.Text}}}, nil, nil
		})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	verify := func(_ context.Context, given string, _ *http.Request) (*auth.TokenInfo, error) {
		if subtle.ConstantTimeCompare([]byte(given), []byte(*token)) != 1 {
			return nil, auth.ErrInvalidToken
		}
		return &auth.TokenInfo{Expiration: time.Now().Add(time.Hour)}, nil
	}
	fmt.Fprintln(os.Stderr, "gosdk:", http.ListenAndServe(*addr, auth.RequireBearerToken(verify, nil)(handler)))
	os.Exit(1)
}
