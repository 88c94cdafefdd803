package mcp

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"prax/server/edge"
	"prax/server/jsonrpc"
)

// open judges the request's headers as far as they are about the body, and reads it.
func (q *request) open() ([]byte, error) {
	q.version = headerOf(q.r, "Mcp-Protocol-Version")
	q.accept = parseAccept(q.r.Header["Accept"])
	if !isJSON(q.r.Header["Content-Type"]) {
		return nil, refusal(http.StatusUnsupportedMediaType, jsonrpc.CodeInvalidRequest,
			"the body must be JSON: send the header Content-Type: application/json")
	}
	if !isIdentity(q.r.Header["Content-Encoding"]) {
		return nil, refusal(http.StatusUnsupportedMediaType, jsonrpc.CodeInvalidRequest,
			"the body must not be compressed: leave the header Content-Encoding out")
	}
	return readBody(q.r)
}

// header is a request header that has one value: n counts the lines it came in.
type header struct {
	value string
	n     int
}

func headerOf(r *http.Request, canonical string) header {
	values := r.Header[canonical]
	if len(values) == 0 {
		return header{}
	}
	return header{value: strings.TrimSpace(values[0]), n: len(values)}
}

// isJSON compares the media type alone. JSON is UTF-8 (RFC 8259, section 8.1), so a charset may say
// that and nothing else.
func isJSON(values []string) bool {
	if len(values) != 1 {
		return false
	}
	if values[0] == "application/json" {
		return true
	}
	kind, params, err := mime.ParseMediaType(values[0])
	charset, stated := params["charset"]
	return err == nil && kind == "application/json" && (!stated || strings.EqualFold(charset, "utf-8"))
}

func isIdentity(values []string) bool {
	for _, v := range values {
		if v = strings.TrimSpace(v); v != "" && !strings.EqualFold(v, "identity") {
			return false
		}
	}
	return true
}

// accept is what kinds of answer the caller takes.
type accept struct{ json, stream bool }

// bothKinds is what MCP, transports, has callers send.
const bothKinds = "application/json, text/event-stream"

// parseAccept is lenient on purpose: no header and wildcards take both, what names neither kind is
// served JSON. Many callers send less than the text asks for, and all of them read JSON.
func parseAccept(values []string) (a accept) {
	if len(values) == 1 && values[0] == bothKinds {
		return accept{json: true, stream: true}
	}
	for _, line := range values {
		for item := range strings.SplitSeq(line, ",") {
			a.add(item)
		}
	}
	if len(values) == 0 {
		return accept{json: true, stream: true}
	}
	if !a.stream {
		a.json = true
	}
	return a
}

func (a *accept) add(item string) {
	kind, params, _ := strings.Cut(item, ";")
	if isZero(params) {
		return
	}
	switch kind = strings.TrimSpace(kind); {
	case kind == "*/*":
		a.json, a.stream = true, true
	case strings.EqualFold(kind, "application/json"), strings.EqualFold(kind, "application/*"):
		a.json = true
	case strings.EqualFold(kind, "text/event-stream"), strings.EqualFold(kind, "text/*"):
		a.stream = true
	}
}

// isZero tells whether the parameters of a media range refuse it: q=0, q=0.000.
func isZero(params string) bool {
	for p := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(p, "=")
		if strings.EqualFold(strings.TrimSpace(name), "q") {
			value = strings.TrimSpace(value)
			return value != "" && strings.Trim(value, "0.") == ""
		}
	}
	return false
}

// Memory for a body is taken as it comes in, not as its length is announced.
const (
	firstRead = 4 << 10
	trusted   = 16 << 10 // an announced length up to here is believed
)

func readBody(r *http.Request) ([]byte, error) {
	size := int64(firstRead)
	if 0 <= r.ContentLength && r.ContentLength < trusted {
		size = r.ContentLength + 1 // room to see the end without growing
	}
	body := make([]byte, 0, size)
	for {
		if len(body) == cap(body) {
			body = append(body, 0)[:len(body)]
		}
		n, err := r.Body.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if err == io.EOF {
			return body, nil
		}
		if err != nil {
			return nil, unreadable(err)
		}
	}
}

func unreadable(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return refusal(http.StatusRequestEntityTooLarge, jsonrpc.CodeInvalidRequest,
			"the body has more than %d bytes", tooLarge.Limit)
	}
	if errors.Is(err, edge.ErrStopping) {
		return refusal(http.StatusServiceUnavailable, codeStopping, "the server is stopping: send it again")
	}
	return refusal(http.StatusRequestTimeout, jsonrpc.CodeInvalidRequest, "the body did not arrive whole")
}
