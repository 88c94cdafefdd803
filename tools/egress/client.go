package egress

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
)

// Do sends a request, once, and reads the answer. Any status is an answer. The context alone bounds the time that it
// takes once there is a connection; it ends whatever is still going on.
//
// Redirects are followed for GET and HEAD without a body, at most MaxRedirects; for other requests the redirect is the
// answer. Each target is judged as if it had been asked for in the first place, https never leads to http, and
// whatever does not lead to the same scheme, host and port goes without the request's headers.
//
// A *Refused and an *Unreached say that nothing was sent to where the request, or a redirect of it, led. After any other
// error it may have been sent, and have had its effect. Errors hold nothing of the request but host and port.
func (c *Client) Do(ctx context.Context, req *http.Request) (*Response, error) {
	hop := firstHop(ctx, req)
	for followed := 0; ; followed++ {
		resp, err := c.send(hop, followed > 0)
		if err != nil {
			return nil, err
		}
		next, err := c.follow(hop, resp, followed)
		if err != nil || next != nil {
			resp.Body.Close()
		}
		if err != nil {
			return nil, err
		}
		if next == nil {
			return read(ctx, resp)
		}
		hop = next
	}
}

// firstHop is the request as it is sent. Its body can be read once only, whatever the caller prepared for repeating it.
func firstHop(ctx context.Context, req *http.Request) *http.Request {
	hop := req.Clone(ctx)
	hop.GetBody = nil
	hop.Host = "" // the URL's
	if hop.Header == nil {
		hop.Header = http.Header{}
	}
	if hop.Header.Get("Accept-Encoding") == "" {
		hop.Header.Set("Accept-Encoding", "gzip")
	}
	return hop
}

// send does one exchange up to the header of the answer.
func (c *Client) send(req *http.Request, redirected bool) (*http.Response, error) {
	if err := c.judgeRequest(req); err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, c.refuse(err, redirected)
	}
	var connected atomic.Bool
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }}
	resp, err := c.transport.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
	if err == nil {
		return resp, nil
	}
	return nil, explain(req, err, connected.Load(), redirected)
}

// judgeRequest refuses a URL, and a method that asks for a tunnel.
func (c *Client) judgeRequest(req *http.Request) error {
	if err := c.Judge(req.URL); err != nil {
		return err
	}
	if req.Method == http.MethodConnect {
		t, _ := locate(req.URL)
		return &Refused{Target: t.String(), Reason: "was asked for a tunnel"}
	}
	return nil
}

// refuse logs what was refused by its URL, and says how it came about.
func (c *Client) refuse(err error, redirected bool) error {
	var refused *Refused
	if errors.As(err, &refused) {
		refused.Redirected = redirected
		c.egress.log.Warn("an outgoing request was refused", "target", refused.Target, "reason", refused.Reason)
	}
	return err
}

// explain says what is known after an exchange that failed before there was an answer: without a connection nothing
// was sent.
func explain(req *http.Request, err error, connected, redirected bool) error {
	var refused *Refused
	if errors.As(err, &refused) {
		refused.Redirected = redirected
		return refused
	}
	t, _ := locate(req.URL)
	if !connected {
		return &Unreached{Target: t.String(), Err: ended(req.Context(), err)}
	}
	return fmt.Errorf("%s gave no answer: %w", t, ended(req.Context(), err))
}

// ended makes an error one of the context's, when that has ended.
func ended(ctx context.Context, err error) error {
	if cause := ctx.Err(); cause != nil && !errors.Is(err, cause) {
		return fmt.Errorf("%w: %w", cause, err)
	}
	return err
}
