package server

import (
	"errors"
	"net/url"
	"path"
	"strings"
)

// Endpoint is the path at which callers reach MCP below a public URL: that of the URL with /mcp behind it, unless it ends
// so. A proxy before the server may take away what is before /mcp, as `tailscale serve --set-path` does, or leave it.
func Endpoint(public *url.URL) (string, error) {
	at := strings.TrimSuffix(public.Path, "/")
	if strings.ContainsFunc(at, func(r rune) bool { return !pathRune(r) }) || public.RawPath != "" {
		return "", errors.New("its path has more in it than letters, digits and - . _ ~ /")
	}
	if at == "/" || at != "" && path.Clean(at) != at {
		return "", errors.New("its path is not written plainly")
	}
	if below(at, "/.well-known") { // where metadata of authorization servers is looked for, which there must be none of
		return "", errors.New("its path is below /.well-known")
	}
	if path.Base(at) == "mcp" {
		return at, nil
	}
	return at + "/mcp", nil
}

// pathRune tells whether a character of a path is the same however it is written (RFC 3986 2.3).
func pathRune(r rune) bool {
	return r < 0x80 && (nameByte(byte(r)) || r == '~' || r == '/')
}

func below(at, dir string) bool { return at == dir || strings.HasPrefix(at, dir+"/") }
