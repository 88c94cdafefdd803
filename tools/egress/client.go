package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
)

// Do sends a request, once, and reads the answer. Any status is an answer. The context alone bounds the time that it
// takes once there is a connection; it ends whatever is still going on.
//
// Redirects are followed for GET and HEAD without a body, at most MaxRedirects; for other requests the redirect is the
// answer. Each target is judged as if it had been asked for in the first place, https never leads to http, and
// whatever does not lead to the same scheme, host and port goes without the request's headers.
//
// A *Refused and an *Unreached say that nothing was sent to where the request, or a redirect of it, led. After any other
// error it may have been sent, and have had its effect. Errors tell the host and port of the request, and nothing
// that the other side sent.
func (c *Client) Do(ctx context.Context, req *http.Request) (*Response, error) {
	hop := firstHop(ctx, req)
	for followed := 0; ; followed++ {
		resp, err := c.send(hop)
		if err != nil {
			return nil, c.explained(ctx, err, req, followed > 0)
		}
		next, err := follow(hop, resp, followed)
		if err != nil || next != nil {
			resp.Body.Close()
		}
		if err != nil {
			return nil, c.explained(ctx, err, req, true)
		}
		if next == nil {
			return read(ctx, resp, req)
		}
		hop = next
	}
}

// firstHop is the request as it is sent. Its body can be read once only, whatever the caller prepared for repeating it.
func firstHop(ctx context.Context, req *http.Request) *http.Request {
	hop := req.Clone(ctx)
	hop.GetBody = nil
	hop.Host = "" // the URL's
	if hop.Body != nil && hop.Body != http.NoBody {
		hop.Body = &sending{ReadCloser: hop.Body}
	}
	if hop.Header == nil {
		hop.Header = http.Header{}
	}
	if hop.Header.Get("Accept-Encoding") == "" {
		hop.Header.Set("Accept-Encoding", "gzip")
	}
	return hop
}

// send does one exchange up to the header of the answer, over a connection of its own that ends with the answer's body.
func (c *Client) send(req *http.Request) (*http.Response, error) {
	if req.Body == nil {
		req.Body = http.NoBody
	}
	conn, err := c.open(req)
	if err != nil {
		req.Body.Close()
		return nil, err
	}
	resp, err := conn.RoundTrip(req)
	if err != nil {
		conn.Close()
		req.Body.Close()
		return nil, err
	}
	resp.Body = &answering{resp.Body, req.Body, conn}
	return resp, nil
}

// open judges a request and connects to where it leads. Nothing is sent yet: its errors are *Refused or *Unreached.
func (c *Client) open(req *http.Request) (*http.ClientConn, error) {
	if err := c.judgeRequest(req); err != nil {
		return nil, err
	}
	t, _ := locate(req.URL)
	address := net.JoinHostPort(t.host, strconv.Itoa(int(t.port)))
	conn, err := c.transport.NewClientConn(req.Context(), req.URL.Scheme, address)
	if err == nil {
		return conn, nil
	}
	var refused *Refused
	if errors.As(err, &refused) {
		return nil, refused
	}
	return nil, &Unreached{Err: unconnected(req.Context(), err)}
}

// judgeRequest refuses a URL, a method that asks for a tunnel, and what net/http would find wrong only once there is a
// connection.
func (c *Client) judgeRequest(req *http.Request) error {
	if err := c.Judge(req.URL); err != nil {
		return err
	}
	switch name := badHeader(req.Header); {
	case req.Method == http.MethodConnect:
		return &Refused{Reason: "was asked for a tunnel"}
	case strings.ContainsFunc(req.Method, notInToken):
		return &Refused{Reason: "was to be asked by what is no method"}
	case name != "":
		return &Refused{Reason: "was to get a header that is none: " + name}
	}
	return nil
}

// explained says of an error what it was about: the request, or a redirect of it. The log is told of refusals, with the
// address: a caller is not to learn where names lead within.
func (c *Client) explained(ctx context.Context, err error, req *http.Request, redirected bool) error {
	t, _ := locate(req.URL)
	var refused *Refused
	var unreached *Unreached
	switch {
	case errors.As(err, &refused):
		refused.Target, refused.Redirected = t.String(), redirected
		c.log(refused)
		return refused
	case errors.As(err, &unreached):
		unreached.Target, unreached.Redirected = t.String(), redirected
		return unreached
	}
	return fmt.Errorf("%s gave no answer: %w", t, broken(ctx, err))
}

func (c *Client) log(r *Refused) {
	log := c.egress.log.With("target", r.Target, "redirected", r.Redirected, "reason", r.Reason)
	if r.address.IsValid() {
		log = log.With("address", r.address.String())
	}
	log.Warn("an outgoing request was refused")
}
