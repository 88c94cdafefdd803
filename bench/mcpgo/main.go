// Command mcpgo is the least server of mcp-go with the tool echo: stateless, JSON answers. The library leaves tokens to
// the program.
package main

import (
	"context"
	"crypto/subtle"
	"flag"
	"fmt"
	"net/http"
	"os"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "loopback address to listen on")
	token := flag.String("token", "", "the one bearer token")
	flag.Parse()
	s := server.NewMCPServer("mcpgo", "1", server.WithToolCapabilities(false))
	s.AddTool(mcp.NewTool("echo", mcp.WithDescription("Gives back the text."), mcp.WithString("text", mcp.Required())), echo)
	handler := server.NewStreamableHTTPServer(s, server.WithStateLess(true), server.WithDisableStreaming(true))
	authorization := []byte("Bearer " + *token)
	guard := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), authorization) != 1 {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	})
	fmt.Fprintln(os.Stderr, "mcpgo:", http.ListenAndServe(*addr, guard))
	os.Exit(1)
}

func echo(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	text, err := r.RequireString("text")
	if err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	return mcp.NewToolResultText(text), nil
}
