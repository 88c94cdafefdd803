// Package jsonrpc reads and writes JSON-RPC 2.0 messages: [Decode] and [Split] for what a caller
// sent, [AppendResult], [AppendError] and [AppendNotification] for what it gets.
//
// It is strict where leniency would let two readers of one body disagree: exact-case names, each
// name once at any depth, valid UTF-8, nothing after the value, at most [MaxDepth] levels. What it
// returns are spans of the body, so they are valid for as long as the body is not written to; an id
// is echoed as the bytes that came. It knows no method and no transport.
package jsonrpc
