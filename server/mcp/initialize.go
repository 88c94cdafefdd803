package mcp

import "prax/server/jsonrpc"

// initialize negotiates and never refuses (MCP, lifecycle: version negotiation): a revision that is
// served and opens this way comes back, anything else gets the newest of those. Nothing is remembered;
// the caller repeats the outcome in its MCP-Protocol-Version header.
func (q *request) initialize(dst []byte) ([]byte, error) {
	settled := rev2025Nov
	for key, v := range jsonrpc.Members(q.m.Params) {
		if string(key) != "protocolVersion" {
			continue
		}
		asked, ok := jsonrpc.String(v)
		if !ok {
			return dst, badParams("protocolVersion must be a string")
		}
		if rev, known := isLegacy(asked); known {
			settled = rev
		}
	}
	dst = append(dst, `{"protocolVersion":"`...)
	dst = append(dst, settled...)
	dst = append(dst, `","capabilities":{"tools":{}},"serverInfo":`...)
	dst = append(dst, q.s.said.info...)
	dst = append(dst, q.s.said.instructions...)
	return append(dst, '}'), nil
}
