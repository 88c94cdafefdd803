package egress

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// maxWire is how much of a body is read to keep MaxBody of it: nobody compresses to more, but empty parts can be sent
// without end.
const maxWire = MaxBody + 64<<10

// Response is an answer, read to its end or to MaxBody.
type Response struct {
	Status int
	Header http.Header
	Body   []byte // decompressed when it came as gzip, and then without the headers that say so
	Cut    bool   // there was more of it
	URL    string // of the last redirect, or as asked for
}

// read takes the body of an answer to a request.
func read(ctx context.Context, resp *http.Response, req *http.Request) (*Response, error) {
	defer resp.Body.Close()
	r := &Response{Status: resp.StatusCode, Header: resp.Header, URL: resp.Request.URL.String()}
	if r.Status == http.StatusSwitchingProtocols {
		return r, nil // what follows is no body, and no context ends it
	}
	wire := &io.LimitedReader{R: resp.Body, N: maxWire}
	body, err := decompressed(wire, r.Header)
	if err == nil {
		r.Body, err = io.ReadAll(io.LimitReader(body, MaxBody+1))
	}
	if len(r.Body) > MaxBody {
		r.Body, r.Cut = r.Body[:MaxBody:MaxBody], true
		return r, nil
	}
	if err != nil && wire.N <= 0 && ctx.Err() == nil {
		r.Cut = true
		return r, nil
	}
	if err != nil {
		t, _ := locate(req.URL)
		return nil, fmt.Errorf("%s answered %d and broke off: %w", t, r.Status, broken(ctx, err))
	}
	return r, nil
}

// decompressed reads through gzip, the one encoding that is asked for; a body in another is left as it came, and its
// header says so.
func decompressed(r io.Reader, h http.Header) (io.Reader, error) {
	encoding := strings.ToLower(strings.TrimSpace(h.Get("Content-Encoding")))
	if encoding != "gzip" && encoding != "x-gzip" {
		return r, nil
	}
	buffered := bufio.NewReader(r)
	if _, err := buffered.Peek(1); errors.Is(err, io.EOF) {
		return buffered, nil // none, as after HEAD
	}
	h.Del("Content-Encoding")
	h.Del("Content-Length")
	return gzip.NewReader(buffered)
}
