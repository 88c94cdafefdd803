// Package mcp speaks the Model Context Protocol over Streamable HTTP: all five revisions at one
// endpoint, without sessions. It translates and decides nothing: what a caller may list and call is
// tools.Registry's answer, and who the caller is comes with the edge.Exchange.
//
// The era of a request is read from its body (MCP 2026-07-28, base protocol): with a protocol
// version in params._meta it is modern, else it belongs to one of the four revisions that open with
// initialize. Nothing is remembered from one request to the next.
package mcp
