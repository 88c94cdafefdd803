package mcp

import (
	"slices"

	"prax/server/jsonrpc"
)

// revision is a dated revision of the protocol. They compare as text.
type revision string

// The revisions that are served. The first four open with initialize, in the last one every request
// stands for itself.
const (
	rev2024    revision = "2024-11-05"
	rev2025Mar revision = "2025-03-26"
	rev2025Jun revision = "2025-06-18"
	rev2025Nov revision = "2025-11-25"
	revModern  revision = "2026-07-28"
)

// supported is what the endpoint serves, newest first: the same list wherever one is shown.
var supported = []revision{revModern, rev2025Nov, rev2025Jun, rev2025Mar, rev2024}

// Revisions are the revisions of the protocol that are served, newest first.
func Revisions() []string {
	names := make([]string, len(supported))
	for i, v := range supported {
		names[i] = string(v)
	}
	return names
}

// legacy are those that initialize may settle on, newest first.
var legacy = supported[1:]

// isLegacy gives the revision of a version that initialize settles on.
func isLegacy(version string) (revision, bool) {
	i := slices.Index(legacy, revision(version))
	if i < 0 {
		return "", false
	}
	return legacy[i], true
}

func appendSupported(dst []byte) []byte {
	dst = append(dst, '[')
	for i, v := range supported {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsonrpc.AppendString(dst, string(v))
	}
	return append(dst, ']')
}
