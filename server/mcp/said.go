package mcp

import (
	"strconv"

	"prax/server/jsonrpc"
)

// discoverTTL is how long a caller may keep the answer of server/discover, in milliseconds: nothing
// in it depends on the caller or changes while the process runs.
const discoverTTL = 300_000

// said are the parts of answers that are the same for everybody, encoded once.
type said struct {
	info         []byte // the object {name, version}
	meta         []byte // the members of a modern result's _meta, without braces
	instructions []byte // `,"instructions":"…"`, or nothing
	discover     []byte // the whole result
	complete     []byte // a modern result that says nothing
}

func newSaid(c Config) (s said) {
	s.info = append(s.info, `{"name":`...)
	s.info = jsonrpc.AppendString(s.info, c.Info.Name)
	s.info = append(s.info, `,"version":`...)
	s.info = jsonrpc.AppendString(s.info, c.Info.Version)
	s.info = append(s.info, '}')

	s.meta = append(s.meta, `"`+keyServerInfo+`":`...)
	s.meta = append(s.meta, s.info...)

	if c.Instructions != "" {
		s.instructions = append(s.instructions, `,"instructions":`...)
		s.instructions = jsonrpc.AppendString(s.instructions, c.Instructions)
	}
	s.complete = s.appendMeta([]byte(`{"resultType":"complete"`))
	s.discover = append(s.discover, `{"resultType":"complete","supportedVersions":`...)
	s.discover = appendSupported(s.discover)
	s.discover = append(s.discover, `,"capabilities":{"tools":{"listChanged":true}}`...)
	s.discover = append(s.discover, s.instructions...)
	s.discover = append(s.discover, `,"ttlMs":`...)
	s.discover = strconv.AppendInt(s.discover, discoverTTL, 10)
	s.discover = append(s.discover, `,"cacheScope":"private"`...)
	s.discover = s.appendMeta(s.discover)
	return s
}

// appendMeta ends a modern result: its _meta with the server's name (MCP 2026-07-28, base protocol:
// serverInfo should be on every result).
func (s *said) appendMeta(dst []byte) []byte {
	dst = append(dst, `,"_meta":{`...)
	dst = append(dst, s.meta...)
	return append(dst, `}}`...)
}
