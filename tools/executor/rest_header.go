package executor

import (
	"net/http"
	"slices"
	"strings"
)

// framing are the headers that say where a message ends and who it is for: they are made of the request itself (RFC
// 9110, sections 7.2 and 7.6.1; RFC 9112, section 6).
var framing = []string{
	"Host", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Te", "Trailer", "Upgrade", "Expect",
	"Accept-Encoding", "Content-Encoding", "Http2-Settings", idempotencyKey,
}

// credentials are the headers that a connection alone may bring, beside those of framing.
var credentials = append(slices.Clone(framing), "Authorization", "Cookie", "Cookie2")

const idempotencyKey = "Idempotency-Key"

// headerDefect says why a name cannot be that of a header here; "" when it can.
func headerDefect(name string, never []string) string {
	canonical := headerKey(name)
	switch {
	case !isToken(name):
		return "must be named by letters, digits, - and _"
	case canonical == idempotencyKey:
		return "is sent where the executor has an idempotencyKey, and cannot be set otherwise"
	case slices.Contains(never, canonical), strings.HasPrefix(canonical, "Proxy-"):
		if slices.Contains(framing, canonical) || !slices.Contains(credentials, canonical) {
			return "cannot be set: it is made of the request itself"
		}
		return "can be set by a connection only"
	}
	return ""
}

// headerKey is what two names share that some reader takes for one header: capitals do not count, and _ is - to some.
func headerKey(name string) string {
	return http.CanonicalHeaderKey(strings.ReplaceAll(name, "_", "-"))
}

// isToken tells whether a name can be that of a header. RFC 9110, section 5.6.2, has more marks, which nobody uses.
func isToken(name string) bool {
	for i := 0; i < len(name); i++ {
		c := name[i] | 0x20
		if !('a' <= c && c <= 'z') && !('0' <= name[i] && name[i] <= '9') && name[i] != '-' && name[i] != '_' {
			return false
		}
	}
	return name != ""
}

// maxHeader bounds the value of one header, in bytes.
const maxHeader = 8 << 10

// valueDefect says why a text cannot be the value of a header; "" when it can (RFC 9110, section 5.5).
func valueDefect(text string) string {
	switch {
	case len(text) > maxHeader:
		return "is too long for a header"
	case strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
		return "has a line end or another control character in it, which no header can have"
	}
	return ""
}

// twice refuses names that are one to a reader of headers.
func (f *violations) twice(names []string) {
	seen := map[string]bool{}
	slices.Sort(names)
	for _, name := range names {
		canonical := headerKey(name)
		if seen[canonical] {
			f.add("/headers", "has "+canonical+" twice")
		}
		seen[canonical] = true
	}
}
