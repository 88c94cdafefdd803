package executor

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"prax/tools/egress"
	"prax/tools/secret"
	"prax/tools/workflow"
	"prax/tools/workflow/expr"
)

// restKind runs the executors of the kind rest.
type restKind struct {
	secrets *secret.Source
	egress  *egress.Egress
}

// NewREST is the kind rest. All its requests go out through e.
func NewREST(s *secret.Source, e *egress.Egress) Kind { return &restKind{secrets: s, egress: e} }

// exchange is a request that is ready, but for the secrets of its connection.
type exchange struct {
	method     string
	url        *url.URL
	header     http.Header    // of the executor
	body       jsontext.Value // nil: none
	connection *RESTConnection
}

// Prepare resolves everything but the secrets, and takes the connection as it is now.
func (k *restKind) Prepare(_ context.Context, q Request) (*Run, *workflow.Failure) {
	spec := specOf[REST](q.Executor)
	if spec == nil {
		return nil, unfit("the executor is not one of the kind %s", kindREST)
	}
	c, connection := spec.connectionOf(q)
	if connection == nil {
		return nil, unfit("the service that it leads to is not configured any more")
	}
	x := &exchange{method: spec.method(), connection: connection}
	if failure := x.resolve(spec, q); failure != nil {
		return nil, failure
	}
	material, failure := x.material(c)
	if failure != nil {
		return nil, failure
	}
	return &Run{
		Material:   material,
		Tier:       max(q.Executor.Tier, c.Tier),
		Repeatable: safe(x.method),
		Do:         func(ctx context.Context) workflow.Result { return k.do(ctx, x) },
	}, nil
}

func (s *REST) connectionOf(q Request) (*workflow.Connection, *RESTConnection) {
	if q.Connection == nil {
		return nil, nil
	}
	c, ok := q.Connection(s.Connection)
	if !ok {
		return nil, nil
	}
	spec, _ := c.Spec.(*RESTConnection)
	if spec == nil || spec.base == nil {
		return nil, nil
	}
	return c, spec
}

// resolve puts what a caller has a say in in place.
func (x *exchange) resolve(s *REST, q Request) (failure *workflow.Failure) {
	query, failure := s.asked(q.Env)
	if failure != nil {
		return failure
	}
	if x.url, failure = under(x.connection.base, s.path, query, q.Env); failure != nil {
		return failure
	}
	if failure = x.fields(s, q); failure != nil {
		return failure
	}
	if s.body != nil {
		x.body, failure = s.body.fill(q.Env)
	}
	return failure
}

// asked is the query.
func (s *REST) asked(env expr.Env) (string, *workflow.Failure) {
	var parts []string
	size := 0
	for _, p := range s.query {
		v := p.value.of
		if path, ok := v.(expr.Path); ok {
			v, _ = path.Of(env)
		}
		if v == nil {
			continue
		}
		text, ok := scalar(v)
		if !ok {
			return "", unfit("%s of the query must be a text, a number or a boolean", p.name)
		}
		if size += len(text); size > maxURL {
			return "", unfit("the query has more than %d KiB", maxURL>>10)
		}
		parts = append(parts, url.QueryEscape(p.name)+"="+url.QueryEscape(text))
	}
	return strings.Join(parts, "&"), nil
}

// fields are the headers of the executor, and the key.
func (x *exchange) fields(s *REST, q Request) *workflow.Failure {
	x.header = http.Header{}
	for _, f := range s.headers {
		text := f.text
		if !f.path.IsZero() {
			v, _ := f.path.Of(q.Env)
			var ok bool
			if text, ok = scalar(v); !ok {
				return unfit("%s must lead to a text, a number or a boolean to stand in a header", f.path)
			}
		}
		if defect := valueDefect(text); defect != "" {
			return unfit("%s %s", f.name, defect)
		}
		if x.connection.brings(f.name) {
			return unfit("%s is a header that the service's configuration brings", f.name)
		}
		x.header.Set(f.name, text)
	}
	if q.Key == "" {
		return nil
	}
	if defect := valueDefect(q.Key); defect != "" {
		return unfit("the idempotency key %s", defect)
	}
	x.header.Set(idempotencyKey, q.Key)
	return nil
}

// material is what would be sent, and the digest of what the connection adds to it. The key is left out: it may be that
// of the attempt, which there is not yet when a person is asked.
func (x *exchange) material(c *workflow.Connection) (map[string]any, *workflow.Failure) {
	headers := map[string]any{}
	for name := range x.header {
		if name != idempotencyKey {
			headers[name] = x.header.Get(name)
		}
	}
	m := map[string]any{
		"kind": kindREST, "connection": c.Name, "connectionDigest": c.Digest,
		"method": x.method, "url": x.url.String(), "headers": headers,
	}
	if x.body != nil {
		var body any
		if err := json.Unmarshal(x.body, &body); err != nil {
			return nil, unfit("the body is no JSON")
		}
		m["body"] = body
	}
	return m, nil
}
