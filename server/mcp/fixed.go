package mcp

import (
	"strconv"

	"prax/server/jsonrpc"
)

// discoverTTL is how long a caller may keep the answer of server/discover, in milliseconds: nothing
// in it depends on the caller or changes while the process runs.
const discoverTTL = 300_000

// fixed are the parts of answers that are the same for everybody, encoded once.
type fixed struct {
	info         []byte // the object {name, version}
	meta         []byte // the members of a modern result's _meta, without braces
	instructions []byte // `,"instructions":"…"`, or nothing
	discover     []byte // the whole result
}

func newFixed(c Config) (f fixed) {
	f.info = append(f.info, `{"name":`...)
	f.info = jsonrpc.AppendString(f.info, c.Info.Name)
	f.info = append(f.info, `,"version":`...)
	f.info = jsonrpc.AppendString(f.info, c.Info.Version)
	f.info = append(f.info, '}')

	f.meta = append(f.meta, `"`+keyServerInfo+`":`...)
	f.meta = append(f.meta, f.info...)

	if c.Instructions != "" {
		f.instructions = append(f.instructions, `,"instructions":`...)
		f.instructions = jsonrpc.AppendString(f.instructions, c.Instructions)
	}
	f.discover = append(f.discover, `{"resultType":"complete","supportedVersions":`...)
	f.discover = appendSupported(f.discover)
	f.discover = append(f.discover, `,"capabilities":{"tools":{"listChanged":true}}`...)
	f.discover = append(f.discover, f.instructions...)
	f.discover = append(f.discover, `,"ttlMs":`...)
	f.discover = strconv.AppendInt(f.discover, discoverTTL, 10)
	f.discover = append(f.discover, `,"cacheScope":"private"`...)
	f.discover = f.appendMeta(f.discover)
	return f
}

// appendMeta ends a modern result: its _meta with the server's name (MCP 2026-07-28, base protocol:
// serverInfo should be on every result).
func (f *fixed) appendMeta(dst []byte) []byte {
	dst = append(dst, `,"_meta":{`...)
	dst = append(dst, f.meta...)
	return append(dst, `}}`...)
}
