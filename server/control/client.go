package control

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"syscall"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/auth/clients"
	"prax/store"
	"prax/tools"
)

// Client is the other end of the socket: an [Operator]'s acts, done by the running server.
type Client struct {
	http *http.Client
}

// Dial connects to the server at path. The error is [ErrNoServer] when nobody answers there; then
// the files are free to be opened.
func Dial(path string) (*Client, error) {
	c, err := dial(path)
	switch {
	case errors.Is(err, os.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return nil, fmt.Errorf("%w: %s", ErrNoServer, path)
	case err != nil:
		return nil, fmt.Errorf("operator's socket %s: %w", path, err)
	}
	_ = c.Close()
	transport := &http.Transport{
		DialContext: func(context.Context, string, string) (net.Conn, error) { return dial(path) },
	}
	return &Client{http: &http.Client{Transport: transport}}, nil
}

// Close lets go of the connection.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Call is [Operator.Call].
func (c *Client) Call(ctx context.Context, as, tool string, arguments jsontext.Value) (*tools.Result, error) {
	if len(arguments) > 0 && !arguments.IsValid() {
		return nil, fmt.Errorf("%w: not JSON", tools.ErrArguments)
	}
	var res result
	if err := c.ask(ctx, "POST", "/call", callRequest{as, tool, arguments}, &res); err != nil {
		return nil, err
	}
	return fromWire(res), nil
}

// Access is [Operator.Access].
func (c *Client) Access(ctx context.Context, as, tool string) (a Access, err error) {
	err = c.ask(ctx, "POST", "/access", accessRequest{as, tool}, &a)
	return a, err
}

// Verify is [Operator.Verify].
func (c *Client) Verify(ctx context.Context) (r store.Report, err error) {
	err = c.ask(ctx, "POST", "/verify", nil, &r)
	return r, err
}

// Reload is [Operator.Reload].
func (c *Client) Reload(ctx context.Context) (r clients.Report, err error) {
	err = c.ask(ctx, "POST", "/reload", nil, &r)
	return r, err
}

// Status is [Operator.Status].
func (c *Client) Status(ctx context.Context) (s Status, err error) {
	err = c.ask(ctx, "GET", "/status", nil, &s)
	return s, err
}

// Uses is [Operator.Uses].
func (c *Client) Uses(ctx context.Context) (uses []Use, err error) {
	err = c.ask(ctx, "POST", "/uses", nil, &uses)
	return uses, err
}

// Define is [Operator.Define].
func (c *Client) Define(ctx context.Context, d Draft) (t Term, err error) {
	err = c.ask(ctx, "POST", "/lexicon/define", d, &t)
	return t, err
}

// Accept is [Operator.Accept].
func (c *Client) Accept(ctx context.Context, w Word) (t Term, err error) {
	err = c.ask(ctx, "POST", "/lexicon/accept", w, &t)
	return t, err
}

// Remove is [Operator.Remove].
func (c *Client) Remove(ctx context.Context, w Word) (t Term, err error) {
	err = c.ask(ctx, "POST", "/lexicon/remove", w, &t)
	return t, err
}

// Terms is [Operator.Terms].
func (c *Client) Terms(ctx context.Context) (terms []Term, err error) {
	err = c.ask(ctx, "POST", "/lexicon/list", nil, &terms)
	return terms, err
}

// TermHistory is [Operator.TermHistory].
func (c *Client) TermHistory(ctx context.Context, w Word) (terms []Term, err error) {
	err = c.ask(ctx, "POST", "/lexicon/history", w, &terms)
	return terms, err
}

// Drive is [Operator.Drive].
func (c *Client) Drive(ctx context.Context, r Request) (reply Reply, err error) {
	if len(r.Arguments) > 0 && !r.Arguments.IsValid() {
		return Reply{}, fmt.Errorf("%w: not JSON", tools.ErrArguments)
	}
	err = c.ask(ctx, "POST", "/workflow", r, &reply)
	return reply, err
}

// Instances is [Operator.Instances].
func (c *Client) Instances(ctx context.Context, l Listing) (list Instances, err error) {
	err = c.ask(ctx, "POST", "/workflow/list", l, &list)
	return list, err
}

// History is [Operator.History].
func (c *Client) History(ctx context.Context, p Past) (steps []Step, err error) {
	err = c.ask(ctx, "POST", "/workflow/history", p, &steps)
	return steps, err
}

// Graph is [Operator.Graph].
func (c *Client) Graph(ctx context.Context, d Drawing) (g Graph, err error) {
	err = c.ask(ctx, "POST", "/workflow/graph", d, &g)
	return g, err
}

// Approval is [Operator.Approval].
func (c *Client) Approval(ctx context.Context, q Question) (a Approval, err error) {
	err = c.ask(ctx, "POST", "/approvals/show", q, &a)
	return a, err
}

// Resolve is [Operator.Resolve].
func (c *Client) Resolve(ctx context.Context, v Verdict) (r Resolved, err error) {
	err = c.ask(ctx, "POST", "/approvals/resolve", v, &r)
	return r, err
}

// Operations is [Operator.Operations].
func (c *Client) Operations(ctx context.Context, f OperationFilter) (page OperationPage, err error) {
	err = c.ask(ctx, "POST", "/operations/list", f, &page)
	return page, err
}

// Operation is [Operator.Operation].
func (c *Client) Operation(ctx context.Context, q OneOperation) (op Operation, err error) {
	err = c.ask(ctx, "POST", "/operations/show", q, &op)
	return op, err
}

// Reconcile is [Operator.Reconcile].
func (c *Client) Reconcile(ctx context.Context, d Discovery) (s Settled, err error) {
	if len(d.Output) == 0 {
		d.Output = nil
	}
	if d.Output != nil && !d.Output.IsValid() {
		return Settled{}, fmt.Errorf("%w: the output is not JSON", tools.ErrArguments)
	}
	err = c.ask(ctx, "POST", "/operations/reconcile", d, &s)
	return s, err
}

// MakeToken is [Operator.MakeToken].
func (c *Client) MakeToken(ctx context.Context, o TokenOrder) (t Token, err error) {
	err = c.ask(ctx, "POST", "/token/make", o, &t)
	return t, err
}

// RevokeToken is [Operator.RevokeToken].
func (c *Client) RevokeToken(ctx context.Context, id TokenID) (r RevokedToken, err error) {
	err = c.ask(ctx, "POST", "/token/revoke", id, &r)
	return r, err
}

// Events is [Operator.Events]. A server that stops ends it without an error.
func (c *Client) Events(ctx context.Context, after int64, follow bool, f func([]store.Event) error) error {
	q := url.Values{"after": {strconv.FormatInt(after, 10)}, "follow": {strconv.FormatBool(follow)}}
	body, err := c.send(ctx, "GET", "/audit?"+q.Encode(), nil)
	if err != nil {
		return unlessEnded(ctx, follow, err)
	}
	defer func() { _ = body.Close() }()
	for lines := jsontext.NewDecoder(body); ; {
		line, err := lines.ReadValue()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return unlessEnded(ctx, follow, fmt.Errorf("read audit: %w", err))
		}
		e, err := store.DecodeEvent(line)
		if err != nil {
			return fmt.Errorf("read audit: %w", err)
		}
		if err := f([]store.Event{e}); err != nil {
			return err
		}
	}
}

func (c *Client) ask(ctx context.Context, method, path string, asked, answer any) error {
	var body []byte
	if asked != nil {
		var err error
		if body, err = json.Marshal(asked); err != nil {
			return fmt.Errorf("encode request: %w", err)
		}
	}
	res, err := c.send(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer func() { _ = res.Close() }()
	if err := json.UnmarshalRead(res, answer); err != nil {
		return fmt.Errorf("decode answer: %w", err)
	}
	return nil
}

func (c *Client) send(ctx context.Context, method, path string, body []byte) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://prax"+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	res, err := c.http.Do(req)
	if failed := (*url.Error)(nil); errors.As(err, &failed) {
		err = fmt.Errorf("ask the running server: %w", failed.Err) // its address is a made-up one
	}
	if err != nil {
		return nil, err
	}
	if res.StatusCode == http.StatusOK {
		return res.Body, nil
	}
	defer func() { _ = res.Body.Close() }()
	var refused struct {
		Error failure `json:"error"`
	}
	if err := json.UnmarshalRead(io.LimitReader(res.Body, maxBody), &refused); err != nil || refused.Error.Code == "" {
		return nil, fmt.Errorf("the server answered %s", res.Status)
	}
	return nil, refused.Error.asError()
}
